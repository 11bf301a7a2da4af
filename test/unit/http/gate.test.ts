import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import { type Arrival, createGate, type NoTurn, type Turn } from '../../../src/http/queue/gate.ts';
import { createPlaces } from '../../../src/http/queue/places.ts';
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

const ONE = {};
const PAY = { kind: 'pay' };
const READ = { kind: 'read' };
const OPEN = { kind: 'open' };

/** A gate whose clock stands until it is set. */
function gateFor({ patienceMs = 30_000, most = 10_000, atOnce = 1 } = {}) {
  let now = 0;
  const gate = createGate({
    isFree: (underWay) => underWay < atOnce,
    places: createPlaces(most),
    patienceMs,
    now: () => now,
  });
  const underWay: Turn[] = [];
  const refused: NoTurn[] = [];
  const begun: number[] = [];
  let arrived = 0;

  /** A call that comes; what becomes of it is noted. */
  function arrive(parts: Partial<Arrival> = {}): void {
    const number = arrived++;
    const call = { caller: ONE, kind: 'pay', since: now, gone: () => new AbortController().signal };
    void gate.enter({ ...call, ...parts }).then((turn) => {
      if (typeof turn !== 'object' || !('leave' in turn)) return refused.push(turn);
      begun.push(number);
      return underWay.push(turn);
    });
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    gate,
    refused,
    begun,
    settle,
    arrive,
    arrivals: (many: number, parts: Partial<Arrival> = {}) => {
      for (let n = 0; n < many; n++) arrive(parts);
      return settle();
    },
    pass(ms: number) {
      now += ms;
    },
    /** So many calls one after the other end, each after so many milliseconds. */
    async end(many: number, ms: number) {
      for (let n = 0; n < many; n++) {
        now += ms;
        underWay.shift()?.leave();
        await settle();
      }
    },
  };
}

describe('the gate', () => {
  it('keeps ten thousand waiting in order', async () => {
    const { gate, arrivals, begun, end, refused } = gateFor();
    await arrivals(10_002);
    expect(gate.waiting()).toBe(10_000);
    expect(refused).toMatchObject([{ overload: 'no_place' }]);
    await end(10_001, 0);
    expect(begun).toEqual(Array.from({ length: 10_001 }, (_, place) => place));
    expect(gate.underWay()).toBe(0);
  });

  it('lets nobody overtake those who wait', async () => {
    const { gate, arrivals, begun } = gateFor();
    const first = gate.tryEnter(PAY);
    const waiting = arrivals(1);
    first?.leave();
    expect(gate.tryEnter(PAY)).toBeNull();
    await waiting;
    expect(begun).toEqual([0]);
  });

  it('gives no place to a client that has left already', async () => {
    const { gate, arrivals, refused } = gateFor();
    gate.tryEnter(PAY);
    await arrivals(1, { gone: () => AbortSignal.abort() });
    expect(refused).toEqual(['gone']);
    expect(gate.waiting()).toBe(0);
  });

  it('takes as many as get their turn in time, as long as those before them took', async () => {
    const { gate, arrivals, end, refused } = gateFor();
    for (let n = 0; n < 20; n++) {
      await arrivals(1);
      await end(1, 100);
    }
    await arrivals(400);
    expect(gate.waiting()).toBe(299);
    expect(refused.at(-1)).toMatchObject({ overload: 'too_long', ms: expect.closeTo(30_000, 0) });
  });

  it('counts on as many at a time as are under way', async () => {
    const { gate, arrivals, end } = gateFor({ atOnce: 50 });
    await arrivals(50);
    await end(1, 1_000);
    await end(49, 0);
    await arrivals(2_000);
    expect(gate.waiting()).toBe(1_499);
  });

  it('says after how long a call that is refused would get its turn', async () => {
    const { arrivals, end, refused, gate } = gateFor();
    await arrivals(1);
    await end(1, 10_000);
    await arrivals(5);
    expect(gate.waiting()).toBe(2);
    expect(refused).toMatchObject([
      { overload: 'too_long', ms: 30_000 },
      { overload: 'too_long', ms: 30_000 },
    ]);
  });

  it('knows nothing at first, and refuses once the first call has taken too long', async () => {
    const { gate, arrivals, pass, refused } = gateFor();
    await arrivals(5_001);
    expect(gate.waiting()).toBe(5_000);
    pass(30_001);
    await arrivals(1);
    expect(refused).toMatchObject([{ overload: 'too_long' }]);
  });

  it('expects of the others of a new kind what the first has taken until now', async () => {
    const { gate, arrivals, pass } = gateFor();
    await arrivals(1);
    pass(100);
    await arrivals(100);
    // Of queries nothing is known yet.
    await arrivals(1_000, READ);
    expect(gate.waiting()).toBe(1_100);
    await arrivals(1_000);
    expect(gate.waiting()).toBe(1_299);
  });

  it('refuses calls behind one that is known to take minutes, and many others once it is over', async () => {
    const { gate, arrivals, end, refused } = gateFor();
    await arrivals(1, OPEN);
    await end(1, 180_000);
    await arrivals(1, OPEN);
    await arrivals(1, READ);
    expect(refused).toMatchObject([{ overload: 'too_long', ms: 60_000 }]);
    await end(1, 180_000);
    await arrivals(1, READ);
    await end(1, 1);
    await arrivals(2_001, READ);
    expect(gate.waiting()).toBe(2_000);
  });

  it('does not expect of all calls what one of them took', async () => {
    const { gate, arrivals, end } = gateFor();
    for (const ms of [5, 5, 5, 5, 600_000, ...Array(40).fill(5)]) {
      await arrivals(1);
      await end(1, ms);
    }
    await arrivals(501);
    expect(gate.waiting()).toBe(500);
  });

  it('begins no call that has waited too long, though its turn comes', async () => {
    const { gate, arrivals, end, refused, begun } = gateFor();
    await arrivals(2);
    await end(1, 30_000);
    expect([begun, refused]).toMatchObject([[0], [{ overload: 'waited' }]]);
    expect(gate.underWay()).toBe(0);
  });

  it('counts the time since a call arrived, wherever it waited', async () => {
    const { arrivals, pass, end, refused, begun } = gateFor();
    await arrivals(1);
    pass(15_000);
    await arrivals(1, { since: 0 });
    await arrivals(1, { since: 1 });
    await end(1, 1_000);
    expect([begun, refused]).toMatchObject([[0, 2], [{ overload: 'too_long' }]]);
  });
});
