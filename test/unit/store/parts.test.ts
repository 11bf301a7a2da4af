import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import type { RecordPayment } from '../../../machines/effects.ts';
import { KEEP_ALL } from '../../../src/store/history/sweep.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  ALICE,
  BOB,
  batchOf,
  hash,
  openedStore,
  TOKEN,
  temporaryFolder,
} from '../../support/store.ts';

/** So many that two parts are closed, and some are left. */
const PAYMENTS = 5_000;
const A_COMMIT = 50;
const numbers = Array.from({ length: PAYMENTS }, (_, n) => n + 1);
/** A secrethash whose words all differ, as those of payments do. */
const hashOf = (n: number) => hash(BigInt(n) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251n);

function received(n: number): RecordPayment {
  return {
    type: 'record.paymentReceived',
    token: TOKEN,
    tokenNetwork: ALICE,
    initiator: n % 1_000 === 0 ? BOB : ALICE,
    amount: BigInt(n),
    paymentId: BigInt(n % 2_500),
    secrethash: hashOf(n),
    channel: `channel:${n % 3}`,
  };
}

function pay(store: Store, some: readonly number[] = numbers): void {
  for (let at = 0; at < some.length; at += A_COMMIT) {
    const now = some.slice(at, at + A_COMMIT);
    store.commit(
      batchOf({ time: now[0] ?? 0, block: BigInt(now[0] ?? 0), payments: now.map(received) }),
    );
  }
}

const filePath = () => join(temporaryFolder(), 'node.db');
const openAt = (path: string) => openedStore({ url: `file:${path}` });

/** One number that a query finds in the file. */
function numberIn(path: string, query: string): number {
  const client = new Libsql(path);
  const [found] = client.prepare(query).raw().all();
  client.close();
  return Number(found);
}

const ALL = { token: null, partner: null, offset: 0, limit: null };
const amountsIn = (slices: Iterable<{ amount?: bigint }[]>) =>
  [...slices].flat().map(({ amount }) => Number(amount));

function expectAll(store: Store): void {
  expect(store.paymentCount()).toBe(PAYMENTS);
  expect(numbers.filter((n) => !store.isSecrethashUsed(hashOf(n)))).toEqual([]);
  expect(store.isSecrethashUsed(hashOf(PAYMENTS + 1))).toBe(false);
  for (const n of [1, 2_047, 2_100, 4_097, PAYMENTS])
    expect(store.receivedPayment(hashOf(n))?.amount).toBe(BigInt(n));
  expect(amountsIn(store.payments({ ...ALL, partner: BOB }))).toEqual([
    1_000, 2_000, 3_000, 4_000, 5_000,
  ]);
  expect(amountsIn(store.payments({ ...ALL, paymentId: 7n }))).toEqual([7, 2_507]);
  expect(amountsIn(store.payments({ ...ALL, paymentId: 0n, partner: BOB, token: TOKEN }))).toEqual([
    5_000,
  ]);
  expect(amountsIn(store.payments({ ...ALL, offset: 4_990, limit: 3 }))).toEqual([
    4_991, 4_992, 4_993,
  ]);
  const carried = [...store.paymentsOf('channel:1', 2_000n)].flat().map(({ record }) => record);
  expect(carried.map(({ amount }) => Number(amount))).toEqual(
    numbers.filter((n) => n % 3 === 1 && n > 2_000),
  );
}

describe('the parts of a history', () => {
  it('are closed while payments end, and all payments are found as before, over a restart too', () => {
    const path = filePath();
    const store = openAt(path);
    pay(store);
    expectAll(store);
    store.close();
    expect(numberIn(path, 'SELECT count(*) FROM history_parts')).toBe(2);
    const again = openAt(path);
    expectAll(again);
    expect(again.feed.bounds()).toEqual({ oldest: 1, newest: PAYMENTS });
  });

  it('are closed at the same size whatever came before, though the process dies at each commit of it', () => {
    const path = filePath();
    for (let at = 0; at < PAYMENTS; at += A_COMMIT) {
      const store = openAt(path);
      pay(store, numbers.slice(at, at + A_COMMIT));
      store.close();
    }
    // Each start forgets how far a part was closed.
    expect(numberIn(path, 'SELECT count(*) FROM history_parts')).toBe(0);
    const store = openAt(path);
    expectAll(store);
    for (let n = 0; n < 8; n++) store.commit(batchOf({}));
    expectAll(store);
    expect(numberIn(path, 'SELECT rows FROM history_parts')).toBe(PAYMENTS);
  });

  it('remember the secrethashes of payments that left nothing else', () => {
    const path = filePath();
    const store = openAt(path);
    for (let at = 0; at < PAYMENTS; at += A_COMMIT)
      store.commit(
        batchOf({ ended: numbers.slice(at, at + A_COMMIT).map((n) => `mediator:${hashOf(n)}`) }),
      );
    const lost = (one: Store) => numbers.filter((n) => !one.isSecrethashUsed(hashOf(n)));
    expect(lost(store)).toEqual([]);
    store.close();
    expect(numberIn(path, 'SELECT count(*) FROM spent')).toBeLessThan(2_200);
    const again = openAt(path);
    expect(lost(again)).toEqual([]);
    expect(again.isSecrethashUsed(hashOf(0))).toBe(false);
    expect(again.paymentCount()).toBe(0);
  });

  it('are deleted with the last of their payments, but for the secrethashes', () => {
    const path = filePath();
    const store = openAt(path);
    pay(store);
    const history = { from: 4_500, now: 9_999 };
    while (store.sweep(1_024, { ...KEEP_ALL, history }));
    expect(amountsIn(store.payments(ALL))).toEqual(numbers.filter((n) => n > 4_500));
    expect(store.paymentCount()).toBe(500);
    expect(numbers.filter((n) => !store.isSecrethashUsed(hashOf(n)))).toEqual([]);
    expect(store.receivedPayment(hashOf(4))).toBeNull();
    expect(store.feed.after(0, PAYMENTS)).toHaveLength(PAYMENTS);
    store.close();
    expect(numberIn(path, 'SELECT count(*) FROM history_keys WHERE kind > 0')).toBe(0);
    const again = openAt(path);
    expect(again.paymentCount()).toBe(500);
    expect(numbers.filter((n) => !again.isSecrethashUsed(hashOf(n)))).toEqual([]);
    expect(amountsIn(again.payments({ ...ALL, partner: BOB }))).toEqual([5_000]);
  });

  it('lose single payments that are worth nothing, with what they are found by', () => {
    const path = filePath();
    const store = openAt(path);
    pay(store);
    const worthless = { from: 1_001, newest: 100, isMoney: () => false };
    while (store.sweep(1_024, { ...KEEP_ALL, worthless }));
    expect(store.paymentCount()).toBe(4_000);
    expect(amountsIn(store.payments({ ...ALL, partner: BOB }))).toEqual([
      2_000, 3_000, 4_000, 5_000,
    ]);
    expect(numbers.filter((n) => !store.isSecrethashUsed(hashOf(n)))).toEqual([]);
    store.close();
    expect(numberIn(path, 'SELECT count(*) FROM history_keys WHERE kind > 0 AND seq <= 1000')).toBe(
      0,
    );
    expect(openAt(path).paymentCount()).toBe(4_000);
  });
});
