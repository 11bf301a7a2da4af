/** Random numbers of a simulation: all of them follow from its seed. */
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import { keccak256 } from '../../protocol/hash.ts';

/** One sequence of random numbers. Drawing from it changes no other sequence. */
export type Draw = {
  /** An integer of at least `least` and at most `most`. */
  integer(least: number, most: number): number;
  /** As `integer`, of any size. */
  bigint(least: bigint, most: bigint): bigint;
  /** At least 0 and less than 1. */
  fraction(): number;
  /** True with this probability; never for 0, always for 1. */
  happens(probability: number): boolean;
  /** One of the items; there must be at least one. */
  pick<T>(from: readonly T[]): T;
  bytes(count: number): Uint8Array;
};

/** Gives a separate sequence for each name, e.g. "node 3/network", so that one more user changes no other sequence. */
export type Randomness = { of(name: string): Draw };

const STEPS = 2 ** 30;

export function createRandomness(seed: number): Randomness {
  return { of: (name) => createDraw(`${seed}/${name}`) };
}

function createDraw(name: string): Draw {
  const digest = keccak256(Buffer.from(name));
  const words = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength);
  const state = [0, 4, 8, 12].map((offset) => words.readInt32BE(offset));
  const generator = xoroshiro128plusFromState(state);
  const integer = (least: number, most: number) => uniformInt(generator, least, most);
  const fraction = () => integer(0, STEPS - 1) / STEPS;

  return {
    integer,
    bigint: (least, most) => uniformBigInt(generator, least, most),
    fraction,
    happens: (probability) => fraction() < probability,
    pick(from) {
      const picked = from[integer(0, from.length - 1)];
      if (picked === undefined) throw new Error('simulation: there is nothing to pick from');
      return picked;
    },
    bytes(count) {
      const drawn = new Uint8Array(count);
      for (let n = 0; n < count; n++) drawn[n] = integer(0, 255);
      return drawn;
    },
  };
}
