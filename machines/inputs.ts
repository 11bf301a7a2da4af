/** What actors are spawned with. Amounts in the token's smallest unit, timeouts in blocks. */
import type { FeeTerms } from '../src/protocol/fee-terms.ts';
import type { Address, Hash, Secret } from '../src/protocol/hex.ts';

/** What the command line says and actors need; it may be another after a restart. */
export type ActorSettings = {
  confirmations: bigint;
  defaultRevealTimeout: bigint;
  minRevealTimeout: bigint;
};
export type ChannelInput = {
  chainId: bigint;
  tokenNetwork: Address;
  channelId: bigint;
  token: Address;
  own: Address;
  partner: Address;
  settleTimeout: bigint;
  revealTimeout: bigint;
  /** Somebody here asked for this reveal timeout; else a shorter lock of the partner is taken too. */
  isRevealChosen: boolean;
  minRevealTimeout: bigint;
  openBlock: bigint;
  confirmations: bigint;
};
export type TokenNetworkInput = ActorSettings & {
  token: Address;
  /** Null while the registration is on its way. */
  tokenNetwork: Address | null;
  requestId: string | null;
  chainId: bigint;
  own: Address;
};
/** One route that a payment can take. */
export type Attempt = {
  /** Of this attempt alone, unless the caller chose the secret: then all attempts have the same. */
  secret: Secret;
  secrethash: Hash;
  /** The channel with the first hop, and that hop. */
  channel: string;
  partner: Address;
  /** The whole route: this node first, the target last. */
  route: readonly Address[];
  /** What is locked: the payment's amount with what the route costs. */
  lockAmount: bigint;
};
/** One payment over one route, as the initiator's actor gets it. */
export type PaymentOrder = Attempt & {
  token: Address;
  tokenNetwork: Address;
  target: Address;
  /** What the target is to get. */
  amount: bigint;
  paymentId: bigint;
  lockTimeout: bigint | null;
  /** Who is answered when the payment is over, whichever attempt ended it. */
  requestId: string;
  /** Counts the attempts of the payment from 1. */
  attempt: number;
  /** Routes that are left when this one fails, best first. */
  alternatives: readonly Attempt[];
};
export type InitiatorInput = {
  id: string;
  own: Address;
  confirmations: bigint;
  order: PaymentOrder;
};
export type TargetInput = {
  id: string;
  own: Address;
  confirmations: bigint;
  channel: string;
  payer: Address;
  initiator: Address;
  paymentId: bigint;
  amount: bigint;
  secrethash: Hash;
  expiration: bigint;
  revealTimeout: bigint;
  token: Address;
  tokenNetwork: Address;
  nowBlock: bigint;
};
/** The side that a transfer came from, as the mediator needs it. Amounts in the token's smallest unit. */
export type PayerSide = {
  channel: string;
  partner: Address;
  /** Blocks that are kept to register the secret before the payer's lock runs out. */
  revealTimeout: bigint;
  settleTimeout: bigint;
  /** This node's balance in the channel and the partner's, as its fees take them: see `underWay`. */
  balance: bigint;
  receivable: bigint;
};
/** What is passed on: everything but the amount stays as it came. */
export type Forwarding = {
  paymentId: bigint;
  secrethash: Hash;
  expiration: bigint;
  initiator: Address;
  target: Address;
  /** Canonical JSON of the message's metadata, as it came. */
  metadata: string;
};
export type MediatorInput = Forwarding & {
  id: string;
  confirmations: bigint;
  payer: PayerSide;
  token: Address;
  tokenNetwork: Address;
  amount: bigint;
  fees: FeeTerms;
  /** Who may get it next, best first. */
  hops: readonly Address[];
  nowBlock: bigint;
};
/** A lock that no payment of this node answers for; see keeping.ts. */
export type KeeperInput = {
  id: string;
  channel: string;
  side: 'own' | 'partner';
  secrethash: Hash;
  amount: bigint;
  expiration: bigint;
  confirmations: bigint;
  /** Nobody knows what it is for: money of this node may hang on it. */
  isUnexplained: boolean;
  /** Its secret stood on chain already, in time, when the lock was found. */
  isPublic: boolean;
  /** What it was for, as far as that is known. */
  transfer: HeldTransfer | null;
};
/** `role`: the part that this node would have had in it. */
type HeldTransfer = {
  role: 'mediator' | 'target';
  initiator: Address;
  target: Address;
  paymentId: bigint;
};
export type UserDepositInput = { id: string };
export type WithdrawalInput = {
  contract: Address;
  amount: bigint;
  /** Blocks from the plan's block to the first in which it may be withdrawn. */
  withdrawDelay: bigint;
  /** That first block; null: the plan has yet to be made. */
  withdrawBlock: bigint | null;
  requestId: string | null;
};
