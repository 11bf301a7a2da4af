/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): under its key a call can be repeated, and what
 * it asks for is done once. The key is written as the draft does, as a string in quotes, or without them.
 */
import { createHash } from 'node:crypto';
import { type Hex, toHex } from '../../basics/hex.ts';
import { failure, type Result } from '../../protocol/codes.ts';
import type { KeyedCall } from '../../store/base/batch.ts';
import { encode } from '../../store/base/codec.ts';
import type { Grant } from './tokens.ts';

export const KEY_HEADER = 'idempotency-key';
const LONGEST_KEY = 255;
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
/** A string of RFC 8941. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const HOW = `It has from 1 to ${LONGEST_KEY} printable characters, with quotes around them if there are spaces in it.`;
/** Of digests: nobody finds two texts with the same one. */
const DIGEST_BYTES = 16;

/** The key in a header; null: there is no header. Failure: invalid_key. */
export function keyIn(header: string | null): Result<string | null> {
  if (header === null) return { ok: true, value: null };
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  return key === '' || key.length > LONGEST_KEY
    ? failure('invalid_key', HOW)
    : { ok: true, value: key };
}

/**
 * `asked`: method, path and content of the request, as the endpoint understands it. A key is that of one caller: others
 * may use the same one.
 */
export function keyedCall({ caller }: Grant, key: string, asked: readonly unknown[]): KeyedCall {
  return {
    caller: digest(caller),
    key: digest(key),
    content: digest(encode(asked)),
  };
}

function digest(text: string): Hex {
  return toHex(createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES));
}
