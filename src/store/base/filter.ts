/**
 * Which keys may be somewhere (a Bloom filter): whoever asks for a new one, which is so at each payment, is spared a look into
 * every part of what is on the disk.
 */
import type { Hex } from '../../basics/hex.ts';

/** With sixteen bits for each key, the filter says of one in 2,000 that are not there that they may be. */
const BYTES_OF_KEY = 2;
const PROBES = 8;

export type Filter = ReturnType<typeof createFilter>;
/** Two words of a key, which is 16 bytes of a hash: they say where its bits are. */
export type Words = { first: number; step: number };

export const wordsOf = (key: Hex): Words => ({
  first: Number.parseInt(key.slice(2, 10), 16),
  step: Number.parseInt(key.slice(10, 18), 16) | 1,
});

/** `given`: the bits of an earlier filter, or for how many keys a new one is: a power of two. */
export function createFilter(given: Uint8Array | number) {
  const bits = typeof given === 'number' ? new Uint8Array(BYTES_OF_KEY * given) : given;
  const mask = 8 * bits.length - 1;

  return {
    bits,
    add({ first, step }: Words): void {
      for (let probe = 0; probe < PROBES; probe++) {
        const at = (first + Math.imul(probe, step)) & mask;
        bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
      }
    },
    mayHave({ first, step }: Words): boolean {
      for (let probe = 0; probe < PROBES; probe++) {
        const at = (first + Math.imul(probe, step)) & mask;
        if (((bits[at >>> 3] ?? 0) & (1 << (at & 7))) === 0) return false;
      }
      return true;
    },
  };
}
