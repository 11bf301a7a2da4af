/**
 * Partner messages as text: one JSON object per line, integers as decimal strings, bytes as hex. What
 * arrives was written by a stranger: nothing here throws, and nothing is parsed before its size is known.
 * Source: protocol sections 2.1 to 2.3.
 */

import type { Signature } from './hex.ts';
import { isRecord, parseJson } from './json-text.ts';
import { type Reading, signature as readSignature } from './message-fields.ts';
import { isMessageType, readMessage } from './message-reader.ts';
import { wireFields } from './message-writer.ts';
import type { Message, SignedMessage } from './messages.ts';

/** Longest line, in bytes of UTF-8. */
export const MAX_LINE_BYTES = 64 * 1024;
/** Deepest nesting of a line. */
export const MAX_LINE_DEPTH = 16;
/** Largest batch: bytes in all, and lines. */
export const BATCH_LIMIT: BatchLimit = { bytes: 1024 * 1024, lines: 1_000 };

export type BatchLimit = { bytes: number; lines: number };
/** Why a line was not taken; never a value out of the message. */
export type Refusal = { ok: false; reason: string };
export type Decoded = { ok: true; value: SignedMessage } | Refusal;
/** `line` counts from 1; 0 stands for the whole batch. */
export type Batch = { messages: SignedMessage[]; refused: { line: number; reason: string }[] };

/** One line without its line break. */
export function encodeMessage(message: Message, signature: Signature): string {
  const text = JSON.stringify({ type: message.type, ...wireFields(message), signature });
  if (!('metadata' in message)) return text;
  // Canonical already: parsing it again could only change the bytes that were hashed.
  return `${text.slice(0, -1)},"metadata":${message.metadata}}`;
}

/** The message in one line. Its signature is well-formed; whose it is, is not known yet. */
export function decodeMessage(line: string | Uint8Array): Decoded {
  const text = textOf(line);
  if (text === null) return refusal(`not UTF-8, or longer than ${MAX_LINE_BYTES} bytes`);
  const parsed = parseJson(text, MAX_LINE_DEPTH);
  if (!parsed.ok) return parsed;
  if (!isRecord(parsed.value)) return refusal('not an object');
  const type = parsed.value['type'];
  if (!isMessageType(type)) return refusal('unknown type');
  const reading: Reading = { fields: parsed.value, wrong: null };
  const message = readMessage(reading, type);
  const signature = readSignature(reading, 'signature');
  if (reading.wrong !== null) return refusal(`${type}: ${reading.wrong} is missing or malformed`);
  return { ok: true, value: { message, signature } };
}

/**
 * The messages in lines of bytes, in their order; empty lines are skipped. A batch above `limit.bytes` is
 * refused unread, lines above `limit.lines` are not looked at.
 */
export function decodeBatch(bytes: Uint8Array, limit: BatchLimit = BATCH_LIMIT): Batch {
  const batch: Batch = { messages: [], refused: [] };
  if (bytes.length > limit.bytes) {
    batch.refused.push({ line: 0, reason: `longer than ${limit.bytes} bytes` });
    return batch;
  }
  let line = 0;
  for (let start = 0; start < bytes.length; ) {
    line++;
    if (line > limit.lines) {
      batch.refused.push({ line, reason: `more than ${limit.lines} lines` });
      return batch;
    }
    const end = endOfLine(bytes, start);
    if (end > start) note(batch, line, decodeMessage(bytes.subarray(start, end)));
    start = end + 1;
  }
  return batch;
}

function note(batch: Batch, line: number, decoded: Decoded): void {
  if (decoded.ok) batch.messages.push(decoded.value);
  else batch.refused.push({ line, reason: decoded.reason });
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0x0a, start);
  return end < 0 ? bytes.length : end;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, or null when it is too long or not UTF-8. */
function textOf(line: string | Uint8Array): string | null {
  if (line.length > MAX_LINE_BYTES) return null;
  if (typeof line === 'string') return Buffer.byteLength(line) > MAX_LINE_BYTES ? null : line;
  try {
    return utf8.decode(line);
  } catch {
    return null;
  }
}

function refusal(reason: string): Refusal {
  return { ok: false, reason };
}
