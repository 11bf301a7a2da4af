/** Amounts as people write them in a scenario: "12.5 tokens", "0.5 ether", or plain digits of the smallest unit. */
import { parseDecimal } from '../../../basics/amount.ts';
import { unitsOf } from '../../../basics/digits.ts';

/** Of the smallest unit: no amount from outside is larger. */
export const MOST_AMOUNT = 10n ** 40n;

/** Unit -> its digits after the point; plain digits without a unit are in the smallest unit. */
export type Units = ReadonlyMap<string, number>;

export const ETHER_UNITS: Units = new Map([
  ['ether', 18],
  ['gwei', 9],
  ['wei', 0],
]);

export function tokenUnits(decimals: number): Units {
  return new Map([
    ['tokens', decimals],
    ['token', decimals],
  ]);
}

/** The amount in the smallest unit; null when the text is no amount, or is finer than the smallest unit. */
export function parseQuantity(text: string, units: Units): bigint | null {
  const match = /^(\d{1,60})(?:\.(\d{1,60}))?(?: +([a-z]+))?$/.exec(text.trim());
  if (match === null) return null;
  const [, whole = '', fraction = '', unit] = match;
  if (unit === undefined) return fraction === '' ? parseDecimal(whole) : null;
  const decimals = units.get(unit);
  if (decimals === undefined || fraction.length > decimals) return null;
  return unitsOf(whole, fraction, decimals);
}
