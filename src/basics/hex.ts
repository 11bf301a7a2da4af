/** Bytes and addresses as text. Every address inside the node is in its EIP-55 form, so `===` compares. */
import { getAddress } from 'viem';

export type Hex = `0x${string}`;
/** 20 bytes, EIP-55 mixed case. */
export type Address = Hex;
/** 32 bytes, lower case. */
export type Hash = Hex;
/** 32 bytes, lower case; whoever holds it can claim the lock of its sha256. */
export type Secret = Hex;
/** 65 bytes r | s | v, lower case. */
export type Signature = Hex;

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
export const ZERO_HASH: Hash = `0x${'00'.repeat(32)}`;

/** Lower-case hex text of the bytes. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** The bytes of hex text whose form was checked before. */
export function fromHex(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

/** Whether `value` is 0x and exactly `bytes` bytes of hex digits. */
export function isHexOf(value: unknown, bytes: number): value is Hex {
  return (
    typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-fA-F]*$/.test(value)
  );
}

const KNOWN_LIMIT = 10_000;
const known = new Map<string, Address>();

/** The EIP-55 form of 20 bytes of hex in any case, or null when it is not that. */
export function parseAddress(value: unknown): Address | null {
  const seen = typeof value === 'string' ? known.get(value) : undefined;
  if (seen !== undefined) return seen;
  if (!isHexOf(value, 20)) return null;
  const address = getAddress(value.toLowerCase());
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(value, address);
  return address;
}

/** Whether `value` is an address in its EIP-55 form, as the API demands. */
export function isChecksummed(value: unknown): value is Address {
  return typeof value === 'string' && parseAddress(value) === value;
}
