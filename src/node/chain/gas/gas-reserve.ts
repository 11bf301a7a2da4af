/**
 * What gas would cost to get the money out of all channels, whatever their partners do: the reserve that an account should
 * have (protocol section 9, missing_gas_reserve), and the part of it that was promised and is never spent on anything else.
 */
import type { ChannelTag } from '../../../../machines/channel/context.ts';
import { channelTags, type Tags } from '../../../../machines/tags.ts';
import { GAS_ESTIMATES } from '../../../chain/queue/calls.ts';

const { close, updateProof, settle, unlock, registerSecret } = GAS_ESTIMATES;

/** Gas for each lock of a side that is unlocked; measured: 55,000 for one lock, 725,000 for 160. */
const GAS_PER_LOCK = 5_000n;

/**
 * How much dearer gas may become before the reserve is spent: the queue offers three times the base fee for a
 * transaction with a deadline, and a transaction is only sent when the account could pay what it offers.
 */
const SPIKE_FACTOR = 3n;

/** Bounds, in wei for a unit of gas, within which the price that an endpoint reports is believed. */
export const LOWEST_PRICE = 1_000_000n;
export const HIGHEST_PRICE = 100_000n * 10n ** 9n;

/** What determines how much gas a channel may still cost. */
export type ChannelBurden = {
  /** Those of the channel's state. */
  tags: Tags<ChannelTag>;
  ownLocks: number;
  partnerLocks: number;
  /** Pending locks of the partner whose secret this node may have to bring on chain. */
  registrations: number;
  /** Whether a lock of the partner may be claimed on chain: its secret is registered, or may have to be. */
  isClaimable: boolean;
};

/** Gas for the unlock of one side. */
export const gasOfUnlock = (locks: number): bigint => unlock + GAS_PER_LOCK * BigInt(locks);

/** Gas for the unlocks of both sides; at least one is counted, since a lock may be added at any moment. */
function gasOfUnlocks({ ownLocks, partnerLocks, isClaimable }: ChannelBurden): bigint {
  const theirs = isClaimable ? partnerLocks : 0;
  return ownLocks > 0 && theirs > 0
    ? gasOfUnlock(ownLocks) + gasOfUnlock(theirs)
    : gasOfUnlock(ownLocks + theirs);
}

export const gasOfRegistrations = ({
  registrations,
}: Pick<ChannelBurden, 'registrations'>): bigint => registerSecret * BigInt(registrations);

/** The gas of channels without locks and secrets, by their state: nearly all channels are such. */
const quiet = new Map<Tags<ChannelTag>, bigint>();

/** Gas that the channel can still take. */
export function gasOf(channel: ChannelBurden): bigint {
  const { tags, ownLocks, partnerLocks, registrations, isClaimable } = channel;
  if (ownLocks + partnerLocks + registrations > 0 || isClaimable) return gasOfBurden(channel);
  const known = quiet.get(tags) ?? gasOfBurden(channel);
  quiet.set(tags, known);
  return known;
}

/**
 * When this node closes an open channel, the partner may have closed it a moment before: then this node pays for an
 * update of the balance proof besides the close.
 */
function gasOfBurden(channel: ChannelBurden): bigint {
  const { tags } = channel;
  if (!tags.has('holdsMoney')) return 0n;
  let gas = gasOfUnlocks(channel);
  if (tags.has('isUnsettled')) gas += settle;
  if (tags.has('takesProofs')) gas += updateProof + gasOfRegistrations(channel);
  if (tags.has('isUnclosed')) gas += close;
  return gas;
}

/** The burden of a new channel, which may be opened at any moment, also by a partner. */
export const NEW_CHANNEL: ChannelBurden = {
  tags: channelTags('opened'),
  ownLocks: 0,
  partnerLocks: 0,
  registrations: 0,
  isClaimable: false,
};

/** Wei that an account needs to be sure of this much gas when the price is `gasPrice` now. */
export function weiFor(gas: bigint, gasPrice: bigint): bigint {
  return SPIKE_FACTOR * gas * believed(gasPrice);
}

/** The same for a promise that was given at this price; nothing while nobody knows it (0). */
export const weiAside = (gas: bigint, price: bigint): bigint =>
  price === 0n ? 0n : weiFor(gas, price);

/**
 * Wei that an account should hold for its channels at this price. When none of them can still be closed, one new
 * channel is assumed.
 */
export function gasReserve(channels: readonly ChannelBurden[], gasPrice: bigint): bigint {
  const assumed = channels.some(({ tags }) => tags.has('isUnclosed')) ? 0n : gasOf(NEW_CHANNEL);
  return weiFor(
    channels.reduce((sum, channel) => sum + gasOf(channel), assumed),
    gasPrice,
  );
}

/**
 * Below the bounds the reserve would be nothing; above them every lock would be refused, at a price no chain ever had.
 */
function believed(price: bigint): bigint {
  if (price < LOWEST_PRICE) return LOWEST_PRICE;
  return price > HIGHEST_PRICE ? HIGHEST_PRICE : price;
}
