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

/**
 * The digits before and after the point as a whole number of the smallest unit. Null: there are more than `decimals` after
 * it, zeros at the end apart.
 */
export function unitsOf(whole: string, fraction: string, decimals: number): bigint | null {
  const digits = fraction.replace(/0+$/, '');
  return digits.length > decimals ? null : BigInt(whole + digits.padEnd(decimals, '0'));
}

/** `fromUnits(1500000000000000000n, 18)` is '1.5': exact, without groups. */
export function fromUnits(units: bigint, decimals: number): string {
  if (units < 0n) return `-${fromUnits(-units, decimals)}`;
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
