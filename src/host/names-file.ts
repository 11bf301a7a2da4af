/**
 * The JSON file of names for addresses: `{"bob": "0x…"}`. They are only shown to people; nothing is decided by them.
 */
import * as v from 'valibot';
import { type Address, parseAddress } from '../basics/hex.ts';

export type NamedAddress = { name: string; address: Address };

const LONGEST_NAME = 32;
const MOST_NAMES = 10_000;

const namesFile = v.record(v.string(), v.string());

/** Reads the file's text. The message of a failure says what is wrong with which name. */
export function parseNames(
  text: string,
): { ok: true; value: NamedAddress[] } | { ok: false; message: string } {
  const parsed = v.safeParse(namesFile, fromJson(text));
  if (!parsed.success) return wrong('it must be a JSON object of names and addresses');
  const entries = Object.entries(parsed.output);
  if (entries.length > MOST_NAMES) return wrong(`it has more than ${MOST_NAMES} names`);
  const names = new Map<Address, NamedAddress>();
  for (const [name, given] of entries) {
    const address = parseAddress(given);
    if (!isName(name))
      return wrong(
        `a name has from 1 to ${LONGEST_NAME} letters, digits, spaces, dots, hyphens or underscores`,
      );
    if (address === null) return wrong(`${name}: must be an address (0x and 40 hex digits)`);
    if (names.has(address)) return wrong(`${name}: this address has a name already`);
    names.set(address, { name, address });
  }
  return { ok: true, value: [...names.values()] };
}

export function namesFileText(names: readonly NamedAddress[]): string {
  return JSON.stringify(Object.fromEntries(names.map(({ name, address }) => [name, address])));
}

function isName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(name);
}

function fromJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A list would be taken for an object whose keys are its indexes.
    return Array.isArray(value) ? null : value;
  } catch {
    return null;
  }
}

const wrong = (message: string) => ({ ok: false, message }) as const;
