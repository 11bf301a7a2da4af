/**
 * Which keys may be somewhere (a Bloom filter): whoever asks for a new one, which is so at each payment, is spared a look into
 * every part of what is on the disk.
 */
import type { Hex } from '../../basics/hex.ts';

/** With sixteen bits for each key, the filter says of one in 2,000 that are not there that they may be. */
const PROBES = 8;

export type Filter = ReturnType<typeof createFilter>;

/** `given`: the bits of an earlier filter, or how many bytes a new one has: a power of two. Keys are 16 bytes of a hash. */
export function createFilter(given: Uint8Array | number) {
  const bits = typeof given === 'number' ? new Uint8Array(given) : given;
  const mask = 8 * bits.length - 1;
  /** Two of its words say where its bits are: it is a hash already. */
  const wordsOf = (short: Hex) => ({
    first: Number.parseInt(short.slice(2, 10), 16),
    step: Number.parseInt(short.slice(10, 18), 16) | 1,
  });

  return {
    bits,
    add(short: Hex): void {
      const { first, step } = wordsOf(short);
      for (let probe = 0; probe < PROBES; probe++) {
        const at = (first + Math.imul(probe, step)) & mask;
        bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
      }
    },
    mayHave(short: Hex): boolean {
      const { first, step } = wordsOf(short);
      for (let probe = 0; probe < PROBES; probe++) {
        const at = (first + Math.imul(probe, step)) & mask;
        if (((bits[at >>> 3] ?? 0) & (1 << (at & 7))) === 0) return false;
      }
      return true;
    },
  };
}
