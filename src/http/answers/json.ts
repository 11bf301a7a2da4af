/** JSON with integers at full precision. */
import { parse } from 'lossless-json';
import { parseSignedDecimal } from '../../basics/amount.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from './responses.ts';

/** Most digits of a number that is read. */
const LONGEST_NUMBER = 65_536;

/** A JSON number outside strings can only follow one of these: without any, JSON.parse is exact. */
const BARE_NUMBER = /[:[,]\s*-?\d/;

/** A whole decimal number, canonical: no plus, blanks, leading zeros, fraction, exponent or -0. */
export function parseInteger(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value;
  return parseSignedDecimal(value, LONGEST_NUMBER);
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
