import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import { createGate } from '../../../src/http/gate.ts';
import { until } from '../../support/until.ts';
import { appWith, call } from './client.ts';
import { channelView, PARTNER, paymentResult, TOKEN } from './fake-node.ts';

const PAYMENT = { method: 'POST', path: `/payments/${TOKEN}/${PARTNER}` };

/** An application whose payments stay open until they are let go, in any order. */
function slowApp(options: ApiOptions = {}) {
  const open = new Map<bigint, () => void>();
  const started: bigint[] = [];
  const app = appWith(
    {
      pay: (request) =>
        new Promise((resolve) => {
          started.push(request.amount);
          open.set(request.amount, () => resolve({ ok: true, value: paymentResult(request) }));
        }),
      channel: () => {
        started.push(0n);
        return channelView();
      },
    },
    options,
  );
  const pay = (amount: number, signal?: AbortSignal) =>
    call(app, { ...PAYMENT, json: { amount }, ...(signal === undefined ? {} : { signal }) });
  async function finish(amount: number): Promise<void> {
    await until(() => open.has(BigInt(amount)), `payment of ${amount} to start`);
    open.get(BigInt(amount))?.();
  }
  return { app, pay, finish, started };
}

describe('calls', () => {
  it('that only ask are answered beside the others, when the operator wants it', async () => {
    const { app, pay, finish, started } = slowApp({ concurrentReads: true });
    const paying = pay(1);
    const waiting = pay(2);
    expect((await call(app, { path: `/channels/${TOKEN}/${PARTNER}` })).status).toBe(200);
    expect(started).not.toContain(2n);
    await finish(1);
    await finish(2);
    expect([(await paying).status, (await waiting).status]).toEqual([200, 200]);
  });

  it('are handled one at a time, in order of arrival, with their own arguments', async () => {
    const { pay, finish, started } = slowApp();
    const answers = [pay(1), pay(2), pay(3)];
    for (const amount of [1, 2, 3]) {
      await finish(amount);
      expect(started).toHaveLength(amount);
      expect(await answers[amount - 1]).toMatchObject({
        status: 200,
        body: { amount: String(amount) },
      });
    }
    expect(started).toEqual([1n, 2n, 3n]);
  });

  it('wait even when they only read', async () => {
    const { app, pay, finish, started } = slowApp();
    const payment = pay(1);
    await until(() => started.length === 1);
    const read = call(app, { path: `/channels/${TOKEN}/${PARTNER}` });
    await call(app, { path: '/status' });
    expect(started).toEqual([1n]);
    await finish(1);
    expect([(await payment).status, (await read).status]).toEqual([200, 200]);
    expect(started).not.toContain(2n);
  });

  it('overlap when the concurrency is larger, up to that number', async () => {
    const { pay, finish, started } = slowApp({ apiConcurrency: 2 });
    const answers = [pay(1), pay(2), pay(3)];
    await until(() => started.length === 2);
    await finish(2);
    expect((await answers[1])?.status).toBe(200);
    await finish(3);
    await finish(1);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('are answered at once when they are refused before the node is asked', async () => {
    const { app, pay, finish, started } = slowApp();
    const payment = pay(1);
    await until(() => started.length === 1);
    const early: [string, number][] = [
      ['/status', 200],
      ['/nothing', 404],
      ['/shutdown', 405],
      ['/payments?limit=x', 400],
    ];
    for (const [path, status] of early) expect((await call(app, { path })).status).toBe(status);
    await finish(1);
    await payment;
  });

  it('beyond the queue limit are answered 503 with Retry-After', async () => {
    const { pay, finish } = slowApp({ queueLimit: 2 });
    const answers = [pay(1), pay(2), pay(3), pay(4)];
    const refused = await answers[3];
    expect(refused).toMatchObject({ status: 503, body: { errors: expect.any(String) } });
    expect(refused?.headers.get('retry-after')).toBe('5');
    for (const amount of [1, 2, 3]) await finish(amount);
    const all = await Promise.all(answers);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
  });

  it('of a client that left while they waited are not made', async () => {
    const { pay, finish, started } = slowApp();
    const client = new AbortController();
    const answers = [pay(1), pay(2, client.signal), pay(3)];
    await until(() => started.length === 1);
    client.abort();
    await finish(1);
    await finish(3);
    await Promise.all(answers);
    expect(started).toEqual([1n, 3n]);
  });

  it('of a client that left while they were handled run on and hold their turn', async () => {
    const { pay, finish, started } = slowApp();
    const client = new AbortController();
    const answers = [pay(1, client.signal), pay(2)];
    await until(() => started.length === 1);
    client.abort();
    expect(started).toEqual([1n]);
    await finish(1);
    await finish(2);
    expect((await answers[1])?.status).toBe(200);
  });

  it('that wait are sent away with 503 when the node shuts down', async () => {
    const { app, pay, finish, started } = slowApp();
    const [first, second] = [pay(1), pay(2)];
    await until(() => started.length === 1);
    expect((await call(app, { method: 'POST', path: '/shutdown' })).status).toBe(200);
    expect((await second).status).toBe(503);
    await finish(1);
    expect((await first).status).toBe(200);
    expect(started).toEqual([1n]);
  });
});

describe('the gate', () => {
  it('keeps ten thousand waiting in order', async () => {
    const gate = createGate({ concurrency: 1, limit: 10_000 });
    expect(gate.tryEnter()).toBe(true);
    const order: number[] = [];
    const turns = Array.from({ length: 10_000 }, async (_, place) => {
      const turn = await gate.wait(new AbortController().signal);
      order.push(place);
      gate.leave();
      return turn;
    });
    expect(gate.waiting()).toBe(10_000);
    expect(await gate.wait(new AbortController().signal)).toBe('full');
    gate.leave();
    expect(new Set(await Promise.all(turns))).toEqual(new Set(['turn']));
    expect(order).toEqual(Array.from({ length: 10_000 }, (_, place) => place));
    expect(gate.tryEnter()).toBe(true);
  });

  it('lets nobody overtake those who wait', async () => {
    const gate = createGate({ concurrency: 1, limit: 5 });
    gate.tryEnter();
    const waiting = gate.wait(new AbortController().signal);
    gate.leave();
    expect(gate.tryEnter()).toBe(false);
    expect(await waiting).toBe('turn');
  });

  it('gives no place to a client that has left already', async () => {
    const gate = createGate({ concurrency: 1, limit: 5 });
    gate.tryEnter();
    expect(await gate.wait(AbortSignal.abort())).toBe('gone');
    expect(gate.waiting()).toBe(0);
  });
});
