/**
 * The partner messages: their fields, and which hash each one adds to its balance proof.
 *
 * Integers are bigint, addresses EIP-55, hashes lower-case hex. `metadata` is canonical JSON text (keys
 * sorted, no blanks): it is hashed and forwarded as it came.
 */
import type { Address, Hash, Secret, Signature } from './hex.ts';
import type { Lock } from './lock.ts';

/** Globally unique name of a channel. */
export type CanonicalId = { chainId: bigint; tokenNetwork: Address; channelId: bigint };

/** The part of a message that becomes a balance proof on chain. */
export type Envelope = CanonicalId & {
  messageId: bigint;
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
};

export type LockedTransfer = Envelope & {
  type: 'LockedTransfer';
  paymentId: bigint;
  token: Address;
  recipient: Address;
  target: Address;
  initiator: Address;
  lock: Lock;
  metadata: string;
};
export type RefundTransfer = Omit<LockedTransfer, 'type'> & { type: 'RefundTransfer' };
export type Unlock = Envelope & { type: 'Unlock'; paymentId: bigint; secret: Secret };
export type LockExpired = Envelope & { type: 'LockExpired'; recipient: Address; secrethash: Hash };
export type EnvelopeMessage = LockedTransfer | RefundTransfer | Unlock | LockExpired;

export type Delivered = { type: 'Delivered'; deliveredMessageId: bigint };
type Processed = { type: 'Processed'; messageId: bigint };
export type SecretRequest = {
  type: 'SecretRequest';
  messageId: bigint;
  paymentId: bigint;
  secrethash: Hash;
  amount: bigint;
  expiration: bigint;
};
export type RevealSecret = { type: 'RevealSecret'; messageId: bigint; secret: Secret };

/**
 * Fields that the three withdraw messages share. Their nonce and message identifier are covered by the seal
 * alone: the signature of the first two has to be good on chain.
 */
export type WithdrawFields = CanonicalId & {
  messageId: bigint;
  participant: Address;
  totalWithdraw: bigint;
  nonce: bigint;
  expiration: bigint;
};
export type WithdrawRequest = WithdrawFields & { type: 'WithdrawRequest'; coopSettle: boolean };
export type WithdrawConfirmation = WithdrawFields & { type: 'WithdrawConfirmation' };
export type WithdrawExpired = WithdrawFields & { type: 'WithdrawExpired' };

/**
 * What two partners tell each other when they meet again (our own message): for one channel, the nonce
 * that the sender last signed and the nonce of the receiver's that the sender last accepted, and as
 * proof of the latter the receiver's own balance-proof signature.
 */
export type Sync = CanonicalId & {
  type: 'Sync';
  messageId: bigint;
  /** Last nonce that the sender of this message signed. */
  signedNonce: bigint;
  /** Last nonce of the receiver's that the sender holds, 0 when none. */
  acceptedNonce: bigint;
  /** Proof of `acceptedNonce`: what the receiver signed with it; all zero and 65 zero bytes when 0. */
  balanceHash: Hash;
  additionalHash: Hash;
  proofSignature: Signature;
  /** True asks the receiver to answer with its own Sync. */
  answer: boolean;
};

export type Message =
  | EnvelopeMessage
  | Delivered
  | Processed
  | SecretRequest
  | RevealSecret
  | WithdrawRequest
  | WithdrawConfirmation
  | WithdrawExpired
  | Sync;
export type MessageType = Message['type'];

/** What a contract reads: its sender signs each by itself, whatever it travels in. */
export type ContractMessage = EnvelopeMessage | WithdrawRequest | WithdrawConfirmation;
/** What only the partner reads: the seal that it travels under says who sent it. */
export type PlainMessage = Exclude<Message, ContractMessage>;
/** A message as it is on its way. */
export type SentMessage =
  | { message: ContractMessage; signature: Signature }
  | { message: PlainMessage; signature: null };

const SIGNED = {
  LockedTransfer: true,
  RefundTransfer: true,
  Unlock: true,
  LockExpired: true,
  WithdrawRequest: true,
  WithdrawConfirmation: true,
  WithdrawExpired: false,
  Delivered: false,
  Processed: false,
  SecretRequest: false,
  RevealSecret: false,
  Sync: false,
} as const satisfies {
  [T in MessageType]: Extract<Message, { type: T }> extends ContractMessage ? true : false;
};

/** Whether the message carries a signature of its own. */
export function isSigned(message: Message): message is ContractMessage {
  return SIGNED[message.type];
}
