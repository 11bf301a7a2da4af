/**
 * Partner messages as text: one JSON object per line, integers as decimal strings, bytes as hex. Source:
 * protocol sections 2.1 to 2.3.
 */

import type { Signature } from './hex.ts';
import { BATCH_LIMIT, type Batch, type Decoded, decodeLines, readLine, refusal } from './lines.ts';
import { type Reading, signature as readSignature } from './message-fields.ts';
import { isMessageType, readMessage } from './message-reader.ts';
import { wireFields } from './message-writer.ts';
import type { Message, SignedMessage } from './messages.ts';

/** One line without its line break. */
export function encodeMessage(message: Message, signature: Signature): string {
  const text = JSON.stringify({ type: message.type, ...wireFields(message), signature });
  if (!('metadata' in message)) return text;
  // Canonical already: parsing it again could only change the bytes that were hashed.
  return `${text.slice(0, -1)},"metadata":${message.metadata}}`;
}

/** The message in one line. Its signature is well-formed; whose it is, is not known yet. */
export function decodeMessage(line: string | Uint8Array): Decoded<SignedMessage> {
  const fields = readLine(line);
  if (!fields.ok) return fields;
  const type = fields.value['type'];
  if (!isMessageType(type)) return refusal('unknown type');
  const reading: Reading = { fields: fields.value, wrong: null };
  const message = readMessage(reading, type);
  const signature = readSignature(reading, 'signature');
  if (reading.wrong !== null) return refusal(`${type}: ${reading.wrong} is missing or malformed`);
  return { ok: true, value: { message, signature } };
}

/** The messages in lines of bytes, in their order; see `decodeLines`. */
export function decodeBatch(bytes: Uint8Array, limit = BATCH_LIMIT): Batch<SignedMessage> {
  return decodeLines(bytes, limit, decodeMessage);
}
