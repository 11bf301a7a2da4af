/** The newest steps that honest nodes have signed, by channel and nonce. */

import type { RecordProof } from '../../../../machines/effects.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Hash } from '../../../basics/hex.ts';
import { Violation } from '../violation.ts';
import type { PaymentFacts } from './payment-locks.ts';

/** Steps of one direction whose contents are kept: no more wait for a partner that never acknowledges. */
const KEPT_STEPS = 1_000n;

export function createSignedSteps({ honestPartner }: Pick<PaymentFacts, 'honestPartner'>) {
  const said = new Map<string, Map<bigint, Hash>>();

  return {
    /** A node never signs two different steps with one nonce. */
    note(who: string, { channel, nonce, balanceHash }: RecordProof) {
      const key = `${who} ${channel}`;
      const steps = getOrMake(said, key, () => new Map<bigint, Hash>());
      const before = steps.get(nonce);
      if (before !== undefined && before !== balanceHash)
        throw new Violation(10, who, `${who} signs a second step ${nonce} of ${channel}`);
      steps.set(nonce, balanceHash);
      steps.delete(nonce - KEPT_STEPS);
    },
    /** A step that is accepted from an honest partner was signed by it. */
    checkTaken(who: string, { channel, nonce, balanceHash }: RecordProof) {
      const partner = honestPartner(who, channel);
      if (partner === null) return;
      const theirs = said.get(`${partner} ${channel}`)?.get(nonce);
      if (theirs === undefined || theirs === balanceHash) return;
      throw new Violation(14, who, `${who} takes a step ${nonce} that ${partner} never signed`);
    },
    has: (who: string, channel: string, nonce: bigint, balanceHash: Hash): boolean =>
      said.get(`${who} ${channel}`)?.get(nonce) === balanceHash,
    forget(who: string, channel: string) {
      said.delete(`${who} ${channel}`);
    },
  };
}
