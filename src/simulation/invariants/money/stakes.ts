/** Checks each signed step against the money in the channel: nobody signs, or accepts, more than there is. */

import type { RecordProof } from '../../../../machines/effects.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { Violation } from '../violation.ts';

type Side = 'own' | 'partner';
type Step = Pick<RecordProof, 'nonce' | 'transferredAmount' | 'lockedAmount'>;
/** Deposits less withdrawals, in the token's smallest unit; null: the channel is not open. */
type Stakes = { own: bigint; partner: bigint };
type Options = { stakesOf(who: string, channel: string): Stakes | null };

const NOTHING: Step = { nonce: 0n, transferredAmount: 0n, lockedAmount: 0n };
const OTHER = { own: 'partner', partner: 'own' } as const;
/** Steps of a partner that are remembered: older ones cannot arrive again. */
const KEPT_STEPS = 50n;

export function createStakeCheck({ stakesOf }: Options) {
  const steps = new Map<string, Step>();
  const taken = new Map<string, Map<bigint, string>>();
  const keyOf = (who: string, channel: string, side: Side) => `${who} ${side} ${channel}`;

  /** A node accepts a step a second time only after its disk has lost it, and then it must be the same. */
  function checkOrder(who: string, { channel, nonce, balanceHash }: RecordProof) {
    const key = keyOf(who, channel, 'partner');
    const known = getOrMake(taken, key, () => new Map<bigint, string>());
    const before = known.get(nonce);
    if (before !== undefined && before !== balanceHash)
      throw new Violation(11, who, `${who} takes another step ${nonce} in ${channel}`);
    known.set(nonce, balanceHash);
    known.delete(nonce - KEPT_STEPS);
  }

  return {
    /** An honest node has written this step. Throws the violation that it finds. */
    step(who: string, proof: RecordProof) {
      const { channel, side, nonce, transferredAmount, lockedAmount } = proof;
      if (side === 'partner') checkOrder(who, proof);
      const before = steps.get(keyOf(who, channel, side)) ?? NOTHING;
      if (nonce <= before.nonce) return;
      steps.set(keyOf(who, channel, side), { nonce, transferredAmount, lockedAmount });
      const stakes = stakesOf(who, channel);
      if (stakes === null) return;
      const other = steps.get(keyOf(who, channel, OTHER[side])) ?? NOTHING;
      const left = stakes[side] + other.transferredAmount - transferredAmount - lockedAmount;
      if (left >= 0n) return;
      const text = `step ${nonce} of ${side} in ${channel} is ${-left} above what ${who} knows to be there`;
      throw new Violation(2, who, text, { lost: side === 'partner' ? -left : null });
    },
  };
}
