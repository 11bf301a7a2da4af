/** The rules for single signed steps of a channel: each needs the channel's state on chain. */

import { placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import { createMarginCheck } from '../../invariants/locks/margins.ts';
import { createSignatureCheck } from '../../invariants/messages/signatures.ts';
import type { Ledger } from '../../invariants/money/ledger.ts';
import { createStakeCheck } from '../../invariants/money/stakes.ts';
import type { Facts, Oracle } from '../../invariants/oracle.ts';
import type { World } from '../world.ts';

type Needs = Pick<Facts & Ledger, 'chainId' | 'channelOf' | 'isInitiator' | 'machine'> &
  Pick<World['crypto'], 'recover'>;

/** The numbers of the invariants that these rules check. */
export const STEP_INVARIANTS: readonly number[] = [2, 7, 11, 12, 14, 15];

export function createStepRules(needs: Needs): Oracle {
  const { machine, channelOf } = needs;
  const openChannel = (channel: string) => {
    const facts = channelOf(channel);
    return facts?.state === 'opened' ? facts : null;
  };

  const stakes = createStakeCheck({
    stakesOf(who, channel) {
      const sides = openChannel(channel)?.sides;
      const own = sides?.find(({ address }) => address === machine(who)?.address);
      const partner = sides?.find((side) => side !== own);
      if (own === undefined || partner === undefined) return null;
      return { own: own.deposit - own.withdrawn, partner: partner.deposit - partner.withdrawn };
    },
  });
  const checkSignature = createSignatureCheck({
    ...needs,
    partnerOf: (who, channel) =>
      channelOf(channel)?.sides.find(({ address }) => address !== machine(who)?.address)?.address ??
      null,
    placeOf: placeOfChannel,
  });
  const checkMargin = createMarginCheck({
    isInitiator: needs.isInitiator,
    timeoutsOf(who, channel) {
      const facts = openChannel(channel);
      const node = machine(who);
      return facts === null || node === null
        ? null
        : { reveal: node.revealTimeout, settle: facts.settle };
    },
  });

  return {
    commit(who, { proofs, block }) {
      for (const proof of proofs) {
        stakes.step(who, proof);
        checkSignature(who, proof);
        checkMargin(who, proof, block);
      }
    },
  };
}
