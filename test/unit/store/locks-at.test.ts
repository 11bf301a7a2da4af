import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordProof, SignedChange } from '../../../machines/effects.ts';
import { toHex } from '../../../src/basics/hex.ts';
import { encodeLock, type Lock, locksroot } from '../../../src/protocol/channel/lock.ts';
import { batchOf, hash, openedStore, proofOf } from '../../support/store.ts';

/** What a side does next: add the lock of this number, remove the n-th pending one, or something else. */
type Move = { kind: 'add'; amount: bigint } | { kind: 'remove'; index: number } | { kind: 'other' };
const move = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), amount: fc.bigInt(0n, 3n) }),
  fc.record({ kind: fc.constant('remove' as const), index: fc.nat(20) }),
  fc.record({ kind: fc.constant('other' as const) }),
);

/**
 * The side's steps with a growing nonce, and its pending locks after each of them. `together`: how many moves are signed
 * at a time.
 */
function play(moves: readonly Move[], gap: bigint, together: readonly number[] = []) {
  const history: { proof: RecordProof; pending: Lock[] }[] = [];
  let pending: Lock[] = [];
  let changes: SignedChange[] = [];
  let nonce = 0n;
  let left = together[0] ?? 1;
  const change = (kind: SignedChange['kind'], lock: Lock) =>
    changes.push({ kind, lock: toHex(encodeLock(lock)), secrethash: lock.secrethash });
  for (const [turn, move] of moves.entries()) {
    const removed =
      move.kind === 'remove' ? pending[move.index % (pending.length || 1)] : undefined;
    // The same secrethash comes again now and then: some payments are repeated after they failed.
    const secrethash = hash(turn % 40);
    const isKnown =
      pending.some((lock) => lock.secrethash === secrethash) ||
      changes.some((one) => one.secrethash === secrethash);
    const isNew =
      removed === undefined || !changes.some((one) => one.secrethash === removed.secrethash);
    if (move.kind === 'add' && !isKnown) {
      const lock = { amount: move.amount, expiration: BigInt(turn), secrethash };
      pending = [...pending, lock];
      change('add', lock);
    }
    if (removed !== undefined && isNew) {
      pending = pending.filter((lock) => lock !== removed);
      change(turn % 2 === 0 ? 'pay' : 'expire', removed);
    }
    left -= 1;
    if (left > 0) continue;
    nonce += gap;
    history.push({ pending, proof: stepOf({ nonce, pending, changes }) });
    changes = [];
    left = together[history.length % Math.max(1, together.length)] ?? 1;
  }
  return history;
}

function stepOf(step: {
  nonce: bigint;
  pending: readonly Lock[];
  changes: readonly SignedChange[];
}): RecordProof {
  const { nonce, pending, changes } = step;
  const lockedAmount = pending.reduce((sum, { amount }) => sum + amount, 0n);
  return proofOf({ nonce, lockedAmount, locksroot: locksroot(pending), changes });
}

const encoded = (locks: readonly Lock[]) => locks.map((lock) => toHex(encodeLock(lock)));

const batches = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 8 });

describe('the locks at a nonce', () => {
  it('are those that were pending then, in order of insertion', () => {
    fc.assert(
      fc.property(
        fc.array(move, { maxLength: 60 }),
        fc.bigInt(1n, 3n),
        batches,
        (moves, gap, together) => {
          const store = openedStore();
          const history = play(moves, gap, together);
          store.commit(batchOf({ proofs: history.map(({ proof }) => proof) }));
          for (const { proof, pending } of history) {
            expect(store.locksAt('channel:1', 'own', proof.nonce)).toEqual(encoded(pending));
            // Between two steps the side's state is that of the earlier one.
            const next = proof.nonce + gap - 1n;
            expect(store.locksAt('channel:1', 'own', next)).toEqual(encoded(pending));
          }
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('are found behind more steps than are read at once', () => {
    const store = openedStore();
    const pairs = Array.from({ length: 600 }, (): Move[] => [
      { kind: 'add', amount: 1n },
      { kind: 'remove', index: 1 },
    ]);
    const history = play([{ kind: 'add', amount: 9n }, ...pairs.flat()], 1n);
    store.commit(batchOf({ proofs: history.map(({ proof }) => proof) }));
    const newest = history.at(-1);
    expect(newest?.pending).toHaveLength(1);
    expect(store.locksAt('channel:1', 'own', 1_201n)).toEqual(encoded(newest?.pending ?? []));
  });

  it('are none for a side, a channel or a nonce without steps', () => {
    const store = openedStore();
    store.commit(batchOf({ proofs: play([{ kind: 'add', amount: 1n }], 5n).map((s) => s.proof) }));
    expect(store.locksAt('channel:1', 'partner', 5n)).toEqual([]);
    expect(store.locksAt('channel:2', 'own', 5n)).toEqual([]);
    expect(store.locksAt('channel:1', 'own', 4n)).toEqual([]);
    expect(store.locksAt('channel:1', 'own', 5n)).toHaveLength(1);
  });

  it('are not invented when a step is missing', () => {
    const store = openedStore();
    const history = play(
      [
        { kind: 'add', amount: 1n },
        { kind: 'add', amount: 1n },
      ],
      1n,
    );
    store.commit(batchOf({ proofs: history.slice(1).map(({ proof }) => proof) }));
    expect(() => store.locksAt('channel:1', 'own', 2n)).toThrow(/locksroot/);
  });
});
