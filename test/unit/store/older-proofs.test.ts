import { describe, expect, it } from 'vitest';
import type { RecordProof } from '../../../machines/effects.ts';
import { toHex } from '../../../src/protocol/hex.ts';
import { encodeLock, type Lock, locksroot } from '../../../src/protocol/lock.ts';
import type { Store } from '../../../src/store/store.ts';
import { olderDatabase } from '../../support/older-database.ts';
import { batchOf, hash, openedStore, proofOf } from '../../support/store.ts';

const CHANNEL = 'channel:1';
const COUNT = 300;

/** One lock is added before the one of the step before last is removed: two are pending most of the time. */
function stepsOf(side: 'own' | 'partner'): RecordProof[] {
  const pending: Lock[] = [];
  return Array.from({ length: COUNT }, (_, n) => {
    const kind = n % 3 === 0 ? ('remove' as const) : ('add' as const);
    const lock = { amount: BigInt(n + 1), expiration: BigInt(9_000 + n), secrethash: hash(n) };
    const changed = kind === 'remove' ? pending.shift() : lock;
    if (kind === 'add') pending.push(lock);
    return proofOf({
      channel: CHANNEL,
      side,
      nonce: BigInt(n + 1),
      transferredAmount: 10n ** 18n * BigInt(n),
      lockedAmount: pending.reduce((sum, { amount }) => sum + amount, 0n),
      // A copy, since roots are remembered by their list.
      locksroot: locksroot([...pending]),
      change:
        changed === undefined
          ? null
          : { kind, lock: toHex(encodeLock(changed)), secrethash: changed.secrethash },
      ...(side === 'partner' ? { additionalHash: hash(1), signature: `0x${'1b'.repeat(65)}` } : {}),
    });
  });
}

const quoted = (value: string | null | undefined) => (value == null ? 'NULL' : `'${value}'`);

/** The statement with which an older version wrote the proof. */
function olderRow({ channel, side, nonce, change, ...proof }: RecordProof): string {
  const columns = [
    channel,
    side,
    `${nonce}`.padStart(20, '0'),
    `${proof.transferredAmount}`,
    `${proof.lockedAmount}`,
    proof.locksroot,
    proof.balanceHash,
    proof.additionalHash,
    proof.signature,
    change?.kind,
    change?.lock,
    change?.secrethash,
  ];
  return `INSERT INTO proofs VALUES (${columns.map(quoted).join()})`;
}

const all = [...stepsOf('own'), ...stepsOf('partner')];

const answersOf = (store: Store) => ({
  latest: store.latestProofs(CHANNEL),
  steps: (['own', 'partner'] as const).map((side) => store.stepsBefore(CHANNEL, side, 200n, 150)),
  found: all.map(({ side, balanceHash }) => store.findProof(CHANNEL, side, balanceHash)),
  locks: all
    .filter((_, n) => n % 7 === 0)
    .map(({ side, nonce }) => store.locksAt(CHANNEL, side, nonce)),
});

describe('balance proofs of an older version', () => {
  it('answer as those of this version, before, while and after they are moved', () => {
    const today = openedStore();
    today.commit(batchOf({ proofs: all }));
    const wanted = answersOf(today);
    const older = openedStore({ url: `file:${olderDatabase(8, all.map(olderRow))}` });
    expect(answersOf(older)).toEqual(wanted);
    let slices = 0;
    for (; older.sweep(800); slices += 1)
      if (slices === 3) expect(answersOf(older)).toEqual(wanted);
    expect(slices).toBe(COUNT / 50 + 1);
    expect(answersOf(older)).toEqual(wanted);
  });

  it('are followed by those of this version, and none of their nonces is used again', () => {
    const path = olderDatabase(8, all.map(olderRow));
    const older = openedStore({ url: `file:${path}` });
    const next = proofOf({ channel: CHANNEL, nonce: BigInt(COUNT + 1), transferredAmount: 1n });
    older.commit(batchOf({ proofs: [next] }));
    expect(older.latestProofs(CHANNEL).own?.nonce).toBe(next.nonce);
    expect(older.stepsBefore(CHANNEL, 'own', 999n, 2).map(({ nonce }) => nonce)).toEqual([
      next.nonce,
      BigInt(COUNT),
    ]);
    older.sweep(800);
    for (const nonce of [7n, BigInt(COUNT)]) {
      older.close();
      const again = openedStore({ url: `file:${path}` });
      const used = proofOf({ channel: CHANNEL, side: 'partner', nonce });
      expect(() => again.commit(batchOf({ proofs: [used] }))).toThrow(/UNIQUE/);
      again.close();
    }
  });

  it('are deleted with their channel, those that are moved and those that are not', () => {
    const older = openedStore({ url: `file:${olderDatabase(8, all.map(olderRow))}` });
    for (const _ of [1, 2]) older.sweep(800);
    older.commit(batchOf({ gone: [CHANNEL] }));
    expect(older.latestProofs(CHANNEL)).toEqual({ own: null, partner: null });
    let slices = 0;
    while (older.sweep(800)) slices += 1;
    // Two hundred are in the new table: the other four hundred are deleted, not moved.
    expect(slices).toBeLessThan(10);
    expect(older.latestProofs(CHANNEL)).toEqual({ own: null, partner: null });
  });
});
