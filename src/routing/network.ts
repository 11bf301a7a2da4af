/**
 * What is known of one token network, and the routes through it. The path-finding service uses this, and so do nodes
 * that find routes themselves. Amounts in the token's smallest unit.
 */

import type { Address } from '../basics/hex.ts';
import type { FeeSchedule } from '../protocol/fees/fees.ts';
import type { Tariff } from './tariff.ts';

export type NetworkChannel = {
  channelId: bigint;
  participants: readonly [Address, Address];
  settleTimeout: bigint;
};
/**
 * The capacities of a channel as one participant announced them. Of both participants' announcements the smaller one
 * counts.
 */
export type Capacities = {
  channelId: bigint;
  updatingParticipant: Address;
  updatingCapacity: bigint;
  otherCapacity: bigint;
  revealTimeout: bigint;
};
export type PathRequest = {
  from: Address;
  to: Address;
  /** The amount that the target is to get. */
  value: bigint;
  maxPaths: number;
  /** Defaults 5 and 100. Protocol section 7.1. */
  diversityPenalty?: number;
  feePenalty?: number;
  /** Whether a node can be used on the route; absent: all can. */
  isReachable?: (address: Address) => boolean;
};
/** `path`: from the initiator to the target, including both. */
export type FoundPath = { path: Address[]; estimatedFee: bigint };
export type Suggestion = {
  address: Address;
  score: number;
  centrality: number;
  uptime: number;
  capacity: bigint;
};

export type RoutedNetwork = {
  open(channel: NetworkChannel): void;
  /** Notes that the channel is closed: nothing can be sent over it any more. */
  close(channelId: bigint): void;
  /**
   * Notes the newest deposits and withdraws on chain: no announced capacity counts that is above what both sides have
   * together.
   */
  setTotal(
    channelId: bigint,
    participant: Address,
    change: { deposit?: bigint; withdraw?: bigint },
  ): void;
  /** Null while there is no such open channel. */
  channel(channelId: bigint): NetworkChannel | null;
  /** Applies an announcement whose signature was checked. False: it does not fit an open channel. */
  update(capacities: Capacities): boolean;
  charge(channelId: bigint, participant: Address, schedule: FeeSchedule): boolean;
  /** As `charge`, with a tariff that was made from a schedule before. */
  recharge(channelId: bigint, participant: Address, tariff: Tariff): boolean;
  /** Cheapest first; empty: there is none. */
  paths(request: PathRequest): FoundPath[];
  /** At most five, best first. `uptimeOf`: 0 to 1; those at 0 are left out. */
  suggest(uptimeOf: (address: Address) => number): Suggestion[];
  size(): { nodes: number; channels: number };
};
