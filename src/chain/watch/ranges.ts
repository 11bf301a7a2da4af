/**
 * How many blocks to ask for at once: endpoints refuse long ranges, each at another length, and anybody can fill blocks
 * with logs, all of which are in memory at once.
 */

/** Blocks asked for in the first call. */
export const START_RANGE = 1000n;
const LONGEST_RANGE = 10_000n;
/** Logs that one range should not have more of. */
const MANY_LOGS = 2_000;

/**
 * The next range: half of it after a refusal, a quarter more after an answer of so many logs, unless these were many.
 * If nobody answers, that says nothing about the length.
 */
export function nextRange(
  range: bigint,
  end: { logs: number } | 'refused' | 'unreachable',
): bigint {
  if (end === 'unreachable') return range;
  if (end === 'refused' || end.logs > MANY_LOGS) return range > 1n ? range / 2n : 1n;
  if (end.logs > MANY_LOGS / 2) return range;
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

/** Blocks by which one machine of an endpoint may lag behind another. */
const NEAR_HEAD = 32n;
/** Blocks below the head whose headers are looked at even when nothing of this node is on chain yet. */
export const LOOKED_AT = 20_000n;

/**
 * How thoroughly blocks are checked: see `sound-logs.ts`. Both bounds are inclusive; the blocks before them are
 * checked least.
 */
export type BlockTrust = {
  /** From here on each block is asked for by its hash. */
  nearBlock: bigint;
  /** From here on every header is read, and answers are checked against it. */
  soundBlock: bigint;
};

/** `hasStake`: this node has or had something on chain, and may lose it by a log that is missing. */
export function trustAt(headBlock: bigint, confirmations: bigint, hasStake: boolean): BlockTrust {
  const nearBlock = headBlock - confirmations - NEAR_HEAD;
  return { nearBlock, soundBlock: hasStake ? 0n : nearBlock - LOOKED_AT };
}
