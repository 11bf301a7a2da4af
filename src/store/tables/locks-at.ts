/**
 * The pending locks of one side at an earlier nonce, rebuilt from the changes that added and removed them.
 *
 * The walk goes back from that nonce, through the changes of each step backwards, and ends as soon as the locks that it has found hash to the locksroot of the
 * step. So its cost depends on the number of pending locks and not on the age of the channel, and its answer is
 * proven: `unlock` accepts no other.
 */

import { fromHex, type Hash, type Hex } from '../../basics/hex.ts';
import { keccakHex } from '../../protocol/hash.ts';
import type { LockStep, Side } from './steps.ts';

/** Steps that are read at once. */
const PAGE = 256;

type Reads = { below(channel: string, side: Side, below: bigint, limit: number): LockStep[] };

export function prepareLocksAt(reads: Reads) {
  function* newestFirst(channel: string, side: Side, nonce: bigint): Generator<LockStep> {
    let isAll = false;
    let below = nonce + 1n;
    while (!isAll) {
      const steps = reads.below(channel, side, below, PAGE);
      yield* steps;
      below = steps.at(-1)?.nonce ?? 0n;
      isAll = steps.length < PAGE;
    }
  }

  /**
   * The locks that were pending after the side's step with `nonce` (or its newest one below), each as the
   * 96 bytes that are hashed, in order of insertion. Throws when the steps do not lead to the locksroot.
   */
  return (channel: string, side: Side, nonce: bigint): Hex[] =>
    pendingLocks(newestFirst(channel, side, nonce));
}

/**
 * The locks that were pending after the first of the steps, which are given newest first. Throws when the steps do
 * not lead to the locksroot.
 */
export function pendingLocks(steps: Iterable<LockStep>): Hex[] {
  const removed = new Set<Hash>();
  let pending: Hex[] = [];
  let amount = 0n;
  let target: LockStep | null = null;
  for (const step of steps) {
    target ??= step;
    for (const change of step.changes.toReversed()) {
      // The sum is compared first only because hashing at each change would be slow.
      if (amount === target.lockedAmount && rootOf(pending) === target.locksroot) return pending;
      if (change.kind === 'remove') {
        removed.add(change.secrethash);
      } else if (!removed.delete(change.secrethash)) {
        pending = [change.lock, ...pending];
        amount += amountOf(change.lock);
      }
    }
  }
  if (target !== null && rootOf(pending) !== target.locksroot) {
    throw new Error(`store: the steps up to nonce ${target.nonce} do not lead to its locksroot`);
  }
  return pending;
}

function rootOf(locks: readonly Hex[]): Hash {
  return keccakHex(Buffer.concat(locks.map(fromHex)));
}

/** The second of a lock's three words: expiration, amount, secrethash. */
function amountOf(lock: Hex): bigint {
  return BigInt(`0x${lock.slice(2 + 64, 2 + 128)}`);
}
