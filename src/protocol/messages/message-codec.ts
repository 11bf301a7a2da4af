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
import { newNote } from './fields.ts';
import { signature as signatureKind } from './kinds.ts';
import { later } from './later.ts';
import { isSigned, MESSAGES, type SentMessage } from './table.ts';
import { updateEnd, updateStart } from './update.ts';

/** One line without its line break. */
export function encodeMessage({ message, signature }: SentMessage): string {
  if (signature === null) return MESSAGES.write(message);
  const signed = `"signature":"${signature}"`;
  return message.type === 'Update'
    ? `{${updateStart.write(message)},${signed},${updateEnd.write(message)}}`
    : `${MESSAGES.write(message).slice(0, -1)},${signed}}`;
}

/**
 * The message in one line. If it has to carry a signature, the signature's form is checked, but not who signed. A
 * field that the message does not need is not looked at, but for the numbered ones of later versions.
 */
export function decodeMessage(line: string | Uint8Array): Decoded<SentMessage> {
  const read = readLine(line);
  if (!read.ok) return read;
  const { type, signature: given } = read.value;
  const note = newNote();
  const message = MESSAGES.read(read.value, note);
  if (message === undefined || !later.readInto(read.value, note, {}))
    return refusal(MESSAGES.has(type) ? `${type}: ${note.wrong.slice(1)}` : 'unknown type');
  if (!isSigned(message)) return { ok: true, value: { message, signature: null } };
  const signature = signatureKind.read(given, note);
  return signature === undefined
    ? refusal(`${message.type}: signature${note.wrong}`)
    : { ok: true, value: { message, signature } };
}

/** The messages in lines of bytes, in their order; see `decodeLines`. */
export function decodeBatch(bytes: Uint8Array, limit = BATCH_LIMIT): Batch<SentMessage> {
  return decodeLines(bytes, limit, decodeMessage);
}

/** The same, one line after the other: none is decoded before it is asked for. */
export function* messagesIn(bytes: Uint8Array): Generator<Decoded<SentMessage>> {
  for (const { decoded } of decodedLines(bytes, BATCH_LIMIT, decodeMessage)) yield decoded;
}
