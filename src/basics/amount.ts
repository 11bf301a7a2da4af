/** Whole numbers of the protocol and their decimal text. */

export const MAX_UINT64 = 2n ** 64n - 1n;
export const MAX_UINT256 = 2n ** 256n - 1n;

const ZERO = 0x30;
const NINE = 0x39;

/**
 * The number that strict decimal text stands for: digits only, no leading zeros, at most `maxDigits`
 * of them (78 hold every uint256). Null for everything else. The length is looked at before the
 * digits, so that a text of a million digits costs nothing.
 */
export function parseDecimal(text: unknown, maxDigits = 78): bigint | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > maxDigits) return null;
  if (text.charCodeAt(0) === ZERO && text.length > 1) return null;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at);
    if (digit < ZERO || digit > NINE) return null;
  }
  return BigInt(text);
}

/** Like `parseDecimal`, but a minus sign may precede a number other than 0. */
export function parseSignedDecimal(text: unknown, maxDigits = 78): bigint | null {
  if (typeof text !== 'string' || !text.startsWith('-')) return parseDecimal(text, maxDigits);
  const size = parseDecimal(text.slice(1), maxDigits);
  return size === null || size === 0n ? null : -size;
}

/** Strict decimal text of 0 to 2^64 - 1, or null. */
export function parseUint64(text: unknown): bigint | null {
  const value = parseDecimal(text, 20);
  return value === null || value > MAX_UINT64 ? null : value;
}

/** Strict decimal text of 0 to 2^256 - 1, or null. */
export function parseUint256(text: unknown): bigint | null {
  const value = parseDecimal(text, 78);
  return value === null || value > MAX_UINT256 ? null : value;
}

/** a + b, or 2^256 - 1 when that is less: the contracts add so where they may not revert. */
export function addSaturating(a: bigint, b: bigint): bigint {
  const sum = a + b;
  return sum > MAX_UINT256 ? MAX_UINT256 : sum;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Digits after the point that a person reads. */
const SHOWN = 6n;

/**
 * An amount of a currency or token with 18 decimals in whole units, for people: at most six digits after
 * the point, rounded the way that does not promise too much (`up` for what is needed).
 */
export function wholeUnits(amount: bigint, rounding: 'down' | 'up'): string {
  const step = 10n ** (18n - SHOWN);
  const steps = (rounding === 'up' ? amount + step - 1n : amount) / step;
  const fraction = (steps % 10n ** SHOWN).toString().padStart(Number(SHOWN), '0');
  const shown = fraction.replace(/0+$/, '');
  const whole = steps / 10n ** SHOWN;
  return shown === '' ? whole.toString() : `${whole}.${shown}`;
}
