/**
 * Partner messages as text: one JSON object per line, integers as decimal strings, bytes as hex. Messages that a
 * contract reads carry a signature, all others none. Source: protocol sections 2.1 to 2.3.
 */

import {
  BATCH_LIMIT,
  type Batch,
  type Decoded,
  decodedLines,
  decodeLines,
  readLine,
  refusal,
} from '../wire/lines.ts';
import { changeText } from './changes.ts';
import { type Reading, signature as readSignature } from './message-fields.ts';
import { isMessageType, isSigned, readMessage, type SentMessage, wireFields } from './table.ts';

/** One line without its line break. */
export function encodeMessage({ message, signature }: SentMessage): string {
  const signed = signature === null ? {} : { signature };
  const text = JSON.stringify({ type: message.type, ...wireFields(message), ...signed });
  if (message.type !== 'Update') return text;
  return `${text.slice(0, -1)},"changes":[${message.changes.map(changeText).join(',')}]}`;
}

/**
 * The message in one line. If it has to carry a signature, the signature's form is checked, but not who signed. A
 * field that the message does not need is not looked at.
 */
export function decodeMessage(line: string | Uint8Array): Decoded<SentMessage> {
  const fields = readLine(line);
  if (!fields.ok) return fields;
  const type = fields.value['type'];
  if (!isMessageType(type)) return refusal('unknown type');
  const reading: Reading = { fields: fields.value, wrong: null };
  const message = readMessage(reading, type);
  const sent: SentMessage = isSigned(message)
    ? { message, signature: readSignature(reading, 'signature') }
    : { message, signature: null };
  if (reading.wrong !== null) return refusal(`${type}: ${reading.wrong} is missing or malformed`);
  return { ok: true, value: sent };
}

/** The messages in lines of bytes, in their order; see `decodeLines`. */
export function decodeBatch(bytes: Uint8Array, limit = BATCH_LIMIT): Batch<SentMessage> {
  return decodeLines(bytes, limit, decodeMessage);
}

/** The same, one line after the other: none is decoded before it is asked for. */
export function* messagesIn(bytes: Uint8Array): Generator<Decoded<SentMessage>> {
  for (const { decoded } of decodedLines(bytes, BATCH_LIMIT, decodeMessage)) yield decoded;
}
