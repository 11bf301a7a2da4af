/** A pending transfer inside a channel: whoever shows the secret before `expiration` gets `amount`. */
import { keccakHex } from './hash.ts';
import type { Hash } from './hex.ts';
import { type Field, pack } from './packing.ts';

export type Lock = {
  amount: bigint;
  /** Block number; on chain the lock is paid iff the secret was registered in a block below it. */
  expiration: bigint;
  secrethash: Hash;
};

/** Most locks that one side may have pending at the same time: all of them must fit one unlock transaction. */
export const MAX_PENDING_LOCKS = 160;

/** The locksroot of a side without pending locks: Keccak-256 of nothing. */
export const NO_LOCKS_ROOT: Hash = keccakHex(new Uint8Array(0));

function fieldsOf(lock: Lock): Field[] {
  return [
    ['u256', lock.expiration],
    ['u256', lock.amount],
    ['bytes32', lock.secrethash],
  ];
}

/** 96 bytes: expiration, amount, secrethash (the order in which the contract reads them). */
export function encodeLock(lock: Lock): Uint8Array {
  return pack(fieldsOf(lock));
}

/** The pending locks of one direction in order of insertion, as `unlock` takes them on chain. */
export function encodeLocks(locks: readonly Lock[]): Uint8Array {
  return pack(locks.flatMap(fieldsOf));
}

/** The commitment to the pending locks of one direction; their order counts. */
export function locksroot(locks: readonly Lock[]): Hash {
  return locks.length === 0 ? NO_LOCKS_ROOT : keccakHex(encodeLocks(locks));
}
