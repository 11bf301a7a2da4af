/**
 * Messages as lines of JSON, one object each. They were written by a stranger: nothing here throws, and nothing is
 * parsed before its size is known. Source: protocol section 2.1.
 */
import { isRecord, parseJson } from './json-text.ts';

/** Longest line, in bytes of UTF-8. */
export const MAX_LINE_BYTES = 64 * 1024;
/** Deepest nesting of a line. */
export const MAX_LINE_DEPTH = 16;
/**
 * Lists, objects, members and further values of a line, with its closing brackets. Metadata of 16 kB full of addresses
 * has 400; a line of 64 kB full of empty lists took 12 ms of CPU time.
 */
export const MAX_LINE_PARTS = 4_096;
/** Largest batch: bytes in all, and lines. */
export const BATCH_LIMIT: BatchLimit = { bytes: 1024 * 1024, lines: 1_000 };

export type BatchLimit = { bytes: number; lines: number };
/** Why a line was not taken; never a value out of the message. */
export type LineRefusal = { ok: false; reason: string };
export type Decoded<T> = { ok: true; value: T } | LineRefusal;
/** `line` counts from 1; 0 stands for the whole batch. */
export type Batch<T> = { messages: T[]; refused: { line: number; reason: string }[] };

/** The object that one line holds. */
export function readLine(line: string | Uint8Array): Decoded<Record<string, unknown>> {
  const text = textOf(line);
  if (text === null) return refusal(`not UTF-8, or longer than ${MAX_LINE_BYTES} bytes`);
  const parsed = parseJson(text, { depth: MAX_LINE_DEPTH, parts: MAX_LINE_PARTS });
  if (!parsed.ok) return parsed;
  return isRecord(parsed.value) ? { ok: true, value: parsed.value } : refusal('not an object');
}

/**
 * What `decode` makes of each line, in their order; empty lines are skipped. A batch above `limit.bytes` is
 * refused unread, lines above `limit.lines` are not looked at.
 */
export function decodeLines<T>(
  bytes: Uint8Array,
  limit: BatchLimit,
  decode: (line: Uint8Array) => Decoded<T>,
): Batch<T> {
  const batch: Batch<T> = { messages: [], refused: [] };
  for (const { line, decoded } of decodedLines(bytes, limit, decode)) {
    if (decoded.ok) batch.messages.push(decoded.value);
    else batch.refused.push({ line, reason: decoded.reason });
  }
  return batch;
}

/** The same, one line after the other: none is decoded before it is asked for. */
export function* decodedLines<T>(
  bytes: Uint8Array,
  limit: BatchLimit,
  decode: (line: Uint8Array) => Decoded<T>,
): Generator<{ line: number; decoded: Decoded<T> }> {
  if (bytes.length > limit.bytes) {
    yield { line: 0, decoded: refusal(`longer than ${limit.bytes} bytes`) };
    return;
  }
  let line = 0;
  for (let start = 0; start < bytes.length; ) {
    line++;
    if (line > limit.lines) {
      yield { line, decoded: refusal(`more than ${limit.lines} lines`) };
      return;
    }
    const end = endOfLine(bytes, start);
    if (end > start) yield { line, decoded: decode(bytes.subarray(start, end)) };
    start = end + 1;
  }
}

/** Characters after which a new payload begins: brokers and receivers accept four times as many bytes. */
const PAYLOAD_CHARS = 256 * 1024;

/** The lines, in their order, as payloads that every broker and every receiver accepts. */
export function* payloadsOf(lines: readonly string[]): Generator<string> {
  let text = '';
  let count = 0;
  for (const line of lines) {
    const isFull = text.length + line.length > PAYLOAD_CHARS || count === BATCH_LIMIT.lines;
    if (count > 0 && isFull) {
      yield text;
      text = '';
      count = 0;
    }
    text += count === 0 ? line : `\n${line}`;
    count++;
  }
  if (count > 0) yield text;
}

export function refusal(reason: string): LineRefusal {
  return { ok: false, reason };
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
