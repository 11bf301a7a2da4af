/** Amounts as a person types them, in whole tokens, and the units that the API takes: exact, or refused. */
import { toUnits } from '../../client/units.ts';

export type TypedAmount = { ok: true; units: bigint } | { ok: false; message: string };

/** `decimals`: of the token; `symbol`: for the message. */
export function typedAmount(text: string, decimals: number, symbol: string): TypedAmount {
  const written = text.trim();
  const units = toUnits(written, decimals);
  if (units !== null)
    return units > 0n ? { ok: true, units } : { ok: false, message: 'Write more than 0.' };
  // A comma is thousands to one reader and a point to another.
  if (written.includes(','))
    return { ok: false, message: 'Write it without commas, with a point before fractions.' };
  if (/^\d+\.\d+$/.test(written))
    return { ok: false, message: `${symbol} has ${decimals} digits after the point at most.` };
  return { ok: false, message: `Write an amount of ${symbol}, such as 1.5.` };
}

/** An identifier of a payment, null for none. */
export function typedIdentifier(text: string): { ok: true; value: bigint | null } | { ok: false } {
  const written = text.trim();
  if (written === '') return { ok: true, value: null };
  if (!/^\d{1,20}$/.test(written)) return { ok: false };
  const value = BigInt(written);
  return value > 0n && value < 2n ** 64n ? { ok: true, value } : { ok: false };
}
