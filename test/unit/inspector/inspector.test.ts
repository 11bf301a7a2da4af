import { describe, expect, it } from 'vitest';
import { createInspector } from '../../../src/inspector/inspector.ts';
import { decode } from '../../../src/store/base/codec.ts';
import { OWN, TOKEN } from '../../support/makers.ts';
import { fakeInspection } from './fake-inspection.ts';

const TROUBLES = [
  {
    check: 'low_rdn',
    summary: 'Low',
    body: `Pay in for ${OWN}.`,
    urgency: 'normal',
    since: 5,
  },
] as const;

async function ask(path: string, changes: Parameters<typeof fakeInspection>[0] = {}) {
  const failures: unknown[] = [];
  const inspector = createInspector({
    inspection: fakeInspection(changes),
    onFailure: (error) => failures.push(error),
  });
  const response = await inspector.handle(new Request(`http://node${path}`));
  const text = await response.text();
  await inspector.end();
  return { status: response.status, text, failures };
}

describe('the inspector', () => {
  it('tells which node it shows, and what is bad there', async () => {
    const { status, text } = await ask('/inspector/node?numbers=tagged', {
      nowBlock: () => 77n,
      troubles: () => TROUBLES,
    });
    expect(status).toBe(200);
    expect(decode(text)).toEqual({
      ...fakeInspection().facts,
      block: 77n,
      seq: 0,
      tokens: fakeInspection().tokens(),
      troubles: TROUBLES,
    });
  });

  it('tells what tokens and addresses are called', async () => {
    const labels = {
      tokens: [{ address: TOKEN, symbol: 'TTA', decimals: 18 }],
      names: [{ address: OWN, name: 'bob' }],
    };
    const inspector = createInspector({
      inspection: fakeInspection({}),
      labels: async () => labels,
    });
    const response = await inspector.handle(new Request('http://node/inspector/labels'));
    expect(decode(await response.text())).toEqual(labels);
    await inspector.end();
    expect(decode((await ask('/inspector/labels')).text)).toEqual({ tokens: [], names: [] });
  });

  it.each(['/inspector/nothing', '/inspector/node/more', '/inspector/%E0%A4%A'])(
    'has no endpoint %s',
    async (path) => {
      const { status, text } = await ask(path);
      expect(status).toBe(404);
      expect(JSON.parse(text)).toEqual({ errors: expect.any(String) });
    },
  );

  it('keeps a fault to itself and tells the log', async () => {
    const broken = {
      nowBlock: () => {
        throw new Error('a fault with 0xsecret');
      },
    };
    const { status, text, failures } = await ask('/inspector/node', broken);
    expect([status, text]).toEqual([500, 'Internal server error']);
    expect(failures).toHaveLength(1);
  });
});
