/** What a settlement keeps for the locks of each side, where the two sides differ. */
import { describe, expect, it } from 'vitest';
import { unlocksAfterSettle } from '../../../machines/channel/dispute.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { proofAmounts } from '../../../src/protocol/channel/channel-end.ts';
import { addLock, type ChannelParts, withPartnersLock } from '../../support/channel-makers.ts';
import {
  closed,
  hashOf,
  PARTNER,
  proofUpdated,
  settled,
  settledProof,
} from '../../support/makers.ts';

/** The sides that are unlocked after a dispute in which each side has a lock of 10, and the partner's is claimable. */
function unlockedSides(
  parts: ChannelParts,
  {
    own,
    partner,
    ...paid
  }: { own: bigint; partner: bigint; ownAmount: bigint; partnerAmount: bigint },
) {
  const busy = withPartnersLock(parts).ours.tell(addLock({ n: 2 }));
  const { ownEnd, partnerEnd } = busy.snapshot.context;
  const ends = [proofAmounts(ownEnd), proofAmounts(partnerEnd)] as const;
  const [ownProof, partnerProof] = ends;
  const disputed = busy.tell(
    closed(PARTNER, { nonce: 1n, balanceHash: balanceHash(ownProof) }),
    proofUpdated(PARTNER, 1n, balanceHash(partnerProof)),
  );
  const log = settled({
    ...paid,
    ownRoot: ownProof.locksroot,
    partnerRoot: partnerProof.locksroot,
    own: settledProof({ transferred: own, locked: 10n }),
    partner: settledProof({
      transferred: partner,
      locked: 10n,
      claimable: 10n,
      paid: [hashOf(1)],
    }),
  });
  return unlocksAfterSettle(disputed.snapshot.context, log);
}

describe('a settlement in which nothing is kept for the locks of one side', () => {
  it('leaves only own locks to unlock when this side has paid the partner everything', () => {
    const paid = { ownAmount: 0n, partnerAmount: 190n };
    expect(unlockedSides({}, { own: 100n, partner: 0n, ...paid })).toEqual(['own']);
  });

  it.each([
    ['this side', 150n, 50n],
    ['the partner', 50n, 150n],
  ])('is seen as it is when most was deposited by %s', (_, deposit, partnerDeposit) => {
    const paid = { ownAmount: 190n, partnerAmount: 0n };
    const parts = { deposit, partnerDeposit };
    expect(unlockedSides(parts, { own: 0n, partner: partnerDeposit, ...paid })).toEqual([
      'partner',
    ]);
  });
});
