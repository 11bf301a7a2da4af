/** Request bodies: bounded, JSON only, integers at full precision. */
import { parse } from 'lossless-json';
import { parseSignedDecimal } from '../protocol/amount.ts';
import type { Result } from '../protocol/codes.ts';
import { failure } from './answers.ts';

/** Bytes of the largest body that is read. */
export const BODY_LIMIT = 65_536;

/** A JSON number outside strings can only follow one of these: without any, JSON.parse is exact. */
const BARE_NUMBER = /[:[,]\s*-?\d/;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** A whole decimal number, canonical: no plus, blanks, leading zeros, fraction, exponent or -0. */
export function parseInteger(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value;
  return parseSignedDecimal(value, BODY_LIMIT);
}

/**
 * The value of JSON text. A bare integer becomes a bigint, every other number NaN, which no field
 * takes. Of two equal names the last counts. A wrong text is the failure `malformed_json`.
 */
export function parseJson(text: string): Result<unknown> {
  try {
    if (!BARE_NUMBER.test(text)) return { ok: true, value: JSON.parse(text) };
    const value = parse(text, undefined, {
      parseNumber: (digits) => parseInteger(digits) ?? Number.NaN,
      onDuplicateKey: ({ newValue }) => newValue,
    });
    return { ok: true, value };
  } catch {
    // Not only a syntax error: thousands of nested lists exhaust the stack of the exact parser.
    return failure('malformed_json');
  }
}

/** The body as a JSON value. Failures: those of readJsonText, and malformed_json. */
export async function readJson(request: Request): Promise<Result<unknown>> {
  const text = await readJsonText(request, BODY_LIMIT);
  return text.ok ? parseJson(text.value) : text;
}

/**
 * The body as text that calls itself JSON, of at most `limit` bytes. Failures: body_too_large, invalid_shape,
 * unsupported_media_type, malformed_json when it did not arrive whole.
 */
export async function readJsonText(request: Request, limit: number): Promise<Result<string>> {
  let text: string | null;
  try {
    text = await readText(request, limit);
  } catch {
    return failure('malformed_json', 'The body did not arrive whole.');
  }
  if (text === null) return failure('body_too_large', `At most ${limit} bytes are read.`);
  if (text === '') return failure('invalid_shape', 'A JSON object is expected as the body.');
  const { headers } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? '') || headers.get('content-encoding')) {
    return failure('unsupported_media_type');
  }
  return { ok: true, value: text };
}

/**
 * The body's text, or null as soon as it is known to be too large. The server lets the rest of a declared
 * body pass by, for a client that reads the answer only when it has sent everything.
 */
async function readText(request: Request, limit: number): Promise<string | null> {
  const declared = request.headers.get('content-length');
  if (declared === null) return readStream(request, limit);
  // The HTTP parser never delivers more than was declared, so the whole body may be read at once.
  return Number(declared) > limit ? null : request.text();
}

/** A body of undeclared length (chunked): reading ends at the limit. */
async function readStream({ body }: Request, limit: number): Promise<string | null> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
