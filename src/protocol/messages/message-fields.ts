/**
 * Reads the typed fields of a message out of a parsed JSON object. A reader that meets a wrong value notes the
 * field's name and returns a stand-in, so that the caller has to ask only once, at the end, whether a field was
 * wrong.
 */
import { parseUint64, parseUint256 } from '../../basics/amount.ts';
import {
  type Address,
  type Hash,
  type Hex,
  isHexOf,
  parseAddress,
  type Signature,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../../basics/hex.ts';
import { EMPTY_SIGNATURE } from '../channel/balance-proof.ts';
import type { Lock } from '../channel/lock.ts';
import { isRecord } from '../wire/json-text.ts';
import { tryCanonicalJson } from '../wire/metadata.ts';

/** The object being read, and the first field that was wrong. */
export type Reading = { readonly fields: Readonly<Record<string, unknown>>; wrong: string | null };

/** Notes that a field is wrong. */
export function refuse<T>(reading: Reading, name: string, standIn: T): T {
  reading.wrong ??= name;
  return standIn;
}

export function uint64(reading: Reading, name: string): bigint {
  return parseUint64(reading.fields[name]) ?? refuse(reading, name, 0n);
}

export function uint256(reading: Reading, name: string): bigint {
  return parseUint256(reading.fields[name]) ?? refuse(reading, name, 0n);
}

/** For numbers that start at 1: channel identifiers and nonces. */
export function positive(reading: Reading, name: string, value: bigint): bigint {
  return value > 0n ? value : refuse(reading, name, value);
}

/** Number 0 means that there is no channel. */
export function channelId(reading: Reading, name: string): bigint {
  return positive(reading, name, uint256(reading, name));
}

export function address(reading: Reading, name: string): Address {
  return parseAddress(reading.fields[name]) ?? refuse(reading, name, ZERO_ADDRESS);
}

export function bytes32(reading: Reading, name: string): Hash {
  const value = reading.fields[name];
  return isHexOf(value, 32) ? lowerCase(value) : refuse(reading, name, ZERO_HASH);
}

/** Absent and null mean false. */
export function optionalFlag(reading: Reading, name: string): boolean {
  return reading.fields[name] == null ? false : flag(reading, name);
}

export function flag(reading: Reading, name: string): boolean {
  const value = reading.fields[name];
  return typeof value === 'boolean' ? value : refuse(reading, name, false);
}

/** The recovery byte in the forms that are accepted, each with the form that is kept. */
const RECOVERY = new Map([
  ['00', '1b'],
  ['01', '1c'],
  ['1b', '1b'],
  ['1c', '1c'],
]);

/** A signature of 65 bytes; the last one is turned into 27 or 28. */
export function signature(reading: Reading, name: string): Signature {
  const value = reading.fields[name];
  if (!isHexOf(value, 65)) return refuse(reading, name, EMPTY_SIGNATURE);
  const recovery = RECOVERY.get(value.slice(-2).toLowerCase());
  if (recovery === undefined) return refuse(reading, name, EMPTY_SIGNATURE);
  return `0x${value.slice(2, -2).toLowerCase()}${recovery}`;
}

/**
 * A signature of 65 bytes that the sender quotes and hashes: nothing in it is changed but the case. It ends in 27 or
 * 28, or all of it is zero.
 */
export function quotedSignature(reading: Reading, name: string): Signature {
  const value = reading.fields[name];
  if (!isHexOf(value, 65)) return refuse(reading, name, EMPTY_SIGNATURE);
  const text = lowerCase(value);
  const isKept = text === EMPTY_SIGNATURE || text.endsWith('1b') || text.endsWith('1c');
  return isKept ? text : refuse(reading, name, EMPTY_SIGNATURE);
}

/** What `read` makes of the object in the field. If a field of the object is wrong, it is noted as `name.field`. */
export function object<T>(reading: Reading, name: string, read: (inner: Reading) => T): T {
  const value = reading.fields[name];
  const inner: Reading = { fields: isRecord(value) ? value : {}, wrong: null };
  const result = read(inner);
  return inner.wrong === null ? result : refuse(reading, `${name}.${inner.wrong}`, result);
}

export function lock(reading: Reading, name: string): Lock {
  return object(reading, name, (inner) => ({
    amount: uint256(inner, 'amount'),
    expiration: uint256(inner, 'expiration'),
    secrethash: bytes32(inner, 'secrethash'),
  }));
}

/** An object, as canonical JSON text of at most `maxBytes` bytes. */
export function metadata(reading: Reading, name: string, maxBytes: number): string {
  const value = reading.fields[name];
  const text = isRecord(value) ? tryCanonicalJson(value) : null;
  const isKept = text !== null && Buffer.byteLength(text) <= maxBytes;
  return isKept ? text : refuse(reading, name, '{}');
}

function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
