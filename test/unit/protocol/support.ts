/** Typed values out of the text of the vectors. */

import type { Signature } from '../../../src/basics/hex.ts';
import { type Address, type Hash, isHexOf, parseAddress } from '../../../src/basics/hex.ts';

export function parseBytes32(text: string): Hash {
  if (!isHexOf(text, 32)) throw new Error(`not 32 bytes: ${text}`);
  return text;
}

export function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

export function signatureOf(text: string): Signature {
  if (!isHexOf(text, 65)) throw new Error(`not a signature: ${text}`);
  return text;
}
