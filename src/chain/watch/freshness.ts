/**
 * Whether what an endpoint calls the newest block can be the newest: by its timestamp, the clock of this machine, and
 * the time that the chain takes for a block. Pure; all times in milliseconds.
 *
 * An endpoint can choose the timestamps. So the block time is the median of those that they show, which a few wrong
 * ones do not change, and it is kept within bounds; a head from the future is believed only for a few seconds.
 * Therefore a frozen head is noticed after `longestAge` and `MOST_AHEAD_MS` at the latest, whatever the endpoint
 * says.
 */

/** A block as its header tells it. `time`: milliseconds since 1970. */
export type Head = { number: bigint; time: number };
/** Milliseconds for each block, as the last changes of the head showed them. */
export type Pace = readonly number[];

/** Most blocks that may have been mined without this node knowing of it; beyond that it promises nothing any more. */
export const MOST_UNSEEN_BLOCKS = 6n;
/**
 * Most blocks that were seen and are still being applied, which takes a moment. Up to this number API calls are
 * served and own payments begin: a lock of ours only loses time by it, and its payee refuses it if it loses too much.
 */
export const MOST_BEING_APPLIED = 100n;
/** A fast chain may be more blocks ahead: asking for its head takes time, and headers give only whole seconds. */
const MOST_UNSEEN_FAST = 15;
const FAST_LIMIT_MS = 15_000;
const LEAST_AGE_MS = 3_000;
/** Bounds of the block time that an endpoint can make us believe in. */
const SHORTEST_BLOCK_MS = 100;
const LONGEST_BLOCK_MS = 30_000;
/** The block time that is assumed while nothing is known. */
const USUAL_BLOCK_MS = 12_000;
/** Clocks of block producers are not exact, nor is ours. */
const MOST_AHEAD_MS = 15_000;
const KEPT = 31;

/** The pace after another head was seen. A head of the same height, or of a lower one after a fork, tells nothing. */
export function paceAfter(pace: Pace, before: Head, next: Head): Pace {
  const blocks = Number(next.number - before.number);
  const passed = next.time - before.time;
  if (blocks <= 0 || passed < 0) return pace;
  return [...pace, passed / blocks].slice(-KEPT);
}

/** The chain's block time, within bounds. */
export function blockTime(pace: Pace): number {
  const sorted = pace.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? USUAL_BLOCK_MS;
  return Math.min(Math.max(median, SHORTEST_BLOCK_MS), LONGEST_BLOCK_MS);
}

/**
 * How old the newest block may be: the time of six blocks; on chains faster than one block in two and a half
 * seconds the time of fifteen, but no more than 15 and no less than 3 seconds.
 */
export function longestAge(pace: Pace): number {
  const each = blockTime(pace);
  const fast = Math.min(MOST_UNSEEN_FAST * each, FAST_LIMIT_MS);
  return Math.max(Number(MOST_UNSEEN_BLOCKS) * each, fast, LEAST_AGE_MS);
}

/** What is wrong with a head at this moment, for people; or null. */
export function headTrouble(head: Head, pace: Pace, now: number): string | null {
  const age = now - head.time;
  if (age > longestAge(pace))
    return (
      `By the clock of this machine, the newest block that the endpoint knows (${head.number}) is ` +
      `${duration(age)} old: the endpoint is behind, or the clock is fast.`
    );
  if (age < -MOST_AHEAD_MS)
    return (
      `The clock of this machine is ${duration(-age)} behind the newest block (${head.number}): ` +
      'set it, e.g. by NTP.'
    );
  return null;
}

/**
 * What is wrong when the endpoint was last asked for its head so long ago, for people; or null. A negative age: the
 * clock was set back since, so nobody knows how long ago it was.
 */
export function lookTrouble(age: number, pollIntervalMs: number): string | null {
  if (Math.abs(age) <= longestLookAge(pollIntervalMs)) return null;
  return age < 0
    ? 'The clock of this machine was set back since the endpoint last told its newest block.'
    : `The endpoint has not told its newest block for ${duration(age)}.`;
}

/** How long ago the endpoint may have last told its head. */
export function longestLookAge(pollIntervalMs: number): number {
  return Math.max(FAST_LIMIT_MS, 3 * pollIntervalMs);
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
