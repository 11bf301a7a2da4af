/** The numbers that the real store refuses, see `src/store/columns.ts`: a bug that it finds is found here, too. */

const UINT64_END = 1n << 64n;
const HEIGHTS_END = BigInt(Number.MAX_SAFE_INTEGER);

/** An amount or an identifier of any size. */
export function amount(value: bigint): bigint {
  if (value < 0n) throw new RangeError(`disk: ${value} is negative`);
  return value;
}

export function uint64(value: bigint): bigint {
  if (value < 0n || value >= UINT64_END) throw new RangeError(`disk: ${value} is no uint64`);
  return value;
}

/** A block number. */
export function height(value: bigint): bigint {
  if (value < 0n || value > HEIGHTS_END) throw new RangeError(`disk: ${value} is no height`);
  return value;
}
