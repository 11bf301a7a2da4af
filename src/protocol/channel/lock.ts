/** A pending transfer inside a channel: whoever shows the secret before `expiration` gets `amount`. */
import * as v from 'valibot';
import type { Hash, Hex } from '../../basics/hex.ts';
import { keccakHex } from '../hash.ts';
import { hex, uint } from '../shapes.ts';
import { pack } from '../wire/packing.ts';

export const lockShape = v.object({
  amount: uint,
  /** Block number; on chain the lock is paid iff the secret was registered in a block below it. */
  expiration: uint,
  secrethash: hex,
});
export type Lock = v.InferOutput<typeof lockShape>;

/** Most locks that one side may have pending at the same time: all of them must fit one unlock transaction. */
export const MAX_PENDING_LOCKS = 160;

/** The locksroot of a side without pending locks: Keccak-256 of nothing. */
export const NO_LOCKS_ROOT: Hash = keccakHex(new Uint8Array(0));

// A step changes one lock, but hashes all pending locks several times. So the packed bytes are cached for each lock,
// and the hash for each list; neither locks nor lists are ever changed in place.
const packed = new WeakMap<Lock, Uint8Array>();
const roots = new WeakMap<readonly Lock[], Hash>();

/**
 * 96 bytes: expiration, amount, secrethash (the order in which the contract reads them). The caller must not change
 * them.
 */
export function encodeLock(lock: Lock): Uint8Array {
  const known = packed.get(lock);
  if (known !== undefined) return known;
  const bytes = pack([
    ['u256', lock.expiration],
    ['u256', lock.amount],
    ['bytes32', lock.secrethash],
  ]);
  packed.set(lock, bytes);
  return bytes;
}

/** The lock whose 96 bytes these are. Throws when they are not 96 bytes. */
export function decodeLock(bytes: Hex): Lock {
  const words = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{64})$/i.exec(bytes);
  if (words === null) throw new Error('lock: not 96 bytes');
  const [, expiration = '', amount = '', secrethash = ''] = words;
  return {
    expiration: BigInt(`0x${expiration}`),
    amount: BigInt(`0x${amount}`),
    secrethash: `0x${secrethash}`,
  };
}

/** The pending locks of one direction in order of insertion, as `unlock` takes them on chain. */
export function encodeLocks(locks: readonly Lock[]): Uint8Array {
  return Buffer.concat(locks.map(encodeLock));
}

/** The commitment to the pending locks of one direction; their order counts. */
export function locksroot(locks: readonly Lock[]): Hash {
  if (locks.length === 0) return NO_LOCKS_ROOT;
  const known = roots.get(locks);
  if (known !== undefined) return known;
  const root = keccakHex(encodeLocks(locks));
  roots.set(locks, root);
  return root;
}
