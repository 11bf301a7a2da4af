/**
 * All partner messages. A new one is added here; code that does not handle it then does not compile.
 *
 * Integers are bigint, addresses EIP-55, hashes lower-case hex. Source: protocol section 2.2.
 */
import type { Signature } from '../../basics/hex.ts';
import { delivered } from './delivered.ts';
import { type ValueOf, variants } from './fields.ts';
import { processed } from './processed.ts';
import { revealSecret } from './reveal-secret.ts';
import { secretRequest } from './secret-request.ts';
import { sync } from './sync.ts';
import { update } from './update.ts';
import { withdrawConfirmation } from './withdraw-confirmation.ts';
import { withdrawExpired } from './withdraw-expired.ts';
import { withdrawRequest } from './withdraw-request.ts';

export const MESSAGES = variants({
  Update: update,
  Delivered: delivered,
  Processed: processed,
  SecretRequest: secretRequest,
  RevealSecret: revealSecret,
  WithdrawRequest: withdrawRequest,
  WithdrawConfirmation: withdrawConfirmation,
  WithdrawExpired: withdrawExpired,
  Sync: sync,
});
export type Message = ValueOf<typeof MESSAGES>;
export type MessageType = Message['type'];

/** Those that a contract reads: the sender signs each by itself, besides the seal that it travels under. */
const SIGNED = ['Update', 'WithdrawRequest', 'WithdrawConfirmation'] as const;
const signed: ReadonlySet<MessageType> = new Set(SIGNED);
export type ContractMessage = Extract<Message, { type: (typeof SIGNED)[number] }>;
/** The messages that only the partner reads: the seal that they travel under tells who sent them. */
export type PlainMessage = Exclude<Message, ContractMessage>;
/** A message as it is sent. */
export type SentMessage =
  | { message: ContractMessage; signature: Signature }
  | { message: PlainMessage; signature: null };

/** Whether the message carries a signature of its own. */
export function isSigned(message: Message): message is ContractMessage {
  return signed.has(message.type);
}
