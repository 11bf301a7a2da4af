/**
 * The kinds of values in requests and answers, beside those of `text-shapes.ts`. The metadata goes into the OpenAPI
 * document; `ref` names a schema there.
 */

import * as v from 'valibot';
import { fromHex, type Hex, isHexOf, toHex } from '../../basics/hex.ts';
import { readBy } from '../../protocol/shapes.ts';
import { parseInteger } from '../answers/json.ts';

const BYTES_32 = 'Must be 0x and 64 hex digits.';

/** An integer in a request; the route judges its range. */
export const integer = v.pipe(
  v.custom<string | number>(() => true),
  v.metadata({
    ref: 'Integer',
    description: 'A whole number at full precision: decimal text, or a JSON integer.',
    anyOf: [{ type: 'string', pattern: '^(0|-?[1-9][0-9]*)$' }, { type: 'integer' }],
  }),
  readBy<string | number, bigint>(
    parseInteger,
    'Must be a whole decimal number, as a string or a JSON integer.',
  ),
);

/** 32 bytes in a request, converted to lower case. */
export const bytes32 = v.pipe(
  v.string(BYTES_32),
  v.metadata({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  v.guard((value: string): value is Hex => isHexOf(value, 32), BYTES_32),
  v.transform((hex) => toHex(fromHex(hex))),
);

export const text = v.string('Must be a string.');

/** A field of a body that may be absent or null; both read as null. */
export function optional<T extends v.GenericSchema>(schema: T) {
  return v.nullish(schema, null);
}

/** Takes no other fields than these. */
export function object<T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, ({ expected, received }) => {
    if (expected === 'never') return 'Unknown field.';
    return received === 'undefined' ? 'Missing.' : 'Must be an object.';
  });
}
