/** The kept balance proofs of both sides of each channel. */

import type { Hash } from '../../basics/hex.ts';
import { type Balances, balanceHash } from '../../protocol/channel/balance-proof.ts';
import type { Connection } from '../base/connection.ts';
import { prepareLocksAt } from './locks-at.ts';
import { prepareSteps, type Side, type SignedStep } from './steps.ts';

/** One signed step of one side. */
export type StoredProof = Balances & { nonce: bigint; balanceHash: Hash };

export function prepareProofs(connection: Connection) {
  const steps = prepareSteps(connection);
  return {
    locksAt: prepareLocksAt(steps),
    /** The amounts under a balance hash that is on chain: those of the newest step with that hash, or null. */
    findProof: (channel: string, side: Side, hash: Hash): StoredProof | null =>
      proofOf(steps.find(channel, side, hash)),
    /** The newest `limit` steps of a side before the nonce `before`, newest first. */
    stepsBefore: (channel: string, side: Side, before: bigint, limit: number) =>
      steps.below(channel, side, before, limit).map(amountsOf),
    /** The newest step of each side; null for a side that has signed nothing. */
    latestProofs: (channel: string): Record<Side, StoredProof | null> => ({
      own: proofOf(steps.newest(channel, 'own')),
      partner: proofOf(steps.newest(channel, 'partner')),
    }),
  };
}

const amountsOf = ({ nonce, transferredAmount, lockedAmount, locksroot }: SignedStep) => {
  return { nonce, transferredAmount, lockedAmount, locksroot };
};

function proofOf(step: SignedStep | null): StoredProof | null {
  return step === null ? null : { ...amountsOf(step), balanceHash: balanceHash(step) };
}
