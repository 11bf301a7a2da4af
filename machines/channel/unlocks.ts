/**
 * What a settlement leaves in the contract for the unlocks of both sides, and which of them this node asks for.
 * Protocol 5.3 and 5.4.
 */

import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { isSettleOrder, type SettledSide, settle } from '../../src/protocol/channel/settlement.ts';
import { ZERO_HASH } from '../../src/protocol/hex.ts';
import type { ChannelSettled } from '../events/chain.ts';
import type { ChannelContext } from './context.ts';

export type Side = 'own' | 'partner';
/** The amounts that the contract keeps for the locks of each side. */
type Kept = Record<Side, bigint>;

/**
 * The sides whose locks this node unlocks: its own, so that nothing of it stays in the contract, whoever gets the
 * tokens; the partner's, if they pay this node anything. The contract refuses the unlock of a side for which it keeps
 * nothing.
 */
export function unlocksAfterSettle(
  channel: ChannelContext,
  event: ChannelSettled,
): readonly Side[] {
  const { own, partner } = event.proofs;
  const kept = keptOf(channel, event);
  const sides: Side[] = [];
  if (own !== null && kept.own > 0n) sides.push('own');
  if (partner !== null && kept.partner > 0n && partner.claimable !== 0n) sides.push('partner');
  return sides;
}

/**
 * The secrethashes of those registered secrets that pay a lock of the partner: the proof that was settled may be
 * older than a lock.
 */
export function registeredAfterSettle(
  channel: ChannelContext,
  event: ChannelSettled,
): ChannelContext['registered'] {
  const isPaid = unlocksAfterSettle(channel, event).includes('partner');
  const paid = isPaid ? (event.proofs.partner?.paid ?? []) : [];
  return channel.registered.filter((secrethash) => paid.includes(secrethash));
}

function keptOf(channel: ChannelContext, event: ChannelSettled): Kept {
  return (
    computed(channel, event) ?? {
      own: mostKept(channel, event, 'own'),
      partner: mostKept(channel, event, 'partner'),
    }
  );
}

/**
 * The amounts by the contract's arithmetic. Null when the proofs on chain or the dispute are not known, or when the
 * settlement did not pay what this arithmetic gives.
 */
function computed(channel: ChannelContext, event: ChannelSettled): Kept | null {
  const own = termsOf(channel, event, 'own');
  const partner = termsOf(channel, event, 'partner');
  if (channel.dispute === null || own === null || partner === null) return null;
  const isOwnFirst = isSettleOrder(own, partner);
  const [one, two] = isOwnFirst ? [own, partner] : [partner, own];
  const { amount1, amount2, locked1, locked2 } = settle(one, two);
  const [ownAmount, partnerAmount] = isOwnFirst ? [amount1, amount2] : [amount2, amount1];
  if (paidTo(event, channel.own) !== ownAmount) return null;
  if (paidTo(event, channel.partner) !== partnerAmount) return null;
  return isOwnFirst ? { own: locked1, partner: locked2 } : { own: locked2, partner: locked1 };
}

function termsOf(channel: ChannelContext, event: ChannelSettled, side: Side): SettledSide | null {
  const proof = event.proofs[side];
  if (proof === null) return null;
  const { deposit, withdrawn } = side === 'own' ? channel.ownEnd : channel.partnerEnd;
  const { transferred, locked } = proof;
  return { deposit, withdrawn, transferred, locked };
}

const paidTo = ({ participant1, amount1, amount2 }: ChannelSettled, address: string) =>
  participant1 === address ? amount1 : amount2;

/**
 * The most that can be kept for the locks of a side. It comes out of the other side's share: all of the locks when
 * that side was paid something besides, else no more than was paid to neither side.
 */
function mostKept(channel: ChannelContext, event: ChannelSettled, side: Side): bigint {
  const { own, partner, ownEnd, partnerEnd } = channel;
  const [sender, receiver] = side === 'own' ? [own, partner] : [partner, own];
  const root = event.participant1 === sender ? event.locksroot1 : event.locksroot2;
  const locked = event.proofs[side]?.locked ?? 0n;
  if ([ZERO_HASH, NO_LOCKS_ROOT].includes(root)) return 0n;
  if (paidTo(event, receiver) > 0n) return locked;
  const deposits = ownEnd.deposit + partnerEnd.deposit - ownEnd.withdrawn - partnerEnd.withdrawn;
  const kept = deposits - event.amount1 - event.amount2;
  return kept < locked ? kept : locked;
}
