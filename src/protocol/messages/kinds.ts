/** What a field of a message may hold. Each kind that is also kept in a database has the shape that is checked there. */
import * as v from 'valibot';
import { parseUint64, parseUint256 } from '../../basics/amount.ts';
import {
  type Address,
  type Hash,
  type Hex,
  isHexOf,
  parseAddress,
  type Signature,
} from '../../basics/hex.ts';
import { EMPTY_SIGNATURE } from '../channel/balance-proof.ts';
import { type Lock, lockShape } from '../channel/lock.ts';
import { hex, text, uint } from '../shapes.ts';
import { isRecord } from '../wire/json-text.ts';
import { tryCanonicalJson } from '../wire/metadata.ts';
import { fields, type Kind, named, object } from './fields.ts';

type Shape<T> = v.GenericSchema<unknown, T>;
type Kept<T> = Kind<T> & { readonly shape: Shape<T> };

/** The shapes of the values of some fields. */
export function shapesOf<T extends object>(
  kinds: { readonly [K in keyof T]: Kept<T[K]> },
): {
  [K in keyof T]: Shape<T[K]>;
};
export function shapesOf(kinds: Readonly<Record<string, Kept<unknown>>>) {
  return Object.fromEntries(Object.entries(kinds).map(([key, { shape }]) => [key, shape]));
}

function decimal(parse: (value: unknown) => bigint | null): Kept<bigint> {
  return { shape: uint, read: (value) => parse(value) ?? undefined };
}

/** For numbers that start at 1: channel identifiers and nonces. */
function from1({ read, ...kind }: Kept<bigint>): Kept<bigint> {
  return { ...kind, read: (value, note) => read(value, note) || undefined };
}

export const uint64 = decimal(parseUint64);
export const uint256 = decimal(parseUint256);
export const positive = from1(uint64);

const hexOf = (read: (value: unknown) => Hex | undefined): Kept<Hex> => ({ shape: hex, read });

export const address: Kept<Address> = hexOf((value) => parseAddress(value) ?? undefined);
export const bytes32: Kept<Hash> = hexOf((value) =>
  isHexOf(value, 32) ? lowerCase(value) : undefined,
);

/** The recovery byte in the forms that are accepted, each with the form that is kept. */
const RECOVERY = new Map([
  ['00', '1b'],
  ['01', '1c'],
  ['1b', '1b'],
  ['1c', '1c'],
]);

/** A signature of 65 bytes; the last one is turned into 27 or 28. */
export const signature: Kind<Signature> = hexOf((value) => {
  if (!isHexOf(value, 65)) return undefined;
  const recovery = RECOVERY.get(value.slice(-2).toLowerCase());
  return recovery === undefined ? recovery : `0x${value.slice(2, -2).toLowerCase()}${recovery}`;
});

/**
 * A signature of 65 bytes that the sender quotes and hashes: nothing in it is changed but the case. It ends in 27 or
 * 28, or all of it is zero.
 */
export const quotedSignature: Kind<Signature> = hexOf((value) => {
  const known = isHexOf(value, 65) ? lowerCase(value) : undefined;
  return known === EMPTY_SIGNATURE || known?.endsWith('1b') || known?.endsWith('1c')
    ? known
    : undefined;
});

export const flag: Kind<boolean> = {
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  write: String,
};
/** Absent and null mean false. */
export const optionalFlag: Kind<boolean> = {
  ...flag,
  read: (value, note) => flag.read(value ?? false, note),
};

/** Always the same text. */
export const literal = <T extends string>(value: T): Kept<T> => ({
  shape: v.literal(value),
  read: (given) => (given === value ? value : undefined),
});

export const lock: Kept<Lock> = {
  ...object(fields({ amount: uint256, expiration: uint256, secrethash: bytes32 })),
  shape: lockShape,
};

/**
 * An object of at most `maxBytes` bytes, as canonical JSON text (keys sorted, no blanks): it is hashed and forwarded
 * as it came. Parsing it again could only change the bytes that were hashed.
 */
export const canonical = (maxBytes: number): Kept<string> => ({
  shape: text,
  read(value) {
    const canon = isRecord(value) ? tryCanonicalJson(value) : null;
    return canon !== null && Buffer.byteLength(canon) <= maxBytes ? canon : undefined;
  },
  write: String,
});

function lowerCase(given: Hex): Hex {
  const lower = given.toLowerCase();
  return lower === given ? given : `0x${lower.slice(2)}`;
}

export const tokenNetwork = named('token_network_address', address);
export const channelId = named('channel_identifier', from1(uint256));
export const messageId = named('message_identifier', uint64);
export const paymentId = named('payment_identifier', uint64);
