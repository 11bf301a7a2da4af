/**
 * All partner messages. A new one is added here; code that does not handle it then does not compile.
 *
 * Integers are bigint, addresses EIP-55, hashes lower-case hex. Source: protocol section 2.2.
 */
import type { Signature } from '../../basics/hex.ts';
import type {
  Definition,
  PlainDefinition,
  ProofDefinition,
  Wire,
  WithdrawDefinition,
} from './definition.ts';
import { type Delivered, delivered } from './delivered.ts';
import type { Reading } from './message-fields.ts';
import { type Processed, processed } from './processed.ts';
import { type RevealSecret, revealSecret } from './reveal-secret.ts';
import { type SecretRequest, secretRequest } from './secret-request.ts';
import { type Sync, sync } from './sync.ts';
import { type Update, update } from './update.ts';
import { type WithdrawConfirmation, withdrawConfirmation } from './withdraw-confirmation.ts';
import { type WithdrawExpired, withdrawExpired } from './withdraw-expired.ts';
import { type WithdrawRequest, withdrawRequest } from './withdraw-request.ts';

type Messages = {
  Update: Update;
  Delivered: Delivered;
  Processed: Processed;
  SecretRequest: SecretRequest;
  RevealSecret: RevealSecret;
  WithdrawRequest: WithdrawRequest;
  WithdrawConfirmation: WithdrawConfirmation;
  WithdrawExpired: WithdrawExpired;
  Sync: Sync;
};
export type MessageType = keyof Messages;
export type Message = Messages[MessageType];

/** The messages that a contract reads: the sender signs each by itself, besides the seal that it travels under. */
export type ContractMessage = Update | WithdrawRequest | WithdrawConfirmation;
/** The messages that only the partner reads: the seal that they travel under tells who sent them. */
export type PlainMessage = Exclude<Message, ContractMessage>;
/** A message as it is sent. */
export type SentMessage =
  | { message: ContractMessage; signature: Signature }
  | { message: PlainMessage; signature: null };

type DefinitionOf<M> = M extends Update
  ? ProofDefinition<M>
  : M extends ContractMessage
    ? WithdrawDefinition<M>
    : PlainDefinition<M>;
const DEFINITIONS = {
  Update: update,
  Delivered: delivered,
  Processed: processed,
  SecretRequest: secretRequest,
  RevealSecret: revealSecret,
  WithdrawRequest: withdrawRequest,
  WithdrawConfirmation: withdrawConfirmation,
  WithdrawExpired: withdrawExpired,
  Sync: sync,
} as const satisfies { [T in MessageType]: DefinitionOf<Messages[T]> };

/** The message of one type, or of any of several types. */
type Typed<T extends MessageType> = { [K in T]: { type: K } & Messages[K] }[T];

// The same definitions by type, so that the compiler sees that a message and its definition belong together.
const EACH: { readonly [T in MessageType]: Definition<Typed<T>> } = DEFINITIONS;

/** Whether `type` names a message that partners exchange. */
export function isMessageType(type: unknown): type is MessageType {
  return typeof type === 'string' && Object.hasOwn(DEFINITIONS, type);
}

export const MESSAGE_TYPES: readonly MessageType[] = Object.keys(DEFINITIONS).filter(isMessageType);

/** The message of that type. It is valid only if the reading has noted no wrong field. */
export function readMessage(reading: Reading, type: MessageType): Message {
  return DEFINITIONS[type].read(reading);
}

/** Fields under the names that they have in JSON; integers as decimal text. */
export function wireFields<T extends MessageType>(message: Typed<T>): Wire {
  return EACH[message.type].write(message);
}

/** Whether the message carries a signature of its own. */
export function isSigned(message: Message): message is ContractMessage {
  return DEFINITIONS[message.type].signed !== null;
}
