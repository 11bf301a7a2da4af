import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import { type Arrival, createGate } from '../../../src/http/gate.ts';
import { createPlaces } from '../../../src/http/places.ts';
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
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
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
  const MINUTE_MS = 60_000;
  const ONE = {};
  /** A gate for one call at a time, with a clock that stands until it is set. */
  function gateFor({ patienceMs = MINUTE_MS, most = 10_000, atOnce = 1 } = {}) {
    let now = 0;
    const gate = createGate({
      isFree: (underWay) => underWay < atOnce,
      places: createPlaces(most),
      patienceMs,
      now: () => now,
    });
    const arrive = (parts: Partial<Arrival> = {}) =>
      gate.wait({ caller: ONE, since: now, gone: () => new AbortController().signal, ...parts });
    return {
      gate,
      arrive,
      /** The call under way takes so long. */
      take(ms: number) {
        now += ms;
        gate.leave();
      },
      pass(ms: number) {
        now += ms;
      },
    };
  }

  it('keeps ten thousand waiting in order', async () => {
    const { gate, arrive } = gateFor();
    expect(gate.tryEnter()).toBe(true);
    const order: number[] = [];
    const turns = Array.from({ length: 10_000 }, async (_, place) => {
      const turn = await arrive();
      order.push(place);
      gate.leave();
      return turn;
    });
    expect(gate.waiting()).toBe(10_000);
    expect(await arrive()).toMatchObject({ overload: 'no_place' });
    gate.leave();
    expect(new Set(await Promise.all(turns))).toEqual(new Set(['turn']));
    expect(order).toEqual(Array.from({ length: 10_000 }, (_, place) => place));
    expect(gate.tryEnter()).toBe(true);
  });

  it('lets nobody overtake those who wait', async () => {
    const { gate, arrive } = gateFor();
    gate.tryEnter();
    const waiting = arrive();
    gate.leave();
    expect(gate.tryEnter()).toBe(false);
    expect(await waiting).toBe('turn');
  });

  it('gives no place to a client that has left already', async () => {
    const { gate, arrive } = gateFor();
    gate.tryEnter();
    expect(await arrive({ gone: () => AbortSignal.abort() })).toBe('gone');
    expect(gate.waiting()).toBe(0);
  });

  it('takes as many as get their turn in time, at the pace of those before', async () => {
    const { gate, arrive, take } = gateFor({ patienceMs: 30_000 });
    for (let n = 0; n < 50; n++) {
      gate.tryEnter();
      take(100);
    }
    gate.tryEnter();
    const answers = Array.from({ length: 400 }, () => arrive());
    expect(gate.waiting()).toBe(300);
    expect(await answers[399]).toMatchObject({ overload: 'too_long' });
  });

  it('says after how long a call that is refused would get its turn', async () => {
    const { gate, arrive, take } = gateFor({ patienceMs: 30_000 });
    for (let n = 0; n < 100; n++) {
      gate.tryEnter();
      take(10_000);
    }
    gate.tryEnter();
    const answers = [arrive(), arrive(), arrive()];
    const refused = await arrive();
    expect(gate.waiting()).toBe(3);
    expect(refused).toMatchObject({ overload: 'too_long', ms: expect.closeTo(40_000, -2) });
    for (const _ of answers) take(9_000);
    expect(await Promise.all(answers)).toEqual(['turn', 'turn', 'turn']);
  });

  it('knows nothing at first, and keeps everybody waiting until the first turn has taken too long', async () => {
    const { gate, arrive, pass } = gateFor({ patienceMs: 30_000 });
    gate.tryEnter();
    void Array.from({ length: 5_000 }, () => arrive());
    expect(gate.waiting()).toBe(5_000);
    pass(30_001);
    expect(await arrive()).toMatchObject({ overload: 'too_long' });
  });

  it('is not held up for long by one call that took minutes', async () => {
    const { gate, arrive, take } = gateFor({ patienceMs: 30_000 });
    gate.tryEnter();
    take(180_000);
    gate.tryEnter();
    const few = Array.from({ length: 8 }, () => arrive());
    expect(gate.waiting()).toBe(8);
    for (let n = 0; n < 8; n++) take(10);
    expect(await Promise.all(few)).toEqual(Array(8).fill('turn'));
    for (let n = 0; n < 100; n++) {
      take(10);
      gate.tryEnter();
    }
    for (let n = 0; n < 1_000; n++) void arrive();
    expect(gate.waiting()).toBe(1_000);
  });

  it('counts turns that end together as one after the other', async () => {
    const { gate, arrive, take } = gateFor({ patienceMs: 30_000, atOnce: 60 });
    for (let n = 0; n < 60; n++) gate.tryEnter();
    void Array.from({ length: 240 }, () => arrive());
    // A commit that takes a second, and sixty calls end with it.
    for (let n = 0; n < 60; n++) take(n === 0 ? 1_000 : 0);
    void Array.from({ length: 3_000 }, () => arrive());
    expect(gate.waiting()).toBeGreaterThan(1_500);
    expect(gate.waiting()).toBeLessThan(2_200);
  });

  it('begins no call that has waited too long, though its turn comes', async () => {
    const { gate, arrive, take } = gateFor({ patienceMs: 30_000 });
    gate.tryEnter();
    const old = arrive();
    take(30_000);
    expect(await old).toMatchObject({ overload: 'waited' });
    expect(gate.underWay()).toBe(0);
  });

  it('counts the time since a call arrived, wherever it waited', async () => {
    const { gate, arrive, take, pass } = gateFor({ patienceMs: 30_000 });
    gate.tryEnter();
    pass(20_000);
    expect(await arrive({ since: 0 })).toMatchObject({ overload: 'too_long' });
    const waiting = arrive({ since: 19_000 });
    take(1_000);
    expect(await waiting).toBe('turn');
  });
});
