/** The channels of a list from elsewhere, with the names of their nodes. */
import { parseDecimal } from '../../../basics/amount.ts';
import { MOST_AMOUNT, parseQuantity, type Units } from '../numbers/quantities.ts';
import type { Field, Row } from './channel-rows.ts';

/** What each side has, or what both have together, in the smallest unit. */
export type Capacity = { a: bigint; b: bigint } | { total: bigint };
/**
 * What one side asks for a payment that it passes on in this channel, and how many blocks it wants to have for it; null:
 * the list does not say.
 */
export type SideTerms = {
  flat: bigint | null;
  /** Parts per million. */
  proportional: bigint | null;
  revealTimeout: bigint | null;
};
export type NamedChannel = {
  a: string;
  b: string;
  capacity: Capacity;
  termsA: SideTerms;
  termsB: SideTerms;
};

export const MOST_PROPORTIONAL = 1_000_000n;
export const MOST_REVEAL_TIMEOUT = 10_000n;

export function totalOf({ capacity }: Pick<NamedChannel, 'capacity'>): bigint {
  return 'total' in capacity ? capacity.total : capacity.a + capacity.b;
}

/** The channel of a row, or what is wrong with the row. */
export function channelOf({ fields }: Row, units: Units): NamedChannel | string {
  const [a = '', b = ''] = [fields.get('a'), fields.get('b')];
  if (!isName(a) || !isName(b))
    return 'names of nodes must have 1 to 100 letters, digits, or . _ : -';
  if (a === b) return `${a} cannot have a channel with itself`;
  const capacity = capacityOf(fields, units);
  if (typeof capacity === 'string') return capacity;
  const termsA = termsOf(fields, ['flat_a', 'proportional_ppm_a', 'reveal_timeout_a'], units);
  const termsB = termsOf(fields, ['flat_b', 'proportional_ppm_b', 'reveal_timeout_b'], units);
  if (typeof termsA === 'string') return termsA;
  if (typeof termsB === 'string') return termsB;
  return { a, b, capacity, termsA, termsB };
}

export function isName(name: string): boolean {
  return /^[\w.:-]{1,100}$/.test(name);
}

function amountOf(text: string | undefined, units: Units): bigint | null {
  const amount = text === undefined ? null : parseQuantity(text, units);
  return amount === null || amount > MOST_AMOUNT ? null : amount;
}

function capacityOf(fields: Row['fields'], units: Units): Capacity | string {
  const amount = (field: Field) => amountOf(fields.get(field), units);
  const hasSides = fields.has('capacity_a') || fields.has('capacity_b');
  if (hasSides === fields.has('capacity'))
    return 'must have either capacity_a and capacity_b, or capacity';
  const [a, b, total] = [amount('capacity_a'), amount('capacity_b'), amount('capacity')];
  if (a !== null && b !== null) return { a, b };
  if (total !== null) return { total };
  return 'capacities must be amounts such as "12.5 tokens", or digits of the smallest unit';
}

function termsOf(
  fields: Row['fields'],
  [flat, proportional, reveal]: readonly [Field, Field, Field],
  units: Units,
): SideTerms | string {
  const terms = {
    flat: amountOf(fields.get(flat), units),
    proportional: within(fields.get(proportional), 0n, MOST_PROPORTIONAL),
    revealTimeout: within(fields.get(reveal), 1n, MOST_REVEAL_TIMEOUT),
  };
  if (fields.has(flat) && terms.flat === null) return `${flat} must be an amount`;
  if (fields.has(proportional) && terms.proportional === null)
    return `${proportional} must be a whole number from 0 to ${MOST_PROPORTIONAL}`;
  if (fields.has(reveal) && terms.revealTimeout === null)
    return `${reveal} must be a whole number from 1 to ${MOST_REVEAL_TIMEOUT}`;
  return terms;
}

function within(text: string | undefined, least: bigint, most: bigint): bigint | null {
  const value = text === undefined ? null : parseDecimal(text, 15);
  return value !== null && value >= least && value <= most ? value : null;
}

/** The fields from which `channelOf` reads this channel. */
export function fieldsOf({ a, b, capacity, termsA, termsB }: NamedChannel): Row['fields'] {
  const sides: [Field, bigint | null][] =
    'total' in capacity
      ? [['capacity', capacity.total]]
      : [
          ['capacity_a', capacity.a],
          ['capacity_b', capacity.b],
        ];
  const all: [Field, bigint | null][] = [
    ...sides,
    ['flat_a', termsA.flat],
    ['proportional_ppm_a', termsA.proportional],
    ['reveal_timeout_a', termsA.revealTimeout],
    ['flat_b', termsB.flat],
    ['proportional_ppm_b', termsB.proportional],
    ['reveal_timeout_b', termsB.revealTimeout],
  ];
  const fields = new Map<Field, string>([
    ['a', a],
    ['b', b],
  ]);
  for (const [field, value] of all) if (value !== null) fields.set(field, String(value));
  return fields;
}
