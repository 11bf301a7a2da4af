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
