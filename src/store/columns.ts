/**
 * How integers are stored in SQLite. A bigint is never bound as a number: from 2^53 on the driver would silently
 * round it. In a condition, write `sql.param(sql.placeholder(name), column)`: a bare placeholder is bound without the
 * column's conversion.
 */
import { customType } from 'drizzle-orm/sqlite-core';

const UINT64_DIGITS = 20;
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

/** A uint64 as 20 digits with leading zeros, so that SQLite compares and sorts it as the number it is. */
export const orderedUint64 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver(value) {
    if (value < 0n || value >= UINT64_END) throw new RangeError(`store: ${value} is no uint64`);
    return value.toString().padStart(UINT64_DIGITS, '0');
  },
  fromDriver: BigInt,
});

/**
 * A block number or an account's transaction count: an integer far below 2^53, checked when it is written and when it
 * is read.
 */
export const height = customType<{ data: bigint; driverData: number }>({
  dataType: () => 'integer',
  toDriver(value) {
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`store: ${value} is no height`);
    }
    return Number(value);
  },
  fromDriver(value) {
    if (!Number.isSafeInteger(value)) throw new RangeError(`store: ${value} is no height`);
    return BigInt(value);
  },
});
