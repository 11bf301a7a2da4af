/**
 * Everything that a machine can ask the runtime to do. Besides changing its context and raising events, a machine
 * only emits these.
 *
 * The runtime carries out `notify`, `spawn.*`, `judge.lock`, `retire` and `report.refused` within the turn, `sign` before
 * the batch is written, `record.*` and `done.*` in the commit, and `send.*`, `tx.*`, `resend`, `reply.*` and `report.route` after the commit.
 */

import type { Address, Hash, Hex, Secret, Signature } from '../src/basics/hex.ts';
import type { PartnerProof } from '../src/protocol/channel/balance-proof.ts';
import type { ChannelPlace } from '../src/protocol/channel/canonical-id.ts';
import type { Code } from '../src/protocol/codes.ts';
import type { Message } from '../src/protocol/messages/table.ts';
import type { WithdrawConfirmation } from '../src/protocol/messages/withdraw-confirmation.ts';
import type {
  ChannelInput,
  InitiatorInput,
  KeeperInput,
  MediatorInput,
  PaymentOrder,
  TargetInput,
  TokenNetworkInput,
  UserDepositInput,
  WithdrawalInput,
} from './base/inputs.ts';
import type { MintOrder } from './events/commands.ts';
import type { LeftChannel } from './events/notices.ts';
import type { ActorEvent } from './events.ts';

/** A message to another actor, delivered within the same turn. */
export type Notify = { type: 'notify'; to: string; event: ActorEvent };
/** Starts an actor within the same turn. Nothing happens when an actor of this id is alive or has ended. */
export type Spawn =
  | { type: 'spawn.tokenNetwork'; id: string; input: TokenNetworkInput }
  | { type: 'spawn.channel'; id: string; input: ChannelInput }
  | { type: 'spawn.initiator'; id: string; input: InitiatorInput }
  | { type: 'spawn.mediator'; id: string; input: MediatorInput }
  | { type: 'spawn.target'; id: string; input: TargetInput }
  | { type: 'spawn.keeper'; id: string; input: KeeperInput }
  | { type: 'spawn.userDeposit'; id: string; input: UserDepositInput }
  | { type: 'spawn.withdrawal'; id: string; input: WithdrawalInput };
/** The actor has ended: its row is deleted from those of the live actors. The runtime adds it. */
type Retire = { type: 'retire'; id: string };
/** Bytes of a message that pass on a transfer of this partner. */
export type GivenBytes = { giver: Address; bytes: number };
/** A message without the identifier that the runtime draws for it. */
type Unnumbered<M> = M extends Message ? Omit<M, 'messageId'> : never;
/**
 * A partner message. It stays in the outbox and is repeated until `done.message` names its `key`, or the recipient's
 * Processed answers it. `queue` is the channel's actor for a message with a nonce (such messages are kept in the
 * order of their nonces), else null.
 */
export type Send = {
  type: 'send.message';
  key: string;
  to: Address;
  queue: string | null;
  /** The partners whose transfers the message passes on, with the bytes that each takes in it; absent: none. */
  givers?: readonly GivenBytes[];
  /** The message's identifier, for a message whose answer is recognised by it; absent: the runtime draws one. */
  messageId?: bigint;
  message: Unnumbered<
    Exclude<Message, { type: 'Processed' | 'Delivered' | 'WithdrawConfirmation' | 'Sync' }>
  >;
};
/**
 * Sent once and never repeated: an acknowledgement, a consent (the partner repeats its request until it has the
 * consent), or a Sync.
 */
export type SendOnce =
  | { type: 'send.processed'; to: Address; messageId: bigint }
  | { type: 'send.consent'; to: Address; message: WithdrawConfirmation }
  | { type: 'send.sync'; to: Address; message: Unnumbered<Extract<Message, { type: 'Sync' }>> };
type DoneMessage = { type: 'done.message'; key: string };
/**
 * The partner has the balance proof of nonce `upToNonce`, so no balance proof up to that nonce is repeated any more;
 * null: no message of the channel is.
 */
type DoneQueue = { type: 'done.queue'; queue: string; upToNonce: bigint | null };
/** The partner has said what it holds: what it lacks of the queue is sent again now, as far as it is not under way. */
export type Resend = { type: 'resend'; queue: string };
/**
 * The channel has changes that are not signed: it gets `actor.sign` before the batch is written, however many changes
 * come until then.
 */
type Sign = { type: 'sign' };
/** A lock for this node: it spawns `taken` if the node takes the lock at this moment, else a keeper in its place. */
export type JudgeLock = {
  type: 'judge.lock';
  taken: Extract<Spawn, { type: 'spawn.target' }>;
};
/** What a signed step did to one lock of its side. `lock`: the 96 bytes that are hashed. */
export type SignedChange = { kind: 'add' | 'pay' | 'expire'; lock: Hex; secrethash: Hash };
/** One signed step of a channel's state, kept until the channel is gone. Source: protocol, old proofs. */
export type RecordProof = {
  type: 'record.proof';
  channel: string;
  side: 'own' | 'partner';
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
  balanceHash: Hash;
  /** What this step did, in order; a secrethash comes once. */
  changes: readonly SignedChange[];
  /** Only for the partner's steps: what is needed to bring the proof on chain. */
  additionalHash: Hash | null;
  signature: Signature | null;
};
type PaymentFacts = {
  token: Address;
  tokenNetwork: Address;
  paymentId: bigint;
  secrethash: Hash;
  /** The actor of the channel that carried the payment; null when no channel was found for it. */
  channel: string | null;
};
export type RecordPayment =
  | (PaymentFacts & {
      type: 'record.paymentSent';
      amount: bigint;
      target: Address;
      attempts: number;
    })
  | (PaymentFacts & {
      type: 'record.paymentFailed';
      amount: bigint;
      target: Address;
      /** How many routes were tried; 0: none was found. */
      attempts: number;
      /** The code with which the caller is refused, for programs; `reason` is for people. */
      code: Code;
      reason: string;
    })
  | (PaymentFacts & { type: 'record.paymentReceived'; amount: bigint; initiator: Address });
/** A transfer of `payer` was passed on and both sides are paid; `fee` is what this node keeps. */
export type RecordMediated = {
  type: 'record.mediated';
  payer: Address;
  token: Address;
  tokenNetwork: Address;
  secrethash: Hash;
  fee: bigint;
};
/** What a payer owes has to be claimed on chain, by a registration or a close: that is charged to the payer. */
type RecordForced = { type: 'record.forced'; payer: Address };
/** The payee is paid off chain for a secret that it has shown late. */
type RecordLate = { type: 'record.late' };
/** Something the operator must know. */
export type RecordAlert = {
  type: 'record.alert';
  alert: 'stale_database' | 'unanswered_lock' | 'chain_replaced';
  channel: string;
  detail: string;
};
type TxOf<T extends string, F> = {
  type: T;
  from: string;
  key: string;
  deadlineBlock: bigint | null;
} & F;
type OnChannel = ChannelPlace & { partner: Address };
/** A transaction job. When it has ended, the actor `from` gets `chain.tx` with the same key. */
export type Tx =
  | TxOf<'tx.registerToken', { token: Address }>
  | TxOf<
      'tx.openChannel',
      {
        token: Address;
        tokenNetwork: Address;
        partner: Address;
        settleTimeout: bigint;
        totalDeposit: bigint;
      }
    >
  | TxOf<'tx.deposit', OnChannel & { token: Address; totalDeposit: bigint; added: bigint }>
  /** `partnerSignature`: the partner's consent. This node's own signature is made together with the call. */
  | TxOf<
      'tx.withdraw',
      OnChannel & { totalWithdraw: bigint; expiration: bigint; partnerSignature: Signature }
    >
  | TxOf<'tx.close', OnChannel & { proof: PartnerProof | null }>
  | TxOf<'tx.updateProof', OnChannel & { proof: PartnerProof }>
  /** Both hashes are those in the contract; their preimages are looked up among the stored balance proofs. */
  | TxOf<
      'tx.settle',
      OnChannel & { channel: string; ownHash: Hash | null; partnerHash: Hash | null }
    >
  /** `brings`: what this node gets by it. */
  | TxOf<
      'tx.unlock',
      OnChannel & { channel: string; side: 'own' | 'partner'; balanceHash: Hash; brings: bigint }
    >
  | TxOf<'tx.registerSecret', { secret: Secret }>
  | TxOf<'tx.userDeposit', { contract: Address; token: Address; total: bigint; added: bigint }>
  | TxOf<'tx.userDepositPlan', { contract: Address; amount: bigint }>
  | TxOf<'tx.userDepositWithdraw', { contract: Address; amount: bigint; withdrawBlock: bigint }>
  | TxOf<'tx.mint', MintOrder>;
/** The payment with which something was bought. */
type OfProof = { secrethash: Hash; network: string; payer: Address };
export type ReplyValue =
  | { kind: 'channel'; channel: string }
  | { kind: 'joined'; channels: readonly string[] }
  | { kind: 'left'; channels: readonly LeftChannel[] }
  | { kind: 'tokenNetwork'; tokenNetwork: Address }
  | { kind: 'payment'; order: PaymentOrder }
  | { kind: 'transaction'; transactionHash: Hash }
  | { kind: 'withdrawPlan'; transactionHash: Hash; withdrawBlock: bigint }
  | ({ kind: 'redemption'; amount: bigint; redemption: string } & OfProof)
  | ({ kind: 'release' } & OfProof);
export type ReplyKind = ReplyValue['kind'];
/** The value of a reply of one of these kinds. */
export type ReplyOf<K extends ReplyKind> = Extract<ReplyValue, { kind: K }>;
export type Reply =
  | { type: 'reply.ok'; requestId: string; value: ReplyValue }
  | { type: 'reply.error'; requestId: string; code: Code; detail: string };
/** How a payment over a route ended, for the service that gave the route. */
export type ReportRoute = { type: 'report.route'; route: readonly Address[]; isGood: boolean };
/**
 * Why a message is refused. The words are written to the log, one line for each: so there are no others, whatever a
 * partner sends.
 */
export type WrongMessage =
  | 'signed by a stranger'
  | 'for another token network'
  | 'amounts or locksroot do not follow'
  | 'for another recipient or token'
  | 'lock without an amount'
  | 'too many locks'
  | 'secrethash is pending'
  | 'more than the partner has'
  | 'gives back what was not sent'
  | 'gives back something else'
  | 'given back by the target'
  | 'no lock for this secret'
  | 'no such lock'
  | 'for another recipient'
  | 'the secret was registered in time'
  | 'not expired yet'
  | 'two changes of one lock';
/**
 * A message of a partner changes nothing. This is told at once, and stands on no disk: so however many such messages
 * come, none of them causes a commit. `change`: the place of the one that is wrong, from 1; null: it is none of them.
 */
export type ReportRefused = {
  type: 'report.refused';
  reason: WrongMessage;
  change: number | null;
};
export type Effect =
  | Notify
  | Spawn
  | Retire
  | Send
  | SendOnce
  | DoneMessage
  | DoneQueue
  | Resend
  | Sign
  | JudgeLock
  | RecordProof
  | RecordPayment
  | RecordMediated
  | RecordForced
  | RecordLate
  | RecordAlert
  | Tx
  | Reply
  | ReportRoute
  | ReportRefused;
