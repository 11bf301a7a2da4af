import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import type { EarlierCall } from '../../../src/node/api/keyed.ts';
import type { KeyedCall } from '../../../src/store/base/batch.ts';
import { call } from './client.ts';
import { fakeNode, HASH, OWN, PARTNER, paymentResult, SECRET, TOKEN } from './fake-node.ts';

const PATH = `/payments/${TOKEN}/${PARTNER}`;
const pay = (key: string, amount = '1', headers: Record<string, string> = {}) => ({
  method: 'POST',
  path: PATH,
  json: { amount },
  headers: { 'idempotency-key': key, ...headers },
});
const PAID = paymentResult({
  token: TOKEN,
  target: PARTNER,
  amount: 1n,
  paymentId: 42n,
  lockTimeout: null,
  secret: null,
  secrethash: null,
  routes: null,
});
const earlier = (changes: Partial<EarlierCall> = {}): EarlierCall => ({
  isSame: true,
  paymentId: 42n,
  answer: async () => ({ ok: true, value: { kind: 'payment', payment: PAID } }),
  ...changes,
});

/** A node that notes the keys of the calls which reach it. */
function noting(changes: Parameters<typeof fakeNode>[0] = {}) {
  const keys: (KeyedCall | null | undefined)[] = [];
  const node = fakeNode({
    async pay(request, given) {
      keys.push(given?.keyed);
      return { ok: true, value: paymentResult(request) };
    },
    ...changes,
  });
  return { keys, app: createApp({ node }) };
}

describe('a call with a key', () => {
  it('reaches the node with digests of caller, key and content, and without a key with none', async () => {
    const { app, keys } = noting();
    await call(app, pay('order-1'));
    await call(app, pay('"order-1"'));
    await call(app, pay('order-1', '2'));
    await call(app, { method: 'POST', path: PATH, json: { amount: '1' } });
    const [first, quoted, other, none] = keys;
    expect(first).toMatchObject({ key: expect.stringMatching(/^0x[0-9a-f]{32}$/) });
    expect(quoted).toEqual(first);
    expect(other).toEqual({ ...first, content: expect.not.stringMatching(first?.content ?? '') });
    expect(none).toBeNull();
  });

  it('is the same however its content is written, and another for another caller', async () => {
    const keys: (KeyedCall | null | undefined)[] = [];
    const node = fakeNode({
      async pay(request, given) {
        keys.push(given?.keyed);
        return { ok: true, value: paymentResult(request) };
      },
    });
    const grant = { scope: 'pay', cap: null, budget: null } as const;
    const tokens = ['one-0123456789abc', 'two-0123456789abc'];
    const app = createApp({
      node,
      options: { tokens: tokens.map((token) => ({ token, ...grant })) },
    });
    const headers = (token?: string) => ({
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    });
    for (const raw of ['{"amount":"1","identifier":5}', '{ "identifier": "5", "amount": 1 }'])
      await call(app, { ...pay('k', '1', headers(tokens[0])), json: undefined, raw });
    await call(app, pay('k', '1', headers(tokens[1])));
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]?.key).toBe(keys[0]?.key);
    expect(keys[2]?.caller).not.toBe(keys[0]?.caller);
  });

  it.each([
    '',
    ' ',
    '"',
    '"a',
    '""',
    'a b',
    'a, a',
    '"a", "a"',
    'a\u00e9',
    'k'.repeat(256),
    `"${'k'.repeat(256)}"`,
  ])('is refused with 400 when its key is malformed: %j', async (key) => {
    const { app, keys } = noting();
    expect(await call(app, pay(key))).toMatchObject({
      status: 400,
      body: { code: 'invalid_key', outcome: 'not_begun' },
    });
    expect(keys).toEqual([]);
  });

  it.each(['k', 'k'.repeat(255), '"a b"', String.raw`"a\"b\\"`, '!~'])(
    'may have the key %j',
    async (key) => {
      expect(await call(noting().app, pay(key))).toMatchObject({ status: 200 });
    },
  );

  it('that was made before is answered what became of it, and not made again', async () => {
    const { app, keys } = noting({ earlierCall: () => earlier() });
    const { status, body } = await call(app, pay('k'));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        initiator_address: OWN,
        target_address: PARTNER,
        token_address: TOKEN,
        amount: '1',
        identifier: '42',
        secret: SECRET,
        secret_hash: PAID.secrethash,
      },
    });
    expect(keys).toEqual([]);
  });

  it('that failed before is answered why, and that it is over', async () => {
    const failed = { ok: false, code: 'lock_expired', detail: '', outcome: 'failed' } as const;
    const { app } = noting({ earlierCall: () => earlier({ answer: async () => failed }) });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 409,
      body: { code: 'lock_expired', outcome: 'failed', identifier: '42' },
    });
  });

  it('is refused with 422 when the key had another content', async () => {
    const { app, keys } = noting({ earlierCall: () => earlier({ isSame: false }) });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 422,
      body: { code: 'key_reused', outcome: 'not_begun' },
    });
    expect(keys).toEqual([]);
  });

  it('is refused with 429 when the caller has too many keys', async () => {
    const { app, keys } = noting({ hasRoomForKey: () => false });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 429,
      body: { code: 'too_many_keys', outcome: 'not_begun' },
    });
    expect(keys).toEqual([]);
  });

  it('that comes twice at once is made once, and needs no turn to wait', async () => {
    let made = 0;
    let finish = () => {};
    const known: EarlierCall[] = [];
    const { app } = noting({
      earlierCall: () => known[0] ?? null,
      pay(request) {
        made += 1;
        return new Promise((resolve) => {
          finish = () => {
            known.push(earlier());
            resolve({ ok: true, value: paymentResult(request) });
          };
        });
      },
    });
    const both = [call(app, pay('k')), call(app, pay('k')), call(app, pay('k', '2'))];
    expect(await both[2]).toMatchObject({ status: 422 });
    finish();
    expect(await Promise.all(both.slice(0, 2))).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(made).toBe(1);
  });

  it('that was refused before it began is judged anew', async () => {
    const answers = [{ ok: false, code: 'no_route', detail: '' } as const];
    const { app } = noting({
      pay: async (request) => answers.shift() ?? { ok: true, value: paymentResult(request) },
    });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 409,
      body: { outcome: 'not_begun' },
    });
    expect(await call(app, pay('k'))).toMatchObject({ status: 200 });
  });

  it('does not say that nothing has begun when an earlier one with its key has', async () => {
    const { app } = noting({
      status: () => ({ status: 'syncing', blocksToSync: 3n }),
      earlierCall: () => earlier(),
    });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 503,
      body: { code: 'syncing', outcome: 'pending' },
    });
    const gone = noting({
      status: () => ({ status: 'syncing', blocksToSync: 3n }),
      earlierCall() {
        throw new Error('the database is closed');
      },
    });
    expect(await call(gone.app, pay('k'))).toMatchObject({ body: { outcome: 'pending' } });
  });

  it('is not answered what only this machine knows', async () => {
    const { app } = noting({
      earlierCall: () => earlier(),
      acknowledged: async () => false,
    });
    expect(await call(app, pay('k'))).toMatchObject({
      status: 503,
      body: { code: 'replica_unavailable', outcome: 'pending', identifier: '42' },
    });
  });

  it.each<[string, string, unknown, Partial<Parameters<typeof fakeNode>[0]>]>([
    ['PUT', `/tokens/${TOKEN}`, undefined, {}],
    ['POST', '/user_deposit', { total_deposit: '5' }, {}],
  ])('may be a %s %s', async (method, path, json) => {
    const transaction = { kind: 'transaction', transactionHash: HASH } as const;
    const { app } = noting({
      earlierCall: () => earlier({ answer: async () => ({ ok: true, value: transaction }) }),
    });
    const asked = { method, path, json, headers: { 'idempotency-key': 'k' } };
    expect((await call(app, asked)).body).toEqual({ transaction_hash: HASH });
  });
});

describe('an answer that is no success', () => {
  it('of a call that only asks says nothing of what may happen', async () => {
    const { body } = await call(noting().app, { path: '/channels/wrong' });
    expect(body).not.toHaveProperty('outcome');
  });

  it('of a payment that was begun names it, whether it is over or not', async () => {
    for (const outcome of ['pending', 'failed'] as const) {
      const { app } = noting({
        async pay(_, given) {
          if (given !== undefined) given.begun = { paymentId: 9n };
          return { ok: false, code: 'shutting_down', outcome };
        },
      });
      const { body } = await call(app, { method: 'POST', path: PATH, json: { amount: '1' } });
      expect(body).toMatchObject({ outcome, identifier: '9' });
    }
  });

  it('is told in headers where the body is fixed', async () => {
    const { app } = noting({
      async pay(_, given) {
        if (given !== undefined) given.begun = { paymentId: 9n };
        throw new Error('the disk is full');
      },
    });
    const { status, headers } = await call(app, pay('k'));
    expect([status, headers.get('sluice-outcome'), headers.get('sluice-identifier')]).toEqual([
      500,
      'pending',
      '9',
    ]);
  });
});
