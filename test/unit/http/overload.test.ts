/** More callers than the node can answer: each gets an answer, and none is kept waiting by another one's calls. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { type Answer, call } from './client.ts';
import { fakeNode, PARTNER, paymentResult, TOKEN } from './fake-node.ts';

const ALICE = 'a'.repeat(16);
const BOB = 'b'.repeat(16);
const everything = { scope: 'admin', cap: null, budget: null } as const;
const TWO_CALLERS = [ALICE, BOB].map((token) => ({ token, ...everything }));
const MOST_MS = 60_000;
const WHOLE_SECONDS = /^[1-9]\d{0,2}$/;

/** An application whose payments stay open until they are let go, in any order. */
function heldApp({ changes, ...options }: ApiOptions & { changes?: Partial<NodeApi> } = {}) {
  const open = new Map<bigint, () => void>();
  const started: bigint[] = [];
  const pay: NodeApi['pay'] = (request) =>
    new Promise((resolve) => {
      started.push(request.amount);
      open.set(request.amount, () => resolve({ ok: true, value: paymentResult(request) }));
    });
  const app = createApp({ node: fakeNode({ pay, ...changes }), options });
  const paying = (amount: number, token = ALICE, signal?: AbortSignal) =>
    call(app, {
      method: 'POST',
      path: `/payments/${TOKEN}/${PARTNER}`,
      json: { amount },
      headers: { authorization: `Bearer ${token}` },
      ...(signal === undefined ? {} : { signal }),
    });
  const read = () => call(app, { path: '/tokens', headers: { authorization: `Bearer ${ALICE}` } });
  async function finish(amount: number): Promise<void> {
    await until(() => open.has(BigInt(amount)), `payment of ${amount} to start`);
    open.get(BigInt(amount))?.();
  }
  const figure = async (line: string) =>
    Number(
      (
        await (
          await app.request('/metrics', { headers: { authorization: `Bearer ${ALICE}` } })
        ).text()
      )
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.split(' ')[1],
    );
  return { app, paying, read, finish, started, figure };
}

/** Waits for the condition without a timer: those of this file stand still. */
async function until(condition: () => boolean | Promise<boolean>, what = 'condition') {
  const begun = Date.now();
  while (!(await condition())) {
    if (Date.now() - begun > MOST_MS) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function expectRefused(answer: Answer | undefined): void {
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'too_many_calls', errors: expect.stringContaining('not begun') },
  });
  expect(answer?.headers.get('retry-after')).toMatch(WHOLE_SECONDS);
}

describe('a call that waits', () => {
  // Only the time that the queue measures stands still.
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('is answered 503 when its time is over, and is never begun', async () => {
    const { paying, finish, started, figure } = heldApp({ queueSeconds: 30 });
    const first = paying(1);
    await until(() => started.length === 1);
    const second = paying(2);
    await until(async () => (await figure('pcn_api_queue_depth')) === 1, 'the second waits');
    vi.advanceTimersByTime(30_000);
    expectRefused(await second);
    await finish(1);
    expect((await first).status).toBe(200);
    const next = paying(3);
    await finish(3);
    expect((await next).status).toBe(200);
    expect(started).toEqual([1n, 3n]);
    expect(await figure('pcn_api_refused_total{reason="waited"}')).toBe(1);
  });

  it('behind one that has been under way for longer than calls wait is answered 503 at once', async () => {
    const { paying, read, finish, started, figure } = heldApp({ queueSeconds: 30 });
    const first = paying(1);
    await until(() => started.length === 1);
    vi.advanceTimersByTime(41_000);
    const answers = await Promise.all([paying(2), paying(3), read()]);
    for (const answer of answers) {
      expectRefused(answer);
      expect(answer.headers.get('retry-after')).toBe('41');
    }
    expect(await figure('pcn_api_refused_total{reason="too_long"}')).toBe(3);
    expect(await figure('pcn_api_queue_depth')).toBe(0);
    await finish(1);
    expect((await first).status).toBe(200);
    expect((await read()).status).toBe(200);
  });
});

describe('a caller with many calls', () => {
  it('has one turn in two while another one waits as well', async () => {
    const { paying, finish, started, figure } = heldApp({ tokens: TWO_CALLERS });
    const of = { alice: [1, 2, 3, 4], bob: [11, 12] };
    const answers = of.alice.map((amount) => paying(amount));
    await until(() => started.length === 1);
    answers.push(...of.bob.map((amount) => paying(amount, BOB)));
    await until(async () => (await figure('pcn_api_queue_depth')) === 5, 'all others wait');
    for (const amount of [1, 2, 11, 3, 12, 4]) await finish(amount);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(started).toEqual([1n, 2n, 11n, 3n, 12n, 4n]);
  });

  it('may use every place while it is alone, and leaves the others theirs', async () => {
    const { paying, finish, started } = heldApp({ tokens: TWO_CALLERS, queueLimit: 4 });
    const first = paying(1);
    await until(() => started.length === 1);
    const many = [2, 3, 4, 5].map((amount) => paying(amount));
    expectRefused(await paying(6));
    const others = [11, 12].map((amount) => paying(amount, BOB));
    expectRefused(await paying(13, BOB));
    for (const amount of [1, 2, 11, 3, 12, 4, 5]) await finish(amount);
    const answers = await Promise.all([first, ...many, ...others]);
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
  });
});

describe('payments that share the locks of a channel', () => {
  /** The channel gives two locks at a time to the payments of this test. */
  const channel = { name: 'channel', hasLock: (underWay: number) => underWay < 2 };
  const twoLocks = { locksFor: () => channel };

  it('begin only as locks become free, while other calls go on', async () => {
    const { paying, read, finish, started, figure } = heldApp({
      apiConcurrency: 8,
      changes: twoLocks,
    });
    const answers = [1, 2, 3, 4].map((amount) => paying(amount));
    await until(async () => (await figure('pcn_api_queue_depth')) === 2, 'two payments wait');
    expect((await read()).status).toBe(200);
    expect(started).toEqual([1n, 2n]);
    for (const amount of [2, 1, 3, 4]) await finish(amount);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(started).toEqual([1n, 2n, 3n, 4n]);
  });

  it('are answered 503 when none becomes free in time, not begun', async () => {
    const { paying, finish, started } = heldApp({
      apiConcurrency: 8,
      queueSeconds: 0.05,
      changes: twoLocks,
    });
    const answers = [1, 2].map((amount) => paying(amount));
    await until(() => started.length === 2);
    expectRefused(await paying(3));
    for (const amount of [1, 2]) await finish(amount);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(started).toEqual([1n, 2n]);
  });

  it('are asked of the node when no call is under way whose end would give a lock', async () => {
    const none = { locksFor: () => ({ name: 'channel', hasLock: () => false }) };
    const { paying, finish } = heldApp({ apiConcurrency: 8, changes: none });
    const answer = paying(1);
    await finish(1);
    expect((await answer).status).toBe(200);
  });

  it('give their place up when their client leaves', async () => {
    const { paying, finish, started, figure } = heldApp({ apiConcurrency: 8, changes: twoLocks });
    const answers = [1, 2].map((amount) => paying(amount));
    await until(() => started.length === 2);
    const client = new AbortController();
    const left = paying(3, ALICE, client.signal);
    await until(async () => (await figure('pcn_api_queue_depth')) === 1, 'the payment waits');
    client.abort();
    await left;
    for (const amount of [1, 2]) await finish(amount);
    await Promise.all(answers);
    expect(started).toEqual([1n, 2n]);
  });

  it('are sent away with 503 when the node shuts down', async () => {
    const { app, paying, finish, started, figure } = heldApp({
      apiConcurrency: 8,
      changes: twoLocks,
    });
    const answers = [1, 2].map((amount) => paying(amount));
    await until(() => started.length === 2);
    const waiting = paying(3);
    await until(async () => (await figure('pcn_api_queue_depth')) === 1, 'the payment waits');
    await call(app, { method: 'POST', path: '/shutdown' });
    expect(await waiting).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
    for (const amount of [1, 2]) await finish(amount);
    await Promise.all(answers);
    expect(started).toEqual([1n, 2n]);
  });
});
