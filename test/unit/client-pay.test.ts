import { describe, expect, it } from 'vitest';
import {
  fromUnits,
  type PayOptions,
  pay,
  paymentHistory,
  toUnits,
} from '../../src/client/client.ts';
import { PARTNER, TOKEN } from './http/fake-node.ts';

const ORDER = { token: TOKEN, target: PARTNER, amount: 5n };
const PAID = {
  initiator_address: PARTNER,
  target_address: PARTNER,
  token_address: TOKEN,
  amount: '5',
  identifier: '7',
  secret: '0x01',
  secret_hash: '0x02',
};
const paid = () => Response.json(PAID);

function refused(status: number, body: Record<string, unknown>, retryAfter?: number): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` };
  return Response.json({ errors: 'why', ...body }, { status, headers });
}

/** What the node answers, one call after the other; null: the connection is lost. `keys`: what it was asked with. */
function nodeThatSays(...answers: (Response | null)[]) {
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    const answer = answers.shift();
    if (answer === undefined) throw new Error('it was asked once too often');
    if (answer === null) throw new TypeError('fetch failed');
    return answer;
  };
  const ask = (options: PayOptions = {}) => pay('http://node', ORDER, { fetch, ...options });
  return { ask, keys, left: () => answers.length };
}

describe('a payment that a program asks for', () => {
  it('is answered with whole numbers', async () => {
    const { ask } = nodeThatSays(paid());
    expect(await ask()).toMatchObject({ ok: true, amount: 5n, identifier: 7n });
  });

  it('is asked for again under the same key when the connection is lost, or the node goes on with it', async () => {
    const { ask, keys } = nodeThatSays(
      null,
      refused(503, { code: 'shutting_down', outcome: 'pending', identifier: '7' }),
      paid(),
    );
    expect(await ask()).toMatchObject({ ok: true });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is asked for under the key of an earlier process', async () => {
    const { ask, keys } = nodeThatSays(paid());
    await ask({ key: 'order 12' });
    expect(keys).toEqual(['order 12']);
  });

  it('waits as long as the node says', async () => {
    const { ask } = nodeThatSays(
      refused(503, { code: 'syncing', outcome: 'not_begun' }, 1),
      paid(),
    );
    const begun = performance.now();
    expect(await ask()).toMatchObject({ ok: true });
    expect(performance.now() - begun).toBeGreaterThan(950);
  });

  it.each([
    [refused(409, { code: 'no_route', outcome: 'failed', identifier: '7' }), 'failed', 7n],
    [refused(402, { code: 'insufficient_balance', outcome: 'not_begun' }), 'not_begun', null],
  ])('is over when the node says so (%#)', async (answer, outcome, identifier) => {
    const { ask } = nodeThatSays(answer);
    expect(await ask()).toMatchObject({ ok: false, outcome, identifier, reason: 'why' });
  });

  it('may still be paid when the time is over, and the key is told', async () => {
    const { ask } = nodeThatSays(
      refused(503, { code: 'shutting_down', outcome: 'pending', identifier: '7' }, 3_600),
    );
    expect(await ask({ timeoutMs: 50, key: 'k' })).toEqual({
      ok: false,
      outcome: 'pending',
      code: 'shutting_down',
      reason: 'why',
      identifier: 7n,
      key: 'k',
    });
  });

  it('is not asked for once its signal is aborted', async () => {
    const { ask, keys } = nodeThatSays(paid());
    expect(await ask({ signal: AbortSignal.abort() })).toMatchObject({ outcome: 'not_begun' });
    expect(keys).toEqual([]);
  });

  it('that was under way stays so when the connection is lost afterwards', async () => {
    const pending = { code: 'shutting_down', outcome: 'pending', identifier: '7' };
    const ending = new AbortController();
    const { ask, left } = nodeThatSays(refused(503, pending), null, null);
    const asked = ask({ signal: ending.signal, timeoutMs: 900 });
    expect(await asked).toMatchObject({ code: 'shutting_down', identifier: 7n });
    expect(left()).toBeLessThan(2);
  });
});

describe('an amount of a token', () => {
  it.each([
    ['1.5', 18, 1_500_000_000_000_000_000n],
    ['0.000001', 6, 1n],
    ['12', 0, 12n],
    ['1.50', 1, 15n],
    ['1.55', 1, null],
    ['-1', 6, null],
    ['1e3', 6, null],
    ['.5', 6, null],
    ['', 6, null],
  ])('%j with %d decimals is %s units', (text, decimals, units) => {
    expect(toUnits(text, decimals)).toBe(units);
  });

  it.each([
    [1_500_000_000_000_000_000n, 18, '1.5'],
    [1n, 6, '0.000001'],
    [0n, 6, '0'],
    [12n, 0, '12'],
    [-15n, 1, '-1.5'],
  ])('%d units with %d decimals are %s', (units, decimals, text) => {
    expect(fromUnits(units, decimals)).toBe(text);
  });
});

describe('the history of payments', () => {
  it('is read page by page to its end', async () => {
    const pages = [[1, 2], [3, 4], [5]];
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(new URL(String(input)).search);
      return Response.json(pages.shift());
    };
    const read: unknown[] = [];
    for await (const record of paymentHistory('http://node', { fetch, pageSize: 2 }))
      read.push(record);
    expect(read).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([0, 2, 4].map((offset) => `?limit=2&offset=${offset}`));
  });

  it('is refused in the words of the node', async () => {
    const fetch: typeof globalThis.fetch = async () => refused(401, { code: 'unauthorized' });
    const reading = paymentHistory('http://node', { fetch }).next();
    await expect(reading).rejects.toThrow(/401.*why/);
  });
});
