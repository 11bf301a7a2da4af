/**
 * The messages that nodes broadcast to path-finding and monitoring services, as text: one JSON object per line. They
 * were written by a stranger: nothing here throws. Source: protocol section 2.2.
 */
import { newNote } from '../messages/fields.ts';
import { signature as signatureKind } from '../messages/kinds.ts';
import {
  BATCH_LIMIT,
  type Batch,
  type Decoded,
  decodedLines,
  decodeLines,
  readLine,
  refusal,
} from '../wire/lines.ts';
import { capacityUpdateDigest, feeUpdateDigest } from './pfs-update.ts';
import { rewardProofDigest } from './reward-proof.ts';
import {
  SERVICE_MESSAGES,
  type ServiceMessage,
  type SignedServiceMessage,
} from './service-message-types.ts';

/** One line without its line break. */
export function encodeServiceMessage({ message, signature }: SignedServiceMessage): string {
  return `${SERVICE_MESSAGES.write(message).slice(0, -1)},"signature":"${signature}"}`;
}

/** The message in one line. The form of its signatures is checked, but not who signed. */
export function decodeServiceMessage(line: string | Uint8Array): Decoded<SignedServiceMessage> {
  const read = readLine(line);
  if (!read.ok) return read;
  const { type, signature: given } = read.value;
  const note = newNote();
  const message = SERVICE_MESSAGES.read(read.value, note);
  if (message === undefined)
    return refusal(SERVICE_MESSAGES.has(type) ? `${type}: ${note.wrong.slice(1)}` : 'unknown type');
  const signature = signatureKind.read(given, note);
  return signature === undefined
    ? refusal(`${message.type}: signature${note.wrong}`)
    : { ok: true, value: { message, signature } };
}

/** The messages in lines of bytes, in their order; see `decodeLines`. */
export function decodeServiceMessages(
  payload: Uint8Array,
  limit = BATCH_LIMIT,
): Batch<SignedServiceMessage> {
  return decodeLines(payload, limit, decodeServiceMessage);
}

/** The same, one line after the other: none is decoded before it is asked for. */
export function* serviceMessagesIn(payload: Uint8Array): Generator<Decoded<SignedServiceMessage>> {
  for (const { decoded } of decodedLines(payload, BATCH_LIMIT, decodeServiceMessage)) yield decoded;
}

/**
 * The digest under the message's own `signature`. The signer has to be the updating participant, or that of a
 * monitoring request the non-closing one; whether that is a participant of the channel, only the chain tells.
 */
export function serviceMessageDigest(message: ServiceMessage): Uint8Array {
  switch (message.type) {
    case 'PFSCapacityUpdate':
      return capacityUpdateDigest(message);
    case 'PFSFeeUpdate':
      return feeUpdateDigest(message);
    case 'RequestMonitoring':
      return rewardProofDigest({
        ...message,
        chainId: message.proof.chainId,
        tokenNetwork: message.proof.tokenNetwork,
      });
  }
}

/** Reads what was broadcast. All of it follows from the bytes alone, so that several who hear them can share it. */
export type ServiceMessageReader = {
  messagesIn(payload: Uint8Array): Iterable<Decoded<SignedServiceMessage>>;
  digestOf(message: ServiceMessage): Uint8Array;
};
export const ownReader: ServiceMessageReader = {
  messagesIn: serviceMessagesIn,
  digestOf: serviceMessageDigest,
};
