/**
 * The filter of a block header over the logs of its block: every address and topic sets three of 2,048 bits. Whatever
 * is in the block is in the filter; something that is not in the block may seem to be in it. Source: yellow paper
 * 4.3.1.
 */
import { keccak256 } from 'viem';
import { type Address, fromHex, type Hash, type Hex } from '../../basics/hex.ts';

/** 256 bytes. */
export type Bloom = Uint8Array;
/** An event of one contract. */
export type EventOf = { address: Address; topic: Hash };

const BITS = 2048;
const BYTES = BITS / 8;
/** The bits of addresses and topics: few are asked for, and the same ones for every block. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 10_000;

export function hasItem(bloom: Bloom, item: Hex): boolean {
  return bitsOf(item).every((bit) => ((bloom[byteOf(bit)] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** The filter over these addresses and topics. */
export function bloomOver(items: Iterable<Hex>): Bloom {
  const bloom = new Uint8Array(BYTES);
  for (const item of items)
    for (const bit of bitsOf(item))
      bloom[byteOf(bit)] = (bloom[byteOf(bit)] ?? 0) | (1 << (bit & 7));
  return bloom;
}

/** Whether every bit of `part` is set in `whole`. */
export function isWithin(part: Bloom, whole: Bloom): boolean {
  return part.every((byte, at) => (byte & ~(whole[at] ?? 0)) === 0);
}

/** The events that the block may hold by its filter. */
export function eventsIn(bloom: Bloom, events: readonly EventOf[]): EventOf[] {
  return events.filter(({ address, topic }) => hasItem(bloom, address) && hasItem(bloom, topic));
}

/**
 * How likely the filter of a block without any of the events seems to hold one: 0 to 1. It grows with
 * what else is in the block, and is near 1 on a busy chain.
 */
export function chanceOfError(bloom: Bloom, events: readonly EventOf[]): number {
  const set = bloom.reduce((sum, byte) => sum + ones(byte), 0);
  const item = (set / BITS) ** 3;
  const topics = new Map<Address, number>();
  for (const { address } of events) topics.set(address, (topics.get(address) ?? 0) + 1);
  const none = [...topics.values()].reduce(
    (left, count) => left * (1 - item * (1 - (1 - item) ** count)),
    1,
  );
  return 1 - none;
}

function bitsOf(item: Hex): readonly number[] {
  const found = known.get(item);
  if (found !== undefined) return found;
  const hash = fromHex(keccak256(item));
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & (BITS - 1));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(item, bits);
  return bits;
}

const byteOf = (bit: number): number => BYTES - 1 - (bit >> 3);

function ones(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
}
