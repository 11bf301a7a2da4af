import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import {
  assertSound,
  balance,
  type ChannelEnd,
  distributable,
  EMPTY_END,
  findLock,
  proofAmounts,
  totalWithdraw,
  withLock,
  withoutLock,
  withoutWithdraw,
  withoutWithdraws,
  withUnlocked,
  withWithdraw,
  withWithdrawn,
} from '../../../src/protocol/channel/channel-end.ts';
import { locksroot } from '../../../src/protocol/channel/lock.ts';
import { EXPIRATION, hashOf } from '../../support/makers.ts';

const side = (parts: Partial<ChannelEnd> = {}): ChannelEnd => ({
  ...EMPTY_END,
  deposit: 100n,
  ...parts,
});
const lockOf = (n: number, amount: bigint) => ({
  amount,
  expiration: EXPIRATION,
  secrethash: hashOf(n),
});
const withdraws = (...totals: bigint[]) =>
  totals.map((total) => ({ totalWithdraw: total, expiration: EXPIRATION }));

describe('a step that would lend or lose money', () => {
  it.each<[string, Partial<ChannelEnd>, string]>([
    ['locks more than its locks are worth', { locked: 11n, locks: [lockOf(1, 10n)] }, 'differs'],
    ['locks less than its locks are worth', { locked: 9n, locks: [lockOf(1, 10n)] }, 'differs'],
    ['has locked without a lock', { locked: 1n }, 'differs'],
    ['promises the same total twice', { withdraws: withdraws(5n, 5n) }, 'do not grow'],
    ['promises a smaller total after a larger one', { withdraws: withdraws(5n, 4n) }, 'not grow'],
    ['promises what was taken out', { withdrawn: 5n, withdraws: withdraws(5n) }, 'do not grow'],
    ['pays more than it has', { transferred: 101n }, 'negative balance'],
    ['locks more than it has', { locked: 101n, locks: [lockOf(1, 101n)] }, 'negative balance'],
    ['takes out more than it has', { withdraws: withdraws(101n) }, 'negative balance'],
  ])('is stopped on either side: one that %s', (_, parts, why) => {
    expect(() => assertSound(side(parts), side())).toThrow(why);
    expect(() => assertSound(side(), side(parts))).toThrow(why);
  });

  it('is stopped where the sum of all that was ever sent would leave 256 bits', () => {
    const sent = { transferred: MAX_UINT256 - 10n };
    const fits = side({ ...sent, locked: 10n, locks: [lockOf(1, 10n)] });
    const over = side({ ...sent, locked: 11n, locks: [lockOf(1, 11n)] });
    expect(() => assertSound(fits, side(sent))).not.toThrow();
    expect(() => assertSound(over, side(sent))).toThrow('overflow');
  });

  it('is none that uses up exactly what there is', () => {
    const locks = [lockOf(1, 30n), lockOf(2, 20n)];
    const full = side({
      withdrawn: 5n,
      withdraws: withdraws(6n, 10n),
      transferred: 40n,
      locked: 50n,
      locks,
    });
    expect(() => assertSound(full, side())).not.toThrow();
    expect(distributable(full, side())).toBe(0n);
  });
});

describe('what a side can lock', () => {
  it('is at most what keeps the sum of all that it ever sent within 256 bits', () => {
    const sent = { transferred: MAX_UINT256 - 10n };
    const payer = side({ ...sent, locked: 4n, locks: [lockOf(1, 4n)] });
    expect(distributable(payer, side(sent))).toBe(6n);
  });

  it('is no more than it has, however much was sent', () => {
    const payer = side({ transferred: MAX_UINT256 - 200n, locked: 4n, locks: [lockOf(1, 4n)] });
    expect(distributable(payer, side({ transferred: MAX_UINT256 - 200n }))).toBe(96n);
  });
});

describe('a lock of a side', () => {
  const [first, second] = [lockOf(1, 10n), lockOf(2, 5n)];
  const both = () => withLock(withLock(side({ nonce: 3n, transferred: 7n }), first), second);

  it('is pending from the change that brings it on, which is signed later', () => {
    expect(both()).toEqual(
      side({ nonce: 3n, transferred: 7n, locked: 15n, locks: [first, second] }),
    );
    expect([findLock(both(), hashOf(2)), findLock(both(), hashOf(3))]).toEqual([second, undefined]);
  });

  it('is paid by a change, or void, while the others stay', () => {
    const rest = side({ nonce: 3n, transferred: 7n, locked: 5n, locks: [second] });
    expect(withoutLock(both(), first)).toEqual(rest);
    expect(withUnlocked(both(), first)).toEqual({ ...rest, transferred: 17n });
  });

  it('is in the amounts of the balance proof', () => {
    expect(proofAmounts(both())).toEqual({
      nonce: 3n,
      transferredAmount: 7n,
      lockedAmount: 15n,
      locksroot: locksroot([first, second]),
    });
  });
});

describe('what a side may take out', () => {
  const end = side({ withdrawn: 5n, withdraws: withdraws(20n, 30n) });

  it('counts with the largest total that both have agreed to', () => {
    expect(totalWithdraw(end)).toBe(30n);
    expect(balance(end, side())).toBe(70n);
  });

  it('counts with what it has taken out when that is more', () => {
    expect(totalWithdraw(side({ withdrawn: 40n, withdraws: withdraws(30n) }))).toBe(40n);
    expect(totalWithdraw(side({ withdrawn: 5n }))).toBe(5n);
    expect(totalWithdraw(side())).toBe(0n);
  });

  it('is no more than the chain has not paid out yet', () => {
    expect(withWithdrawn(end, 20n)).toMatchObject({ withdrawn: 20n, withdraws: withdraws(30n) });
    expect(withWithdrawn(end, 30n)).toMatchObject({ withdrawn: 30n, withdraws: [] });
    expect(withWithdrawn(end, 4n)).toEqual(end);
  });

  it('grows with each withdraw that both have agreed to', () => {
    const [next] = withdraws(40n);
    if (next === undefined) throw new Error('one was made');
    expect(withWithdraw(end, next)).toEqual({ ...end, withdraws: withdraws(20n, 30n, 40n) });
  });

  it('ends with each withdraw by itself, or with the channel', () => {
    const [first, second] = end.withdraws;
    if (first === undefined || second === undefined) throw new Error('two withdraws are open');
    expect(withoutWithdraw(end, second).withdraws).toEqual([first]);
    expect(withoutWithdraws(end)).toEqual({ ...end, withdraws: [] });
  });
});
