/** Encodes and decodes calls and answers of contracts: only the types that the contracts use. */

import { toEventSelector, toFunctionSelector } from 'viem';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Address, type Hash, type Hex, parseAddress } from '../../../basics/hex.ts';
import { refused } from './revert.ts';

/**
 * Reads the arguments one after the other. It refuses what Solidity refuses, such as cut data or an address with
 * dirty bits.
 */
export type Input = {
  uint(): bigint;
  address(): Address;
  hash(): Hash;
  bytes(): Hex;
  /**
   * Checked only when the function is called, as Solidity does with parts of structs: a broken value that is never
   * read does no harm.
   */
  laterBytes(): () => Hex;
  text(): string;
  /** A struct with a field of variable length. */
  struct(): Input;
  list<T>(take: (items: Input) => T): T[];
};
export type Word = bigint | boolean | Hex;

/** Hexadecimal digits of one word. */
const WORD = 64;
const LONGEST = 10_000_000n;

/** `data`: calldata. `start`: number of digits after 0x to skip, by default those of the selector. */
export function readInput(data: Hex, start = 8): Input {
  return inputAt(data.slice(2).toLowerCase(), start);
}

function inputAt(digits: string, base: number): Input {
  let at = base;

  function wordAt(place: number): string {
    if (place + WORD > digits.length) throw refused();
    return digits.slice(place, place + WORD);
  }
  function word(): string {
    const found = wordAt(at);
    at += WORD;
    return found;
  }
  /** The digit at which a value of variable length begins. */
  const place = (offset = word()): number => base + 2 * lengthOf(offset);

  function take(start = place()): string {
    const from = start + WORD;
    const to = from + 2 * lengthOf(wordAt(start));
    if (to > digits.length) throw refused();
    return digits.slice(from, to);
  }
  return {
    uint: () => BigInt(`0x${word()}`),
    hash: () => `0x${word()}`,
    address() {
      const found = word();
      const address = found.startsWith('0'.repeat(24))
        ? parseAddress(`0x${found.slice(24)}`)
        : null;
      if (address === null) throw refused();
      return address;
    },
    bytes: () => `0x${take()}`,
    laterBytes() {
      const offset = word();
      return () => `0x${take(place(offset))}`;
    },
    text: () => Buffer.from(take(), 'hex').toString('utf8'),
    struct: () => inputAt(digits, place()),
    list(takeItem) {
      const start = place();
      const count = lengthOf(wordAt(start));
      if (start + WORD + count * WORD > digits.length) throw refused();
      const items = inputAt(digits, start + WORD);
      return Array.from({ length: count }, () => takeItem(items));
    },
  };
}

function lengthOf(digits: string): number {
  const length = BigInt(`0x${digits}`);
  if (length > LONGEST) throw refused();
  return Number(length);
}

/** Encodes numbers, booleans, addresses and hashes, 32 bytes each. */
export function words(...values: readonly Word[]): Hex {
  return `0x${values.map(wordOf).join('')}`;
}

function wordOf(value: Word): string {
  if (typeof value === 'boolean') return (value ? '1' : '0').padStart(WORD, '0');
  if (typeof value === 'bigint') return value.toString(16).padStart(WORD, '0');
  return value.slice(2).toLowerCase().padStart(WORD, '0');
}

/** Encodes a text as the only returned value. */
export function textOutput(text: string): Hex {
  const bytes = Buffer.from(text, 'utf8');
  const digits = bytes.toString('hex');
  const padded = digits.padEnd(Math.ceil(digits.length / WORD) * WORD, '0');
  return `0x${wordOf(32n)}${wordOf(BigInt(bytes.length))}${padded}`;
}

/** The topic that names an event, e.g. `Minted(address,uint256)`. */
export const eventTopic = (signature: string): Hash => toEventSelector(signature);

const selectors = new Map<string, Hex>();

/** The four bytes of a function's selector, e.g. of `mint(uint256)`. */
export function selectorOf(signature: string): Hex {
  return getOrMake(selectors, signature, () => toFunctionSelector(signature));
}

/** Calldata for a function whose arguments all fit in one word each. */
export function callData(signature: string, ...args: readonly Word[]): Hex {
  return `${selectorOf(signature)}${words(...args).slice(2)}`;
}
