/**
 * The shapes of values that the API writes as text. The metadata goes into the OpenAPI document; `ref` names a schema
 * there.
 */
import * as v from 'valibot';
import { type Address, type Hex, isChecksummed, isHexOf } from '../basics/hex.ts';

const ADDRESS = 'Must be a 0x address in EIP-55 form.';

/** An address, in a request or in an answer. */
export const address = v.pipe(
  v.string(ADDRESS),
  v.metadata({
    ref: 'Address',
    description: 'An address of the chain in its EIP-55 mixed-case form.',
    pattern: '^0x[0-9a-fA-F]{40}$',
    examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  }),
  v.guard((value: string): value is Address => isChecksummed(value), ADDRESS),
);

/** A number in an answer. Answers write all numbers as decimal text, except a planned block. */
export const decimal = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9][0-9]*)$/),
  v.metadata({
    ref: 'Decimal',
    description: 'A whole number of 0 or more; amounts are in the smallest unit of the token.',
  }),
);

/** 32 bytes in an answer. */
export const hash = v.pipe(
  v.string(),
  v.metadata({ ref: 'Hash', description: '32 bytes.', pattern: '^0x[0-9a-f]{64}$' }),
  v.guard((value: string): value is Hex => isHexOf(value, 32)),
);
