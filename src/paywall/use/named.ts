/** What the server behind says that a call costs, in a header or trailer `Price`: a decimal number of whole tokens. */
import { smaller } from '../../basics/amount.ts';
import { unitsOf } from '../../basics/digits.ts';
import type { Rate } from '../price.ts';

export const PRICE = 'price';
/** `amount` in the token's smallest unit. */
export type Named = { kind: 'amount'; amount: bigint } | { kind: 'nothing' } | { kind: 'nonsense' };

const DECIMAL = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

/** `values`: of all headers, or trailers, of the name. What is less than the token's smallest unit is left out. */
export function namedIn(
  values: readonly string[],
  { most, decimals }: Pick<Rate, 'most' | 'decimals'>,
): Named {
  const [text, ...others] = values;
  if (text === undefined) return { kind: 'nothing' };
  const [, whole, fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
  if (whole === undefined || others.length > 0) return { kind: 'nonsense' };
  // A sum of such numbers often has more digits than the token.
  const amount = unitsOf(whole, fraction.slice(0, decimals), decimals);
  return amount === null ? { kind: 'nonsense' } : { kind: 'amount', amount: smaller(amount, most) };
}
