/** Lines between two nodes that are not like the others: each has a delay and a loss of its own. */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address } from '../../basics/hex.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import type { Parcel } from './parcel.ts';

/** `loss`: the share of the payloads that get lost on it. */
export type Line = { delayMs: number; loss: number };
/** The line from one node to another; null: it is like all others. */
export type LineOf = (from: Address, to: Address) => Line | null;

export function createLines(lineOf: LineOf, randomness: Randomness) {
  const draws = new Map<string, Draw>();

  function drawOf({ from, to }: Pick<Parcel, 'from' | 'to'>): Draw {
    const name = `network/line ${from} ${to}`;
    return getOrMake(draws, name, () => randomness.of(name));
  }

  return {
    /** How long the payload is on its way; null: as long as any other. */
    delayMs: ({ from, to }: Parcel): number | null => lineOf(from, to)?.delayMs ?? null,
    /** Whether the line loses this payload. */
    loses(parcel: Parcel): boolean {
      const line = lineOf(parcel.from, parcel.to);
      return line !== null && drawOf(parcel).happens(line.loss);
    },
  };
}
