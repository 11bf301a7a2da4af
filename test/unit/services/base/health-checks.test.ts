import { describe, expect, it } from 'vitest';
import { type HealthCheck, watchHealth } from '../../../../src/basics/health-checks.ts';
import { createHealth } from '../../../../src/services/base/health.ts';

type Row = Pick<HealthCheck, 'id' | 'isNeeded'>;

/** A service with these needs, each of which a test can break. */
function serviceWith(...rows: Row[]) {
  const broken = new Map<string, string>();
  const said: string[] = [];
  const world = { now: 1_000 };
  const note = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void said.push(`${level} ${fields['check']}: ${text}`);
  const checks = rows.map((row) => ({
    ...row,
    keeps: `what ${row.id} keeps`,
    trouble: () => broken.get(row.id) ?? null,
  }));
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const watch = watchHealth(checks, { now: () => world.now, log });
  const health = createHealth({ name: 'tested', watch, figures: () => ({}) });
  const get = async (path: string) => {
    const answer = await health.answer(new Request(`http://service.test${path}`));
    return { status: answer?.status, text: (await answer?.text()) ?? '' };
  };
  return { broken, said, world, watch, get };
}

const GAS = { id: 'gas', isNeeded: true };
const RENEWAL = { id: 'renewal', isNeeded: false };

describe('the health of a service', () => {
  it('is ready while nothing is wrong', async () => {
    const { get, said, watch } = serviceWith(GAS, RENEWAL);
    watch.look();
    expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
    const { text } = await get('/metrics');
    expect(text).toMatch(/^pcn_tested_health\{check="gas"\} 1$/m);
    expect(text).toMatch(/^pcn_tested_health\{check="renewal"\} 1$/m);
    expect(said).toEqual([]);
  });

  it('is not ready without what it needs, and says since when', async () => {
    const { broken, get, world } = serviceWith(GAS, RENEWAL);
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
          keeps: 'what gas keeps',
          trouble: 'There is no gas: send some.',
          since: '1970-01-01T00:00:01.000Z',
        },
      ],
    });
    expect((await get('/metrics')).text).toMatch(/^pcn_tested_health\{check="gas"\} 0$/m);
  });

  it('is ready with a warning while there is time to mend it', async () => {
    const { broken, get } = serviceWith(GAS, RENEWAL);
    broken.set('renewal', 'It ends soon.');
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ready', warning: 'It ends soon.' });
    broken.set('gas', 'There is no gas.');
    expect(JSON.parse((await get('/readyz')).text).errors).toBe('There is no gas. It ends soon.');
  });

  it('writes one line when it begins, and one when it ends, whatever its words', () => {
    const { broken, said, watch, world } = serviceWith(GAS, RENEWAL);
    for (const left of [3, 2, 1]) {
      broken.set('gas', `There is gas for ${left}.`);
      watch.look();
    }
    broken.set('renewal', 'It ends soon.');
    watch.look();
    world.now += 7_000;
    broken.clear();
    watch.look();
    watch.look();
    expect(said).toEqual([
      'error gas: There is gas for 3.',
      'warn renewal: It ends soon.',
      'info gas: well again: what gas keeps',
      'info renewal: well again: what renewal keeps',
    ]);
  });
});
