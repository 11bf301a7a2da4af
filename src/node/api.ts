/** What the node offers to the floors above: commands that are answered once, and queries. */

import type { Result } from '../protocol/codes.ts';
import type { Address, Hash, Secret } from '../protocol/hex.ts';

export type NodeStatus =
  | { status: 'ready' }
  | { status: 'syncing'; blocksToSync: bigint }
  | { status: 'unavailable' };

/** The documented channel object, still in our own types. */
export type ChannelView = {
  channelId: bigint;
  tokenNetwork: Address;
  token: Address;
  partner: Address;
  /** deposit - withdrawn - sent + received - locked */
  balance: bigint;
  totalDeposit: bigint;
  totalWithdraw: bigint;
  state: 'opened' | 'closed' | 'settled';
  settleTimeout: bigint;
  revealTimeout: bigint;
  networkState: 'reachable' | 'unreachable' | 'unknown';
};

/** One row of the payment history. `time` is milliseconds since 1970. */
export type PaymentRecord = { time: number; token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | { event: 'EventPaymentSentFailed'; target: Address; reason: string }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);

export type PaymentResult = {
  initiator: Address;
  target: Address;
  token: Address;
  amount: bigint;
  paymentId: bigint;
  secret: Secret;
  secrethash: Hash;
};

export type OpenRequest = {
  token: Address;
  partner: Address;
  totalDeposit: bigint;
  /** Null takes the node's default. */
  settleTimeout: bigint | null;
  revealTimeout: bigint | null;
};

export type PaymentRequest = {
  token: Address;
  target: Address;
  amount: bigint;
  /** Null draws one at random. */
  paymentId: bigint | null;
  secret: Secret | null;
  secrethash: Hash | null;
  lockTimeout: bigint | null;
  /** Static routes, best first; null lets the node find one. */
  routes: Address[][] | null;
};

export type HistoryQuery = {
  token: Address | null;
  partner: Address | null;
  offset: number;
  /** Null: all. */
  limit: number | null;
};

export type ContractAddresses = {
  contractsVersion: string;
  tokenNetworkRegistryAddress: Address;
  secretRegistryAddress: Address;
  serviceRegistryAddress: Address | null;
  userDepositAddress: Address | null;
  monitoringServiceAddress: Address | null;
  oneToNAddress: Address | null;
};

/**
 * One running node. Commands resolve when the document says that the call returns; an expected failure
 * is a value, a rejection is a bug (HTTP 500). Queries see everything that an earlier command answered.
 */
export type NodeApi = {
  ownAddress: Address;
  version: string;
  contracts: ContractAddresses;
  settings: { pathfindingServiceAddress: string | null };
  status(): NodeStatus;
  /** Set when an internal failure was met: the API answers 500 once and stops. */
  isBroken(): boolean;

  tokens(): Address[];
  tokenNetworkOf(token: Address): Address | null;
  channels(filter: { token: Address | null }): ChannelView[];
  channel(token: Address, partner: Address): ChannelView | null;
  payments(query: HistoryQuery): Promise<Result<PaymentRecord[]>>;

  registerToken(token: Address): Promise<Result<Address>>;
  openChannel(request: OpenRequest): Promise<Result<ChannelView>>;
  deposit(token: Address, partner: Address, totalDeposit: bigint): Promise<Result<ChannelView>>;
  close(token: Address, partner: Address): Promise<Result<ChannelView>>;
  setRevealTimeout(token: Address, partner: Address, timeout: bigint): Promise<Result<ChannelView>>;
  withdraw(token: Address, partner: Address, totalWithdraw: bigint): Promise<Result<ChannelView>>;
  pay(request: PaymentRequest): Promise<Result<PaymentResult>>;
  /** Ends the process in order; resolves at once. */
  shutdown(): void;
};
