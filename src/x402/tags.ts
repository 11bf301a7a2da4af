/**
 * The tag of an offer: with it a server knows its own offers again and keeps none of them, and a payment fits one resource.
 */
import * as Hash from 'ox/Hash';
import { fromHex, type Hex, isHexOf, toHex } from '../basics/hex.ts';

/** What a tag binds together. `url`: as the client asks for it, with its query. */
export type Bound = {
  paymentId: string;
  method: string;
  url: string;
  amount: string;
  asset: string;
  payTo: string;
  network: string;
  expires: number;
  /** The terms of the tab that the payment opens, as JSON; null: it buys one call. */
  tab: string | null;
};
export type OfferTags = {
  tagOf(bound: Bound): Hex;
  /** In a time that does not depend on where they differ. */
  isTagOf(tag: string, bound: Bound): boolean;
};

const VERSION = 'sluice x402 offer 1';
/** What is paid for a call opens no tab. */
const TAB_VERSION = 'sluice x402 tab offer 1';
const LEAST_KEY_BYTES = 32;

/** `key`: 32 bytes or more, also as hexadecimal text. Throws when it is shorter: tags could be made up. */
export function createTags(key: Uint8Array | string): OfferTags {
  const bytes = typeof key === 'string' ? bytesOf(key) : Uint8Array.from(key);
  if (bytes.byteLength < LEAST_KEY_BYTES)
    throw new Error(`the key of offers has ${LEAST_KEY_BYTES} bytes at least`);
  // Not that of WebCrypto, which takes three times as long, and a thread from whoever writes to the disk.
  const tagOf = (bound: Bound) => toHex(Hash.hmac256(bytes, packed(wordsOf(bound))));
  return {
    tagOf,
    isTagOf: (tag, bound) => isHexOf(tag, 32) && isSame(tag.toLowerCase(), tagOf(bound)),
  };
}

/** Whether two texts of one length are the same, in a time that does not depend on where they differ. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

function bytesOf(text: string): Uint8Array {
  const digits = text.replace(/^0x/, '');
  if (!/^([0-9a-fA-F]{2})+$/.test(digits)) throw new Error('the key of offers is no hexadecimal');
  return Uint8Array.from(fromHex(`0x${digits}`));
}

function wordsOf(bound: Bound): string[] {
  const { paymentId, method, url, amount, asset, payTo, network, expires, tab } = bound;
  const words = [paymentId, method, url, amount, asset, payTo, network, `${expires}`];
  return tab === null ? [VERSION, ...words] : [TAB_VERSION, ...words, tab];
}

/** Each part with its length before it, four bytes, so that no two lists have the same bytes. */
export function packed(words: readonly string[]): Uint8Array {
  const parts = words.map((word) => new TextEncoder().encode(word));
  const size = parts.reduce((sum, { byteLength }) => sum + 4 + byteLength, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.byteLength);
    bytes.set(part, at + 4);
    at += 4 + part.byteLength;
  }
  return bytes;
}
