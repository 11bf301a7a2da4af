/** How many blocks to ask for at once: endpoints refuse long ranges, each at another length. */

/** Blocks asked for in the first call. */
export const START_RANGE = 1000n;
const LONGEST_RANGE = 10_000n;

/** Half after a refusal, a quarter more after an answer; nobody answering says nothing about the length. */
export function nextRange(range: bigint, end: 'answered' | 'refused' | 'unreachable'): bigint {
  if (end === 'unreachable') return range;
  if (end === 'refused') return range > 1n ? range / 2n : 1n;
  const longer = range + range / 4n + 1n;
  return longer < LONGEST_RANGE ? longer : LONGEST_RANGE;
}

/** The next blocks to read, inclusive, or null when there is none after `cursorBlock`. */
export function nextBlocks(
  cursorBlock: bigint,
  confirmedBlock: bigint,
  range: bigint,
): { fromBlock: bigint; toBlock: bigint } | null {
  if (cursorBlock >= confirmedBlock) return null;
  const fromBlock = cursorBlock + 1n;
  const toBlock = fromBlock + range - 1n;
  return { fromBlock, toBlock: toBlock < confirmedBlock ? toBlock : confirmedBlock };
}

/** Blocks at the head in which a machine of the endpoint may lag behind another. */
const NEAR_HEAD = 32n;
/** Blocks below the head whose headers are looked at even when nothing of this node is on chain yet. */
export const LOOKED_AT = 20_000n;

/** How far blocks are trusted: see `sound-logs.ts`. Inclusive; the rest of the blocks come before them. */
export type Trust = {
  /** From here on each block is asked for by its hash. */
  nearBlock: bigint;
  /** From here on every header is read, and answers are held against it. */
  soundBlock: bigint;
};

/** `hasStake`: this node has or had something on chain, and may lose it by a log that is missing. */
export function trustAt(headBlock: bigint, confirmations: bigint, hasStake: boolean): Trust {
  const nearBlock = headBlock - confirmations - NEAR_HEAD;
  return { nearBlock, soundBlock: hasStake ? 0n : nearBlock - LOOKED_AT };
}
