/** Whole numbers and amounts of tokens, written for people. */

/** The digits in groups of three; a negative number has a hyphen before them. */
export function groupDigits(value: bigint | number): string {
  return `${value}`.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Every digit, in groups of three: `1,000,000`. */
export function grouped(value: bigint): string {
  return value < 0n ? `\u2212${groupDigits(-value)}` : groupDigits(value);
}

/** Digits of a fraction that are shown; where there are more, an ellipsis says so. */
const SIGNIFICANT = 4;
/** With more zeros behind the point an amount is written as a power of ten. */
const MOST_ZEROS = 5;

/**
 * An amount in whole tokens, with at least four significant digits: `93.9953…`, `0.00001234…`, `5e-11`. It is cut and not
 * rounded: whoever shows it has the exact number at hand.
 */
export function inTokens(value: bigint, decimals: number): string {
  if (value < 0n) return `\u2212${inTokens(-value, decimals)}`;
  const unit = 10n ** BigInt(decimals);
  const fraction = (value % unit).toString().padStart(decimals, '0').replace(/0+$/, '');
  const whole = value / unit;
  if (fraction === '') return grouped(whole);
  const zeros = whole === 0n ? fraction.search(/[^0]/) : 0;
  const digits = fraction.slice(zeros);
  const cut = digits.length > SIGNIFICANT ? '…' : '';
  const shown = digits.slice(0, SIGNIFICANT);
  if (zeros <= MOST_ZEROS) return `${grouped(whole)}.${fraction.slice(0, zeros)}${shown}${cut}`;
  const mantissa = shown.length > 1 ? `${shown[0]}.${shown.slice(1)}` : shown;
  return `${mantissa}${cut}e-${zeros + 1}`;
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
