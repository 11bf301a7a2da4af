/**
 * One side of a channel, and what follows from both sides. Amounts in the token's smallest unit.
 *
 * `transferred` only grows; `locked` is the sum of `locks`, which are kept in order of insertion because their
 * locksroot depends on it.
 */
import * as v from 'valibot';
import { MAX_UINT256 } from '../../basics/amount.ts';
import type { Hash } from '../../basics/hex.ts';
import { list, uint } from '../shapes.ts';
import { type Lock, lockShape, locksroot } from './lock.ts';

/**
 * A withdraw that may be executed on chain in any block before `expiration`; `totalWithdraw` is the sum of all
 * withdraws up to it.
 */
export const pendingWithdraw = v.object({ totalWithdraw: uint, expiration: uint });
export type PendingWithdraw = v.InferOutput<typeof pendingWithdraw>;

export const channelEnd = v.object({
  deposit: uint,
  /** Taken out on chain. */
  withdrawn: uint,
  /** What this side may still take out by a consent of both; the totals grow. */
  withdraws: list(pendingWithdraw),
  transferred: uint,
  locked: uint,
  locks: list(lockShape),
  /**
   * For our own side the nonce of the last message that was signed with one; for the partner's side that of its last
   * balance proof, since the nonce of a withdraw message is not signed. 0 when there is none.
   */
  nonce: uint,
});
export type ChannelEnd = v.InferOutput<typeof channelEnd>;

export const EMPTY_END: ChannelEnd = {
  deposit: 0n,
  withdrawn: 0n,
  withdraws: [],
  transferred: 0n,
  locked: 0n,
  locks: [],
  nonce: 0n,
};

/** What this side has taken out or may still take out: it cannot be promised to anybody. */
export function totalWithdraw(end: ChannelEnd): bigint {
  const largest = end.withdraws.at(-1)?.totalWithdraw ?? 0n;
  return largest > end.withdrawn ? largest : end.withdrawn;
}

/** What belongs to `side`, including its own pending locks. */
export function balance(side: ChannelEnd, other: ChannelEnd): bigint {
  return side.deposit - totalWithdraw(side) - side.transferred + other.transferred;
}

/** What `side` can lock now. */
export function distributable(side: ChannelEnd, other: ChannelEnd): bigint {
  const free = balance(side, other) - side.locked;
  const headroom = MAX_UINT256 - side.transferred - side.locked;
  return free < headroom ? free : headroom;
}

export function findLock(end: ChannelEnd, secrethash: Hash): Lock | undefined {
  return end.locks.find((lock) => lock.secrethash === secrethash);
}

/** `end` with one more lock. It has another nonce only when it signs that. */
export function withLock(end: ChannelEnd, lock: Lock): ChannelEnd {
  return { ...end, locks: [...end.locks, lock], locked: end.locked + lock.amount };
}

/** `end` when the lock was paid. */
export function withUnlocked(end: ChannelEnd, lock: Lock): ChannelEnd {
  const removed = withoutLock(end, lock);
  return { ...removed, transferred: end.transferred + lock.amount };
}

/** `end` when the lock is void. */
export function withoutLock(end: ChannelEnd, lock: Lock): ChannelEnd {
  return {
    ...end,
    locks: end.locks.filter(({ secrethash }) => secrethash !== lock.secrethash),
    locked: end.locked - lock.amount,
  };
}

/** `end` with one more withdraw that both may agree to; its total is larger than any before. */
export function withWithdraw(end: ChannelEnd, withdraw: PendingWithdraw): ChannelEnd {
  return { ...end, withdraws: [...end.withdraws, withdraw] };
}

/** `end` when the consent to this total can no longer be used. */
export function withoutWithdraw(end: ChannelEnd, { totalWithdraw }: PendingWithdraw): ChannelEnd {
  const withdraws = end.withdraws.filter((pending) => pending.totalWithdraw !== totalWithdraw);
  return { ...end, withdraws };
}

/** `end` of a channel that is closed: the contract pays out no withdraw any more. */
export function withoutWithdraws(end: ChannelEnd): ChannelEnd {
  return end.withdraws.length === 0 ? end : { ...end, withdraws: [] };
}

/** `end` once the chain has told how much it has taken out: consents to less are void. */
export function withWithdrawn(end: ChannelEnd, total: bigint): ChannelEnd {
  const withdrawn = total > end.withdrawn ? total : end.withdrawn;
  const withdraws = end.withdraws.filter((pending) => pending.totalWithdraw > withdrawn);
  return { ...end, withdrawn, withdraws };
}

/** The amounts that a balance proof of this side carries. */
export function proofAmounts(end: ChannelEnd) {
  return {
    nonce: end.nonce,
    transferredAmount: end.transferred,
    lockedAmount: end.locked,
    locksroot: locksroot(end.locks),
  };
}

/** Throws when a step would lend money or lose it: a bug that has to be noticed before anything is written. */
export function assertSound(own: ChannelEnd, partner: ChannelEnd): void {
  for (const [side, other] of [
    [own, partner],
    [partner, own],
  ] as const) {
    const sum = side.locks.reduce((total, { amount }) => total + amount, 0n);
    if (sum !== side.locked) throw new Error('channel: locked amount differs from its locks');
    const totals = [side.withdrawn, ...side.withdraws.map((pending) => pending.totalWithdraw)];
    if (totals.some((total, n) => n > 0 && total <= (totals[n - 1] ?? 0n)))
      throw new Error('channel: withdraws do not grow');
    if (balance(side, other) - side.locked < 0n) throw new Error('channel: negative balance');
    if (side.transferred + side.locked > MAX_UINT256) throw new Error('channel: amount overflow');
  }
}
