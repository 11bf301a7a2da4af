/**
 * Which secrethashes may be in the closed parts of the history (a Bloom filter): whoever asks for a new one, which is so at
 * each payment, is spared a look into every part.
 */
import type { Hex } from '../../basics/hex.ts';

/** Bits for each of 131,072 secrethashes: of 2,000 new ones the filter says of one that it may be there. */
const BITS = 16 * 131_072;
const PROBES = 8;

export type Filter = ReturnType<typeof createFilter>;

/** `short`: the last 16 bytes of a secrethash. */
export function createFilter(bits = new Uint8Array(BITS / 8)) {
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
        const at = (first + Math.imul(probe, step)) & (BITS - 1);
        bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
      }
    },
    mayHave(short: Hex): boolean {
      const { first, step } = wordsOf(short);
      for (let probe = 0; probe < PROBES; probe++) {
        const at = (first + Math.imul(probe, step)) & (BITS - 1);
        if (((bits[at >>> 3] ?? 0) & (1 << (at & 7))) === 0) return false;
      }
      return true;
    },
  };
}
