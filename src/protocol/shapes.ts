/**
 * The building blocks of the shapes of stored values: each shape is checked when a value is read, and its type is
 * inferred from it.
 */
import * as v from 'valibot';
import type { Hex } from '../basics/hex.ts';
import { CODES } from './codes.ts';

export const hex = v.custom<Hex>((value) => typeof value === 'string' && value.startsWith('0x'));
export const uint = v.pipe(v.bigint(), v.minValue(0n));
/** A block, or an amount, that may not be known yet. */
export const optionalUint = v.nullable(uint);
export const text = v.string();
/** How often something happened. */
export const count = v.number();
/** Why something was refused or failed, in the API's words. */
export const failure = v.object({ code: v.picklist(CODES), detail: text });

/** A list that is replaced as a whole, never changed in place. */
export function list<T>(item: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, readonly T[]> {
  return v.array(item);
}

/** The last step of a schema: what `read` makes of the value; null from it refuses the value with this message. */
export const readBy = <I, O>(read: (value: I) => O | null, message: string) =>
  v.rawTransform<I, O>(({ dataset, addIssue, NEVER }) => {
    const value = read(dataset.value);
    if (value !== null) return value;
    addIssue({ message });
    return NEVER;
  });
