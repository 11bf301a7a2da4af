/**
 * What each side of a channel owns, and what each would get from a settlement, computed as the contract does.
 * Amounts in the token's smallest unit. Protocol 5.4.
 */

import type { ChannelContext } from '../../../machines/channel/context.ts';
import {
  balance,
  type ChannelEnd,
  distributable,
  totalWithdraw,
} from '../../protocol/channel/channel-end.ts';
import { isSettleOrder, type SettledSide, settle } from '../../protocol/channel/settlement.ts';
import type { ChannelBalances, Money, MoneySide, Payout } from '../wire.ts';

/** What a balance proof says that its signer has moved. */
export type Moved = { transferred: bigint; locked: bigint };

/** `isPaying`: whether the channel's state lets it take payments. */
export function moneyOf(channel: ChannelContext, isPaying: boolean): Money {
  const { own, partner, ownEnd, partnerEnd } = channel;
  return {
    own: { address: own, ...sideOf(ownEnd, partnerEnd, isPaying) },
    partner: { address: partner, ...sideOf(partnerEnd, ownEnd, isPaying) },
    isConserved: isConserved(ownEnd, partnerEnd),
    closedNow: payoutWith(channel, { own: ownEnd, partner: partnerEnd }),
  };
}

/** What each side owns; the locks that it has given are still included. */
export function balancesOf({ ownEnd, partnerEnd }: ChannelContext): ChannelBalances {
  return { own: balance(ownEnd, partnerEnd), partner: balance(partnerEnd, ownEnd) };
}

function sideOf(end: ChannelEnd, other: ChannelEnd, isPaying: boolean): Omit<MoneySide, 'address'> {
  const free = distributable(end, other);
  return {
    deposit: end.deposit,
    withdrawn: end.withdrawn,
    reserved: totalWithdraw(end) - end.withdrawn,
    balance: balance(end, other),
    locked: end.locked,
    capacity: isPaying && free > 0n ? free : 0n,
    nonce: end.nonce,
  };
}

/**
 * Whether every unit is accounted for: the balances and what was withdrawn, or is promised to be, add up to the
 * deposits; no side has locked more than it has; and the locked amount is the sum of the locks.
 */
function isConserved(own: ChannelEnd, partner: ChannelEnd): boolean {
  const balances = balance(own, partner) + balance(partner, own);
  const out = totalWithdraw(own) + totalWithdraw(partner);
  return (
    balances + out === own.deposit + partner.deposit &&
    isCovered(own, partner) &&
    isCovered(partner, own)
  );
}

function isCovered(end: ChannelEnd, other: ChannelEnd): boolean {
  const locks = end.locks.reduce((sum, { amount }) => sum + amount, 0n);
  return end.locked === locks && balance(end, other) >= end.locked;
}

/**
 * What a settlement with these two balance proofs pays. The close voids withdrawals that are not on chain yet, so
 * only finished withdrawals count.
 */
export function payoutWith(
  { ownEnd, partnerEnd }: Pick<ChannelContext, 'ownEnd' | 'partnerEnd'>,
  moved: { own: Moved; partner: Moved },
): Payout {
  const own = settledSide(ownEnd, moved.own);
  const partner = settledSide(partnerEnd, moved.partner);
  // An old copy of the database may know of withdrawals and not of the deposits behind them.
  if (own.deposit + partner.deposit < own.withdrawn + partner.withdrawn)
    return { own: 0n, partner: 0n, ownLocks: 0n, partnerLocks: 0n };
  if (isSettleOrder(own, partner)) {
    const { amount1, amount2, locked1, locked2 } = settle(own, partner);
    return { own: amount1, partner: amount2, ownLocks: locked1, partnerLocks: locked2 };
  }
  const { amount1, amount2, locked1, locked2 } = settle(partner, own);
  return { own: amount2, partner: amount1, ownLocks: locked2, partnerLocks: locked1 };
}

function settledSide(
  { deposit, withdrawn }: ChannelEnd,
  { transferred, locked }: Moved,
): SettledSide {
  return { deposit, withdrawn, transferred, locked };
}
