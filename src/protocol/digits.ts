/** Whole numbers and amounts of tokens, written for people. */

/** The digits in groups of three; a negative number has a hyphen before them. */
export function groupDigits(value: bigint | number): string {
  return `${value}`.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Every digit, in groups of three: `1,000,000`. */
export function grouped(value: bigint): string {
  return value < 0n ? `\u2212${groupDigits(-value)}` : groupDigits(value);
}

/**
 * An amount in whole tokens, cut after four decimals (`93.9953…`), for a place that has no room for the exact number,
 * or beside it.
 */
export function inTokens(value: bigint, decimals: number): string {
  if (value < 0n) return `\u2212${inTokens(-value, decimals)}`;
  const unit = 10n ** BigInt(decimals);
  const fraction = (value % unit).toString().padStart(decimals, '0').replace(/0+$/, '');
  const shown = fraction.length > 4 ? `${fraction.slice(0, 4)}…` : fraction;
  return shown === '' ? grouped(value / unit) : `${grouped(value / unit)}.${shown}`;
}
