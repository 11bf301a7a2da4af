/**
 * How integers are stored in SQLite. A bigint is never bound as a number: from 2^53 on the driver would silently
 * round it. In a condition, write `sql.param(sql.placeholder(name), column)`: a bare placeholder is bound without the
 * column's conversion.
 */
import { type SQL, sql } from 'drizzle-orm';
import { customType, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type Address, type Hash, type Hex, parseAddress, toHex } from '../../basics/hex.ts';

const UINT64_END = 1n << 64n;

/** An unsigned integer of any size as decimal text. Sorted as text, the values are not in numerical order. */
export const uint = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver(value) {
    if (value < 0n) throw new RangeError(`store: ${value} is negative`);
    return value.toString();
  },
  fromDriver: BigInt,
});

/**
 * A block number or an account's transaction count: an integer far below 2^53, checked when it is written and when it
 * is read.
 */
export const height = customType<{ data: bigint; driverData: number }>({
  dataType: () => 'integer',
  toDriver: heightOf,
  fromDriver(value) {
    if (!Number.isSafeInteger(value)) throw new RangeError(`store: ${value} is no height`);
    return BigInt(value);
  },
});

/** The height as a number. Throws when it is none. */
export function heightOf(value: bigint): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`store: ${value} is no height`);
  }
  return Number(value);
}

/** Blobs are bound as hexadecimal digits: the parameters of every statement are text and numbers, never bytes. */
export type Blob = string | Uint8Array;

/** A parameter for a column of one of the types below. */
export const unhex = (name: string, column: SQLiteColumn): SQL =>
  sql`unhex(${sql.param(sql.placeholder(name), column)})`;

/** 20 bytes; what is read has the checksum of its letters again. */
export const addressBlob = customType<{ data: Address; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (value) => value.slice(2),
  fromDriver: (value) => addressOf(toHex(bytesOf(value))),
});

function addressOf(bytes: Hex): Address {
  const address = parseAddress(bytes);
  if (address === null) throw new Error('store: bytes that are no address');
  return address;
}

/**
 * What a column of addresses holds, for a query of many rows: the driver makes text in a quarter of the time that it takes
 * for bytes.
 */
export const addressIn = (column: SQLiteColumn): SQL<Address> =>
  sql`hex(${column})`.mapWith((digits: string) => addressOf(`0x${digits}`));

/** Bytes as hexadecimal digits: 32 of them in most columns. */
export const hashBlob = customType<{ data: Hash; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (value) => value.slice(2),
  fromDriver: (value) => toHex(bytesOf(value)),
});

/** An unsigned integer of any size in as few bytes as possible; 0 has none. Not in numerical order. */
export const uintBlob = customType<{ data: bigint; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver(value) {
    if (value < 0n) throw new RangeError(`store: ${value} is negative`);
    if (value === 0n) return '';
    const digits = value.toString(16);
    return digits.length % 2 === 0 ? digits : `0${digits}`;
  },
  fromDriver(value) {
    const bytes = bytesOf(value);
    return bytes.length === 0 ? 0n : BigInt(toHex(bytes));
  },
});

/** What a column of such integers holds, for a query of many rows. */
export const uintIn = (column: SQLiteColumn): SQL<bigint> =>
  sql`hex(${column})`.mapWith((digits: string) => (digits === '' ? 0n : BigInt(`0x${digits}`)));

/** A uint64 in 8 bytes, so that SQLite compares and sorts it as the number it is. */
export const uint64Blob = customType<{ data: bigint; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver(value) {
    if (value < 0n || value >= UINT64_END) throw new RangeError(`store: ${value} is no uint64`);
    return value.toString(16).padStart(16, '0');
  },
  fromDriver: (value) => BigInt(toHex(bytesOf(value))),
});

/** Bytes of any number. */
export const bytesBlob = customType<{ data: Uint8Array; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (value) => toHex(value).slice(2),
  fromDriver: bytesOf,
});

/** What a column of bytes holds. Throws when it holds text, which nothing writes there. */
export function bytesOf(value: Blob): Uint8Array {
  if (typeof value === 'string') throw new Error('store: text where bytes should be');
  return value;
}
