/** Figures in the words of a report: each with what it claims, and text that is made from the same value. */

import { groupDigits, inTokens } from '../../../basics/digits.ts';
import type { Claim } from '../../../basics/figure.ts';
import {
  blockSpan,
  compact,
  countOf,
  cut,
  duration,
  exactly,
  percent,
  plain,
  tokens,
} from './numbers.ts';
import type { Token } from './result.ts';

/** `exact`: all of the value, where the text does not say all of it. */
export type Said = Claim & { readonly text: string; readonly exact?: string };
/** A sentence with figures in it. */
export type Words = readonly (string | Said)[];

/** The sentence without its claims, as for the terminal and for screen readers. */
export function textOf(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : word.text)).join('');
}

/** A whole number, with what is counted if it is named: "4,900 payments". */
export function sayCount(of: string, value: number, one?: string, many?: string): Said {
  const text = one === undefined ? groupDigits(value) : countOf(value, one, many);
  return { of, value, unit: 'count', text };
}

/** A whole number where there is little room: "1.2k". */
export function sayCompact(of: string, value: number): Said {
  return withExact({ of, value, unit: 'count', text: compact(value) }, groupDigits(value));
}

/** A number that need not be whole, with so many digits after the point. */
export function sayMean(of: string, value: number, digits = 1): Said {
  const text = plain(value, digits);
  return withExact({ of, value, unit: 'count', text }, Number.isInteger(value) ? text : `${value}`);
}

/** `share`: from 0 to 1. */
export function sayShare(of: string, share: number): Said {
  return { of, value: share * 1000, unit: 'share', text: percent(share) };
}

export function sayAmount(of: string, value: bigint, token: Token): Said {
  return withExact({ of, value, unit: 'token', text: tokens(value, token) }, exactly(value));
}

/** An amount below a head that names its token. */
export function sayBare(of: string, value: bigint, { decimals }: Pick<Token, 'decimals'>): Said {
  const text = inTokens(value, decimals);
  return withExact({ of, value, unit: 'token', text }, exactly(value));
}

/** How long something took, in milliseconds. */
export function saySpan(of: string, ms: number): Said {
  return withExact({ of, value: ms, unit: 'span', text: duration(ms) }, `${ms} ms`);
}

export function sayBlocks(of: string, value: number): Said {
  return { of, value, unit: 'blocks', text: countOf(value, 'block') };
}

/** What took so many blocks, from 0 on. */
export function sayLatency(of: string, value: number): Said {
  return { of, value, unit: 'blocks', text: blockSpan(value) };
}

/** "within 2 blocks", and "under a block" as it is. */
export function within(said: Said, word = 'within'): Words {
  return said.unit === 'blocks' && said.value === 0 ? [said] : [`${word} `, said];
}

/** A height. */
export function sayBlock(of: string, value: number): Said {
  return { of, value, unit: 'block', text: groupDigits(value) };
}

/** Text of the run, of which only the beginning is shown if it is long. */
export function sayText(of: string, value: string, text = cut(value)): Said {
  return withExact({ of, value, unit: 'word', text }, value);
}

const withExact = (said: Said, exact: string): Said =>
  said.text === exact ? said : { ...said, exact };
