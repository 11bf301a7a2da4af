/**
 * Refuses the numbers that the real store refuses (see `src/store/base/columns.ts`), so that simulations find the same
 * bugs.
 */

const UINT64_END = 1n << 64n;
const HEIGHTS_END = BigInt(Number.MAX_SAFE_INTEGER);

/** Checks an amount, or an identifier of any size. */
export function amount(value: bigint): bigint {
  if (value < 0n) throw new RangeError(`disk: ${value} is negative`);
  return value;
}

export function uint64(value: bigint): bigint {
  if (value < 0n || value >= UINT64_END) throw new RangeError(`disk: ${value} is no uint64`);
  return value;
}

/** Checks a block number. */
export function height(value: bigint): bigint {
  if (value < 0n || value > HEIGHTS_END) throw new RangeError(`disk: ${value} is no height`);
  return value;
}
