/** Typed values out of the text of the vectors. */

import type { Signature } from '../../../src/basics/hex.ts';
import { type Address, type Hash, isHexOf, parseAddress } from '../../../src/basics/hex.ts';
import vectors from '../../vectors.json' with { type: 'json' };

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

/** The messages of the published vectors, with the token that ours say in a SecretRequest besides. */
export const publishedCases = vectors.messages.cases.map((one) => {
  const { json } = one;
  const token = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
  return json.type === 'SecretRequest' ? { ...one, json: { ...json, token } } : one;
});
