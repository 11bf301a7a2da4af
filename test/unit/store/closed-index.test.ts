import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Hash, toHex } from '../../../src/basics/hex.ts';
import type { CallRow, RedemptionRow } from '../../../src/store/base/batch.ts';
import { KEEP_ALL } from '../../../src/store/history/sweep.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchOf, hash, openedStore, temporaryFolder } from '../../support/store.ts';

/** So many that two parts are closed, and some are left. */
const ROWS = 5_000;
const A_COMMIT = 50;
const numbers = Array.from({ length: ROWS }, (_, n) => n);
const digest = (n: number): Hash => toHex(createHash('sha256').update(`${n}`).digest());

const callOf = (n: number): CallRow => ({
  caller: hash(n % 2),
  key: digest(n),
  content: hash(1),
  request: `r${n}`,
  paymentId: BigInt(n),
});
const redemptionOf = (n: number): RedemptionRow => {
  return { secrethash: digest(n), paymentId: BigInt(n), request: `r${n}`, received: n };
};

function fill(store: Store): void {
  for (let from = 0; from < ROWS; from += A_COMMIT) {
    const some = numbers.slice(from, from + A_COMMIT);
    const calls = some.map(callOf);
    const callsEnded = calls.map(({ caller, key, request: answer }) => ({ caller, key, answer }));
    store.commit(batchOf({ time: from, calls, callsEnded, redemptions: some.map(redemptionOf) }));
  }
}

/** The numbers that are found. */
const callsIn = (store: Store) =>
  numbers.filter((n) => store.findCall(callOf(n))?.answer === `r${n}`);
const redeemedIn = (store: Store) =>
  numbers.filter((n) => store.findRedemption(digest(n))?.request === `r${n}`);

describe('calls and redemptions', () => {
  it('are found however many came after them, over a restart too, and no key is taken twice', () => {
    const url = `file:${join(temporaryFolder(), 'node.db')}`;
    const store = openedStore({ url });
    fill(store);
    expect(callsIn(store)).toEqual(numbers);
    expect(redeemedIn(store)).toEqual(numbers);
    store.close();
    const again = openedStore({ url });
    expect(callsIn(again)).toEqual(numbers);
    expect(redeemedIn(again)).toEqual(numbers);
    expect(again.findCall({ ...callOf(3), caller: hash(9) })).toBeNull();
    expect(again.countCalls(hash(1))).toBe(ROWS / 2);
    again.commit(batchOf({ redemptions: [{ ...redemptionOf(7), request: null }] }));
    expect(again.findRedemption(digest(7))).toBeNull();
    expect(() => again.commit(batchOf({ calls: [callOf(3)] }))).toThrow(/has a call/);
  });

  it('are deleted when they are old, and their keys with the last of them', () => {
    const store = openedStore();
    fill(store);
    const before = 4_500;
    while (store.sweep(2_048, { ...KEEP_ALL, callsFrom: before, redemptionsFrom: before }));
    const left = numbers.filter((n) => n >= before);
    expect(callsIn(store)).toEqual(left);
    expect(redeemedIn(store)).toEqual(left);
    store.commit(batchOf({ calls: [callOf(3)] }));
    expect(store.findCall(callOf(3))).toEqual({ ...callOf(3), answer: null });
  });
});
