/** Types of single fields of a scenario. Their error messages follow the field's name. */

import * as v from 'valibot';
import { readBy } from '../../../protocol/shapes.ts';
import { MOST_AMOUNT, parseQuantity, type Units } from '../numbers/quantities.ts';
import { isRole, parseSelection, type Selection } from './selection.ts';

/** An object that refuses unknown fields, and then lists the known ones. */
export function object<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries).map(fileKey).join(', ');
  return v.strictObject(entries, ({ expected }) => {
    if (expected === 'never') return `is not known here; allowed: ${known}`;
    return expected === 'Object' ? `must hold fields: ${known}` : 'is missing';
  });
}

/** The key in files for a key of the program: `flatFee` is `flat_fee`. */
export function fileKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The key of the program for a key in files. */
export function programKey(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function whole(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}

export function decimal(least: number, most: number) {
  const message = `must be a number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.minValue(least, message), v.maxValue(most, message));
}

/** A share, or a probability. */
export const share = v.pipe(decimal(0, 1), v.title('share'));

/** More than four months at twelve seconds each. */
export const MOST_BLOCKS = 1_000_000;

/** A duration in blocks; `what` is for the documentation. */
export function blocks(least: number, most = MOST_BLOCKS, what = '') {
  return counted('blocks', whole(least, most), what);
}

/** A block, counted from the block in which the network is set up; `what` is for the documentation. */
export function blockAt(what = '') {
  return counted('block', whole(0, MOST_BLOCKS), what);
}

/** Title and description must come before the transformation, or the JSON Schema would not have them. */
function counted(title: string, schema: ReturnType<typeof whole>, what: string) {
  return v.pipe(
    schema,
    v.title(title),
    v.description(what),
    v.transform((count) => BigInt(count)),
  );
}

/** Parts per million. */
export function partsPerMillion(most: number, what: string) {
  return counted('parts per million', whole(0, most), what);
}

export function text(most: number) {
  const message = `must be a text of 1 to ${most} characters`;
  return v.pipe(v.string(message), v.trim(), v.minLength(1, message), v.maxLength(most, message));
}

/**
 * Text that `parse` reads, or a whole number that is read as its digits; `parse` returns null to refuse. `title`:
 * the name in the documentation.
 */
function parsed<T>(title: string, parse: (text: string) => T | null, message: string) {
  return v.pipe(
    v.union(
      [v.string(), v.pipe(v.number(), v.safeInteger(message), v.minValue(0, message))],
      message,
    ),
    v.title(title),
    readBy((given: string | number) => parse(String(given)), message),
  );
}

/** An amount of at most 10^40 of the smallest unit. */
export function quantity(units: Units, title = 'amount') {
  const words = [...units.keys()];
  const parse = (given: string) => {
    const amount = parseQuantity(given, units);
    return amount === null || amount > MOST_AMOUNT ? null : amount;
  };
  const message = `must be an amount such as "12.5 ${words[0]}" (${words.join(', ')}), or digits of the smallest unit`;
  return parsed(title, parse, message);
}
export type Amount = ReturnType<typeof quantity>;

export const selection = parsed<Selection>(
  'selection',
  parseSelection,
  'must name nodes: all, 3, 0..9, a role, hubs:10 or random:5, also several with commas',
);

export const nodeIndex = v.pipe(whole(0, 9_999), v.title('node'));

export const role = v.pipe(
  v.string('must be a word'),
  v.check(isRole, 'must be a word of lower-case letters, digits and _, other than "all"'),
);

/** The word by which `oneOf` distinguishes objects; `what` is for the documentation. */
export function tag<const Word extends string>(word: Word, what: string) {
  return v.pipe(v.literal(word), v.description(what));
}

/** One of several objects, distinguished by the text under `key`. */
export function oneOf<const Key extends string, const Options extends v.VariantOptions<Key>>(
  key: Key,
  options: Options,
) {
  return v.variant(key, options, ({ expected, received }) =>
    expected === 'Object'
      ? `must be an object with a field "${key}"`
      : `must be one of ${(expected ?? '').replace(/^\(|\)$/g, '').replaceAll(' | ', ', ')}${received === 'undefined' ? '' : `, not ${received}`}`,
  );
}

/** One of several words. */
export function word<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `must be one of ${words.join(', ')}`);
}

/** A field that may be absent, and is null then. */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.optional(v.nullable(schema), null);
}

/** A list of at most `most` entries, empty when absent. */
export function list<const Schema extends v.GenericSchema>(schema: Schema, most: number) {
  const message = `must be a list of at most ${most}`;
  return v.optional(v.pipe(v.array(schema, message), v.maxLength(most, message)), []);
}
