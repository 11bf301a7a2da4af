import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, type Hex, toHex } from '../../src/basics/hex.ts';
import { encodeLock, type Lock, locksroot } from '../../src/protocol/channel/lock.ts';
import { createDisk } from '../../src/simulation/disk/disk.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { ALICE, BOB, batchOf, hash, openedStore, proofOf, STAMP, TOKEN } from '../support/store.ts';

const openDisk = (kept: { steps?: number; payments?: number }) =>
  createDisk({ draw: createRandomness(1).of('disk'), kept }).open(STAMP);
const channel = 'channel:1';

/** The steps of one side: null adds a lock, a number removes the pending lock at that place. */
function stepsOf(acts: readonly (number | null)[]) {
  const pending: Lock[] = [];
  return acts.map((removed, n) => {
    const isAdded = removed === null;
    const lock = isAdded
      ? { amount: BigInt(n + 1), expiration: 9n, secrethash: hash(n + 1) }
      : pending.splice(removed % Math.max(1, pending.length), 1)[0];
    if (isAdded && lock !== undefined) pending.push(lock);
    const kind = isAdded ? ('add' as const) : ('expire' as const);
    return proofOf({
      nonce: BigInt(n + 1),
      transferredAmount: BigInt(n + 1),
      lockedAmount: pending.reduce((sum, { amount }) => sum + amount, 0n),
      // A copy, since roots are remembered by their list.
      locksroot: locksroot([...pending]),
      changes:
        lock === undefined
          ? []
          : [{ kind, lock: toHex(encodeLock(lock)), secrethash: lock.secrethash }],
    });
  });
}

describe('what a simulated disk keeps of channels and payments', () => {
  it('gives the pending locks of every kept step, however old the locks are', () => {
    const acts = fc.array(fc.option(fc.nat(9), { freq: 2 }), { minLength: 1, maxLength: 40 });
    const property = fc.property(acts, fc.integer({ min: 1, max: 8 }), (list, steps) => {
      const real = openedStore();
      const kept = openDisk({ steps });
      const proofs = stepsOf(list);
      for (const proof of proofs) {
        real.commit(batchOf({ proofs: [proof] }));
        kept.commit(batchOf({ proofs: [proof] }));
      }
      expect(kept.latestProofs(channel)).toEqual(real.latestProofs(channel));
      const oldest = Math.max(1, list.length - steps + 1);
      for (let n = oldest; n <= list.length; n++) {
        const found = real.findProof(channel, 'own', proofs[n - 1]?.balanceHash ?? hash(0));
        expect(found?.nonce).toBe(BigInt(n));
        expect(kept.findProof(channel, 'own', found?.balanceHash ?? hash(0))).toEqual(found);
        const locks: Hex[] = kept.locksAt(channel, 'own', BigInt(n));
        expect(locks.map(fromHex)).toEqual(real.locksAt(channel, 'own', BigInt(n)).map(fromHex));
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  it('forgets old steps, but not that their nonces are used', () => {
    const store = openDisk({ steps: 4 });
    const proofs = Array.from({ length: 20 }, (_, n) =>
      proofOf({ nonce: BigInt(n + 1), transferredAmount: BigInt(n + 1) }),
    );
    for (const proof of proofs) store.commit(batchOf({ proofs: [proof] }));
    expect(store.findProof(channel, 'own', proofs[0]?.balanceHash ?? hash(0))).toBeNull();
    expect(store.stepsBefore(channel, 'own', 99n, 99).length).toBeLessThan(6);
    expect(() => store.commit(batchOf({ proofs: [proofOf({ nonce: 1n })] }))).toThrow('nonce 1');
  });

  it('forgets old payments, but not their places and their secrets', () => {
    const store = openDisk({ payments: 8 });
    for (let n = 1; n <= 50; n++)
      store.commit(
        batchOf({
          payments: [
            {
              type: 'record.paymentSent',
              token: TOKEN,
              tokenNetwork: ALICE,
              target: BOB,
              amount: 1n,
              paymentId: BigInt(n),
              secrethash: hash(n),
              channel,
              attempts: 1,
            },
          ],
        }),
      );
    const all = { token: null, partner: null, offset: 0, limit: null };
    const kept = [...store.payments(all)].flat().length;
    expect(kept).toBeGreaterThanOrEqual(8);
    expect(kept).toBeLessThanOrEqual(10);
    expect([...store.paymentsOf(channel, 0n)].flat().at(-1)?.seq).toBe(50);
    expect(store.isSecrethashUsed(hash(1))).toBe(true);
    expect(store.isSecrethashUsed(hash(51))).toBe(false);
  });
});
