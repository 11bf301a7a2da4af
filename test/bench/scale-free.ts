/** A network as they grow: new nodes open channels with those that have many. The same in every run. */
import type { Address } from '../../src/basics/hex.ts';

export const NODES = 10_000;
export const CHANNELS_OF_A_NEW_NODE = 5;
const TOKEN = 10n ** 18n;

export type Channel = {
  id: bigint;
  participants: [Address, Address];
  capacities: [bigint, bigint];
};

/** Numbers from 0 to 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const random = seeded(4);

/** Between the two, each order of magnitude alike, in units of a token of 18 decimals. */
export function amountBetween(low: number, high: number): bigint {
  const tokens = low * (high / low) ** random();
  return (BigInt(Math.round(tokens * 1e6)) * TOKEN) / 1_000_000n;
}

export function addressOf(node: number): Address {
  return `0x${(node + 1).toString(16).padStart(40, '0')}`;
}

/** Scale-free: a new node opens channels with others in proportion to how many they have, five each. */
export function channelsOfNetwork(nodes = NODES): Channel[] {
  const ends: number[] = [];
  const channels: Channel[] = [];
  const first = CHANNELS_OF_A_NEW_NODE + 1;
  for (let node = 1; node < nodes; node++) {
    const partners = new Set<number>();
    const wanted = Math.min(node, CHANNELS_OF_A_NEW_NODE);
    while (partners.size < wanted) {
      const drawn = node < first ? partners.size : ends[Math.floor(random() * ends.length)];
      partners.add(drawn ?? 0);
    }
    for (const partner of partners) {
      ends.push(node, partner);
      channels.push({
        id: BigInt(channels.length + 1),
        participants: [addressOf(node), addressOf(partner)],
        capacities: [amountBetween(1, 1000), amountBetween(1, 1000)],
      });
    }
  }
  return channels;
}
