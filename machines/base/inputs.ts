/** What actors are spawned with. Amounts in the token's smallest unit, timeouts in blocks. */
import * as v from 'valibot';
import { feeTerms } from '../../src/protocol/fees/fee-terms.ts';
import { count, hex, list, optionalUint, text, uint } from '../../src/protocol/shapes.ts';

/** Settings of the command line that actors need; after a restart they may be different. */
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
  /**
   * Whether the operator or a caller chose this reveal timeout. If not, a lock of the partner that leaves less time
   * is accepted, too.
   */
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
  /** Each attempt has a secret of its own, unless the caller chose the secret: then all attempts have the same. */
  secret: hex,
  secrethash: hex,
  /** The actor of the channel with the first hop; `partner` is that hop. */
  channel: text,
  partner: hex,
  /** The whole route: this node first, the target last. */
  route: list(hex),
  /** The amount of the lock: the payment's amount and the cost of the route. */
  lockAmount: uint,
});
export type Attempt = v.InferOutput<typeof attempt>;
/** One payment over one route, as the initiator's actor gets it. */
const paymentOrder = v.object({
  ...attempt.entries,
  token: hex,
  tokenNetwork: hex,
  target: hex,
  /** The amount that the target is to get. */
  amount: uint,
  paymentId: uint,
  lockTimeout: optionalUint,
  /** The request that is answered when the payment is over, whichever attempt ended it. */
  requestId: text,
  /** Counts the attempts of the payment from 1. */
  attempt: count,
  /** The routes to try when this one fails, best first. */
  alternatives: list(attempt),
  /**
   * The secret and `amount`, sealed for the target: they are sent with the lock, and the target need not ask for the
   * secret. Only a payment without another route has it: once the target has the secret, no other attempt may follow.
   * Null: it has to ask.
   */
  sealedSecret: v.nullable(hex),
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
  /** The secret, when the initiator sent it with the lock. */
  secret: v.nullable(hex),
});
export type TargetInput = v.InferOutput<typeof targetInput>;
/** The channel by which a transfer came in, as its mediator needs it. Amounts in the token's smallest unit. */
const payerSide = v.object({
  channel: text,
  partner: hex,
  /** Blocks that are reserved for registering the secret before the payer's lock expires. */
  revealTimeout: uint,
  settleTimeout: uint,
  /**
   * This node's balance in the channel, and the partner's (`receivable`), as the fees are computed from them: see
   * `underWay` in mediation.ts.
   */
  balance: uint,
  receivable: uint,
});
export type PayerSide = v.InferOutput<typeof payerSide>;
/** The fields of a transfer that a mediator passes on unchanged: all but the amount. */
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
  /** The addresses to which the transfer may be passed on, best first. */
  hops: list(hex),
  nowBlock: uint,
});
export type MediatorInput = v.InferOutput<typeof mediatorInput>;
/** `role`: the part that this node would have had in the payment. */
const heldTransfer = v.object({
  role: v.picklist(['mediator', 'target']),
  initiator: hex,
  target: hex,
  paymentId: uint,
});
/** A lock that no payment actor looks after; see keeping.ts. */
export const keeperInput = v.object({
  id: text,
  channel: text,
  side: v.picklist(['own', 'partner']),
  secrethash: hex,
  amount: uint,
  expiration: uint,
  confirmations: uint,
  /** It is not known which payment the lock belongs to: money of this node may depend on it. */
  isUnexplained: v.boolean(),
  /** When the lock was found without an actor, its secret had already been registered on chain in time. */
  isPublic: v.boolean(),
  /** The transfer that the lock belongs to; null when it is not known. */
  transfer: v.nullable(heldTransfer),
});
export type KeeperInput = v.InferOutput<typeof keeperInput>;
export type UserDepositInput = { id: string };
export const withdrawalInput = v.object({
  contract: hex,
  amount: uint,
  /** Blocks from the plan's block to the first block in which the amount may be withdrawn. */
  withdrawDelay: uint,
  /** That first block; null: the plan has yet to be made. */
  withdrawBlock: optionalUint,
  requestId: v.nullable(text),
});
export type WithdrawalInput = v.InferOutput<typeof withdrawalInput>;
