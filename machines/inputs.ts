/** What actors are spawned with. Amounts in the token's smallest unit, timeouts in blocks. */
import * as v from 'valibot';
import { feeTerms } from '../src/protocol/fee-terms.ts';
import { count, hex, list, optionalUint, text, uint } from '../src/protocol/shapes.ts';

/** What the command line says and actors need; it may be another after a restart. */
export const actorSettings = v.object({
  confirmations: uint,
  defaultRevealTimeout: uint,
  minRevealTimeout: uint,
});
export type ActorSettings = v.InferOutput<typeof actorSettings>;
export const channelInput = v.object({
  chainId: uint,
  tokenNetwork: hex,
  channelId: uint,
  token: hex,
  own: hex,
  partner: hex,
  settleTimeout: uint,
  revealTimeout: uint,
  /** Somebody here asked for this reveal timeout; else a shorter lock of the partner is taken too. */
  isRevealChosen: v.boolean(),
  minRevealTimeout: uint,
  openBlock: uint,
  confirmations: uint,
});
export type ChannelInput = v.InferOutput<typeof channelInput>;
export const tokenNetworkInput = v.object({
  ...actorSettings.entries,
  token: hex,
  /** Null while the registration is on its way. */
  tokenNetwork: v.nullable(hex),
  requestId: v.nullable(text),
  chainId: uint,
  own: hex,
});
export type TokenNetworkInput = v.InferOutput<typeof tokenNetworkInput>;
/** One route that a payment can take. */
const attempt = v.object({
  /** Of this attempt alone, unless the caller chose the secret: then all attempts have the same. */
  secret: hex,
  secrethash: hex,
  /** The channel with the first hop, and that hop. */
  channel: text,
  partner: hex,
  /** The whole route: this node first, the target last. */
  route: list(hex),
  /** What is locked: the payment's amount with what the route costs. */
  lockAmount: uint,
});
export type Attempt = v.InferOutput<typeof attempt>;
/** One payment over one route, as the initiator's actor gets it. */
const paymentOrder = v.object({
  ...attempt.entries,
  token: hex,
  tokenNetwork: hex,
  target: hex,
  /** What the target is to get. */
  amount: uint,
  paymentId: uint,
  lockTimeout: optionalUint,
  /** Who is answered when the payment is over, whichever attempt ended it. */
  requestId: text,
  /** Counts the attempts of the payment from 1. */
  attempt: count,
  /** Routes that are left when this one fails, best first. */
  alternatives: list(attempt),
});
export type PaymentOrder = v.InferOutput<typeof paymentOrder>;
export const initiatorInput = v.object({
  id: text,
  own: hex,
  confirmations: uint,
  order: paymentOrder,
});
export type InitiatorInput = v.InferOutput<typeof initiatorInput>;
export const targetInput = v.object({
  id: text,
  own: hex,
  confirmations: uint,
  channel: text,
  payer: hex,
  initiator: hex,
  paymentId: uint,
  amount: uint,
  secrethash: hex,
  expiration: uint,
  revealTimeout: uint,
  token: hex,
  tokenNetwork: hex,
  nowBlock: uint,
});
export type TargetInput = v.InferOutput<typeof targetInput>;
/** The side that a transfer came from, as the mediator needs it. Amounts in the token's smallest unit. */
const payerSide = v.object({
  channel: text,
  partner: hex,
  /** Blocks that are kept to register the secret before the payer's lock runs out. */
  revealTimeout: uint,
  settleTimeout: uint,
  /** This node's balance in the channel and the partner's, as its fees take them: see `underWay`. */
  balance: uint,
  receivable: uint,
});
export type PayerSide = v.InferOutput<typeof payerSide>;
/** What is passed on: everything but the amount stays as it came. */
const forwarding = v.object({
  paymentId: uint,
  secrethash: hex,
  expiration: uint,
  initiator: hex,
  target: hex,
  /** Canonical JSON of the message's metadata, as it came. */
  metadata: text,
});
export type Forwarding = v.InferOutput<typeof forwarding>;
export const mediatorInput = v.object({
  ...forwarding.entries,
  id: text,
  confirmations: uint,
  payer: payerSide,
  token: hex,
  tokenNetwork: hex,
  amount: uint,
  fees: feeTerms,
  /** Who may get it next, best first. */
  hops: list(hex),
  nowBlock: uint,
});
export type MediatorInput = v.InferOutput<typeof mediatorInput>;
/** `role`: the part that this node would have had in it. */
const heldTransfer = v.object({
  role: v.picklist(['mediator', 'target']),
  initiator: hex,
  target: hex,
  paymentId: uint,
});
/** A lock that no payment of this node answers for; see keeping.ts. */
export const keeperInput = v.object({
  id: text,
  channel: text,
  side: v.picklist(['own', 'partner']),
  secrethash: hex,
  amount: uint,
  expiration: uint,
  confirmations: uint,
  /** Nobody knows what it is for: money of this node may hang on it. */
  isUnexplained: v.boolean(),
  /** Its secret stood on chain already, in time, when the lock was found. */
  isPublic: v.boolean(),
  /** What it was for, as far as that is known. */
  transfer: v.nullable(heldTransfer),
});
export type KeeperInput = v.InferOutput<typeof keeperInput>;
export type UserDepositInput = { id: string };
export const withdrawalInput = v.object({
  contract: hex,
  amount: uint,
  /** Blocks from the plan's block to the first in which it may be withdrawn. */
  withdrawDelay: uint,
  /** That first block; null: the plan has yet to be made. */
  withdrawBlock: optionalUint,
  requestId: v.nullable(text),
});
export type WithdrawalInput = v.InferOutput<typeof withdrawalInput>;
