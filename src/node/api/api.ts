/** What the node offers to HTTP, the inspector and the services: commands that are answered once, and queries. */

import type { Address, Hash, Secret } from '../../basics/hex.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import type { Result } from '../../protocol/codes.ts';
import type { KeyedCall } from '../../store/base/batch.ts';
import type { Slices } from '../../store/base/slices.ts';
import type { WaitingTransaction } from '../chain/jobs/waiting.ts';
import type { HealthRow } from '../health/check.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import type { PendingTransfer } from '../runtime/actors/parties.ts';
import type { Feed } from '../runtime/commits/feed.ts';
import type { Notification, PaymentRecord } from '../runtime/commits/records.ts';
import type { Call } from '../runtime/knowledge/calls.ts';
import type { ContractAddresses } from '../runtime/parts.ts';
import type { EarlierCall } from './keyed.ts';
import type { LockSupply } from './lock-supply.ts';
import type { Redeeming } from './selling/redemptions.ts';

export type NodeStatus =
  | { status: 'ready' }
  | { status: 'syncing'; blocksToSync: bigint }
  /**
   * `reason`: text for people that says why the node's view of the chain cannot be relied on; absent when the chain
   * does not answer. `isSafeMode`: deadlines are kept and nothing else is done, until the operator starts the node
   * again. `isReplicaAway`: the chain is known, but what a call changes could not be replicated. `isDatabaseLost`: nor
   * would it be on the disk after the end of the process.
   */
  | {
      status: 'unavailable';
      reason?: string;
      isSafeMode?: boolean;
      isReplicaAway?: boolean;
      isDatabaseLost?: boolean;
    };

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

export type HistoryQuery = {
  token: Address | null;
  partner: Address | null;
  /** Null or absent: any. */
  paymentId?: bigint | null;
  offset: number;
  /** The most records to answer; null: all. */
  limit: number | null;
};

type TransferFilter = { token: Address | null; partner: Address | null };

export type Transaction = { transactionHash: Hash };
/** From the block `plannedWithdrawBlock` on, the planned amount can be withdrawn from the user deposit. */
export type WithdrawPlan = Transaction & { plannedWithdrawBlock: bigint };

/** The open channels of one token; `sumDeposits` counts what this node put into them. */
export type TokenConnection = { token: Address; sumDeposits: bigint; channels: number };

/** What happened in a channel: a log of the chain, or a payment that ended while `block` was the newest block. */
export type ChannelEvent =
  | { type: 'chain'; log: ChannelLog }
  | { type: 'payment'; block: bigint; record: PaymentRecord };

/** How the node is doing. Amounts in the smallest unit of their token. */
export type NodeStats = {
  /** By token and state. A capacity is what that side could pay now. */
  channels: ReadonlyMap<
    string,
    {
      token: Address;
      state: ChannelView['state'];
      count: number;
      ownCapacity: bigint;
      partnerCapacity: bigint;
    }
  >;
  /** By machine and state. */
  actors: ReadonlyMap<string, { machine: string; state: string; count: number }>;
  locks: Record<PendingTransfer['role'], number>;
  /** Fewest blocks until a lock that would pay this node expires; null when there is no such lock. */
  lockSlack: bigint | null;
  /** Messages that wait for their acknowledgement. */
  outbox: number;
  /** Whether the node is connected to the message broker. */
  isOnBroker: boolean;
  /** Whether the stream of the replica is there; null: the database is replicated nowhere. */
  isReplicated: boolean | null;
  /** Transaction jobs that are not confirmed. */
  transactions: number;
  /** `lag`: confirmed blocks that are not handled yet. Null before the chain has answered. */
  chain: { head: bigint; confirmed: bigint; lag: bigint } | null;
  /** Blocks by which a deadline was judged too late, at most, in the last ten minutes. */
  lateBlocks: bigint;
  /** The part that is left of the budget of whoever has forced most registrations on this node, from 1 to 0. */
  gasBudgetLeft: number;
  /** What the account holds for gas, divided by what it should hold; null when the chain does not answer. */
  gasReserveRatio: number | null;
  /** What is left of the user deposit; null without a contract, or when the chain does not answer. */
  userDeposit: bigint | null;
};

/** A channel whose opening is not confirmed. */
export type PendingChannel = Pick<
  ChannelView,
  'token' | 'partner' | 'totalDeposit' | 'revealTimeout'
>;

/**
 * One running node. A command resolves when the API document says that its call returns; an expected failure is a
 * value, a rejection is a bug (HTTP 500). Queries see everything that an earlier command answered.
 */
export type NodeApi = {
  ownAddress: Address;
  version: string;
  contracts: ContractAddresses;
  settings: { pathfindingServiceAddress: string | null };
  status(): NodeStatus;
  /** Whether partners find this node; also true some seconds after the start when there is no broker. */
  isListening(): boolean;
  /**
   * Resolves with true when the replica has everything that the node knows now, and with false when it goes away before;
   * null when it has everything. Whatever shows the node's state to somebody waits for it.
   */
  acknowledged(): Promise<boolean> | null;
  /** Set when an internal failure was met: the API answers 500 once and stops. */
  isBroken(): boolean;

  tokens(): Address[];
  tokenNetworkOf(token: Address): Address | null;
  channels(filter: { token: Address | null }): ChannelView[];
  /** The same, read while the list is sent: each channel is shown as it is when its slice is read. */
  channelSlices(filter: { token: Address | null }): Slices<ChannelView>;
  channel(token: Address, partner: Address): ChannelView | null;
  /** Oldest first. Failure: token_not_registered. */
  payments(query: HistoryQuery): Result<Slices<PaymentRecord>>;
  /** Of all tokens and partners. */
  paymentCount(): number;
  /** The tokens in which this node has an open channel. */
  connections(): TokenConnection[];
  /** The channels that this node is opening and that are in no other list yet. */
  pendingChannels(): PendingChannel[];
  /** Failures: unknown_token, unknown_channel. A filter that is null lets everything pass. */
  pendingTransfers(filter: TransferFilter): Result<PendingTransfer[]>;
  /** The same, read while the list is sent: the transfers of each channel are those when its slice is read. */
  pendingTransferSlices(filter: TransferFilter): Result<Slices<PendingTransfer>>;
  /** Ascending by block. A null `fromBlock` begins with the opening of the newest channel. */
  channelEvents(
    token: Address,
    partner: Address,
    fromBlock: bigint | null,
  ): Result<Slices<ChannelEvent>>;
  /** Oldest first, at most 1,000. */
  waitingTransactions(): WaitingTransaction[];
  /** Everything that the node keeps as long as all is well with it, as it is now. */
  health(): HealthRow[];
  /** Answers the unread notifications; reading empties the list, on disk too. */
  notifications(): Notification[];
  feed: Feed;
  stats(): Promise<NodeStats>;

  /** The call that has begun something under this key; null: none has, as far as is known. Throws after the node's end. */
  earlierCall(keyed: KeyedCall): EarlierCall | null;
  /** Whether another key of this caller can be kept. */
  hasRoomForKey(keyed: KeyedCall): boolean;

  // Each command of a call: what it begins is noted in the call, and kept under its key.
  registerToken(token: Address, call?: Call): Promise<Result<Address>>;
  openChannel(request: OpenRequest, call?: Call): Promise<Result<ChannelView>>;
  deposit(
    token: Address,
    partner: Address,
    totalDeposit: bigint,
    call?: Call,
  ): Promise<Result<ChannelView>>;
  close(token: Address, partner: Address, call?: Call): Promise<Result<ChannelView>>;
  setRevealTimeout(
    token: Address,
    partner: Address,
    timeout: bigint,
    call?: Call,
  ): Promise<Result<ChannelView>>;
  withdraw(
    token: Address,
    partner: Address,
    totalWithdraw: bigint,
    call?: Call,
  ): Promise<Result<ChannelView>>;
  /**
   * Sends what waits in the channels with the partner, whatever it is worth, and answers what that is. Failure:
   * unknown_channel.
   */
  orderWaiting(
    token: Address,
    partner: Address,
    call?: Call,
  ): Promise<Result<WaitingTransaction[]>>;
  pay(request: PaymentRequest, call?: Call): Promise<Result<PaymentResult>>;
  /** The locks of which the payment needs one; null when it needs none, because it is on its way already. */
  locksFor(request: PaymentRequest): LockSupply | null;

  /** Received payments as proofs for something that is sold. */
  redeeming: Redeeming;

  /** `total` as the contract counts it: it never shrinks. */
  depositToUserDeposit(total: bigint, call?: Call): Promise<Result<Transaction>>;
  planUserDepositWithdraw(amount: bigint, call?: Call): Promise<Result<WithdrawPlan>>;
  withdrawUserDeposit(amount: bigint, call?: Call): Promise<Result<Transaction>>;
  /**
   * Opens channels with peers of the token network and answers the channels that it opened. A second call with the same
   * funds, while the join is running, gets the same answer; one with other funds is refused as busy.
   */
  join(token: Address, funds: bigint, call?: Call): Promise<Result<ChannelView[]>>;
  /**
   * Closes all channels of the token; answers them, in their closed form, when all are settled. Goes on when the caller
   * has gone; a later call waits for the same end.
   */
  leave(token: Address, call?: Call): Promise<Result<ChannelView[]>>;
  /** Test networks only. */
  mint(token: Address, to: Address, value: bigint, call?: Call): Promise<Result<Transaction>>;
  /** Ends the process in order; resolves at once. */
  shutdown(): void;
};
