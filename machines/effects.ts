/**
 * Everything that a machine can ask for. A machine only assigns, raises and emits these.
 *
 * Within the turn: `tell`, `spawn.*`, `retire`. In the commit: `record.*`, `done.*`. After it: `send.*`,
 * `tx.*`, `resend`, `reply.*`.
 */
import type { Code } from '../src/protocol/codes.ts';
import type { Address, Hash, Secret, Signature } from '../src/protocol/hex.ts';
import type { Message } from '../src/protocol/messages.ts';
import type { PaymentOrder } from './events.ts';

/** A message to another actor, delivered within the same turn. */
export type Tell = { type: 'tell'; to: string; event: { type: string } & Record<string, unknown> };

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
/** What the command line says and actors need; it may be another after a restart. */
export type ActorSettings = {
  confirmations: bigint;
  defaultRevealTimeout: bigint;
  minRevealTimeout: bigint;
};
export type TokenNetworkInput = ActorSettings & {
  token: Address;
  /** Null while the registration is on its way. */
  tokenNetwork: Address | null;
  requestId: string | null;
  chainId: bigint;
  own: Address;
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
/** The birth of an actor, within the same turn. An id that is alive or has ended is left as it is. */
export type Spawn =
  | { type: 'spawn.tokenNetwork'; id: string; input: TokenNetworkInput }
  | { type: 'spawn.channel'; id: string; input: ChannelInput }
  | { type: 'spawn.initiator'; id: string; input: InitiatorInput }
  | { type: 'spawn.target'; id: string; input: TargetInput };
/** The node heard that a child reached its end: its row leaves the live ones. */
export type Retire = { type: 'retire'; id: string };

/** A message without the identifier that the runtime draws for it. */
export type Unnumbered<M> = M extends Message ? Omit<M, 'messageId'> : never;
/**
 * A partner message. It stays in the outbox and is repeated until `done.message` names its `key`, or the
 * recipient's Processed answers it. `queue` is the channel's actor for balance-proof messages (kept in
 * order of nonce), else null.
 */
export type Send = {
  type: 'send.message';
  key: string;
  to: Address;
  queue: string | null;
  message: Unnumbered<Exclude<Message, { type: 'Processed' | 'Delivered' | 'Sync' }>>;
};
/** Sent once and never repeated: an acknowledgement or a Sync. */
export type SendOnce =
  | { type: 'send.processed'; to: Address; messageId: bigint }
  | { type: 'send.sync'; to: Address; message: Unnumbered<Extract<Message, { type: 'Sync' }>> };
export type DoneMessage = { type: 'done.message'; key: string };
/** The partner holds everything of this channel up to the nonce (null: the channel takes no more messages). */
export type DoneQueue = { type: 'done.queue'; queue: string; upToNonce: bigint | null };
/** Send what is left of the queue again now, not at its next turn. */
export type Resend = { type: 'resend'; queue: string };

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
  /** The lock that this step added or removed, as the 96 bytes that are hashed. */
  change: { kind: 'add' | 'remove'; lock: `0x${string}`; secrethash: Hash } | null;
  /** Partner steps only: what brings the proof on chain. */
  additionalHash: Hash | null;
  signature: Signature | null;
};
type PaymentFacts = { token: Address; tokenNetwork: Address; paymentId: bigint; secrethash: Hash };
export type RecordPayment =
  | (PaymentFacts & { type: 'record.paymentSent'; amount: bigint; target: Address })
  | (PaymentFacts & {
      type: 'record.paymentFailed';
      amount: bigint;
      target: Address;
      reason: string;
    })
  | (PaymentFacts & { type: 'record.paymentReceived'; amount: bigint; initiator: Address });
/** Something the operator must know; also becomes a notification. */
export type RecordAlarm = {
  type: 'record.alarm';
  alarm: 'stale_database';
  channel: string;
  detail: string;
};

type TxOf<T extends string, F> = {
  type: T;
  from: string;
  key: string;
  deadlineBlock: bigint | null;
} & F;
type OnChannel = { tokenNetwork: Address; channelId: bigint; partner: Address };
/** A transaction job; its end comes back to `from` as `chain.tx` with the same key. */
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
  | TxOf<'tx.close', OnChannel & { proof: PartnerProof | null }>
  | TxOf<'tx.updateProof', OnChannel & { proof: PartnerProof }>
  /** Both hashes are what the contract holds; the preimages are looked up among the kept proofs. */
  | TxOf<
      'tx.settle',
      OnChannel & { channel: string; ownHash: Hash | null; partnerHash: Hash | null }
    >
  | TxOf<'tx.unlock', OnChannel & { channel: string; side: 'own' | 'partner'; balanceHash: Hash }>
  | TxOf<'tx.registerSecret', { secret: Secret }>;
/** A balance proof that the partner signed, ready to be brought on chain. */
export type PartnerProof = {
  nonce: bigint;
  balanceHash: Hash;
  additionalHash: Hash;
  signature: Signature;
};

export type ReplyValue =
  | { kind: 'channel'; channel: string }
  | { kind: 'tokenNetwork'; tokenNetwork: Address }
  | { kind: 'payment'; order: PaymentOrder };
export type Reply =
  | { type: 'reply.ok'; requestId: string; value: ReplyValue }
  | { type: 'reply.error'; requestId: string; code: Code; detail: string };

export type Effect =
  | Tell
  | Spawn
  | Retire
  | Send
  | SendOnce
  | DoneMessage
  | DoneQueue
  | Resend
  | RecordProof
  | RecordPayment
  | RecordAlarm
  | Tx
  | Reply;
