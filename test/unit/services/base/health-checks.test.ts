import { describe, expect, it } from 'vitest';
import {
  createServiceHealth,
  laterCheck,
  neededCheck,
  watchHealth,
} from '../../../../src/services/base/health.ts';

/** A service that needs gas and a renewal, each of which a test can break. */
function createService() {
  const broken = new Map<string, string>();
  const said: string[] = [];
  const world = { now: 1_000 };
  const note = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void said.push(`${level} ${fields['check']}: ${text}`);
  const find = (id: string) => () => broken.get(id) ?? null;
  const table = {
    renewal: laterCheck('It goes on.', 'It ends soon', find('renewal')),
    gas: neededCheck('It has gas.', 'It has no gas', find('gas')),
  };
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const rows = watchHealth(table, { clock: { now: () => world.now }, log });
  const health = createServiceHealth({ name: 'tested', rows, figures: () => ({}) });
  const get = async (path: string) => {
    const answer = await health.answer(new Request(`http://service.test${path}`));
    return { status: answer?.status, text: (await answer?.text()) ?? '' };
  };
  return { broken, said, world, rows, get };
}

describe('the health of a service', () => {
  it('is ready while nothing is wrong', async () => {
    const { get, said, rows } = createService();
    rows();
    expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
    const { text } = await get('/metrics');
    expect(text).toMatch(/^pcn_tested_health\{check="gas"\} 1$/m);
    expect(text).toMatch(/^pcn_tested_health\{check="renewal"\} 1$/m);
    expect(said).toEqual([]);
  });

  it('is not ready without what it needs, and says since when', async () => {
    const { broken, get, world } = createService();
    broken.set('gas', 'There is no gas: send some.');
    await get('/readyz');
    world.now = 9_000;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      errors: 'There is no gas: send some.',
      checks: [
        {
          check: 'gas',
          keeps: 'It has gas.',
          trouble: 'There is no gas: send some.',
          since: '1970-01-01T00:00:01.000Z',
        },
      ],
    });
    expect((await get('/metrics')).text).toMatch(/^pcn_tested_health\{check="gas"\} 0$/m);
  });

  it('is ready with a warning while there is time to mend it', async () => {
    const { broken, get } = createService();
    broken.set('renewal', 'It ends soon.');
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ready', warning: 'It ends soon.' });
    broken.set('gas', 'There is no gas.');
    expect(JSON.parse((await get('/readyz')).text).errors).toBe('There is no gas. It ends soon.');
  });

  it('writes one line when it begins, and one when it ends, whatever its words', () => {
    const { broken, said, rows, world } = createService();
    for (const left of [3, 2, 1]) {
      broken.set('gas', `There is gas for ${left}.`);
      rows();
    }
    broken.set('renewal', 'It ends soon.');
    rows();
    world.now += 7_000;
    broken.clear();
    rows();
    rows();
    expect(said).toEqual([
      'error gas: There is gas for 3.',
      'warn renewal: It ends soon.',
      'info renewal: well again: It goes on.',
      'info gas: well again: It has gas.',
    ]);
  });
});
