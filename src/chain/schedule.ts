/** Who goes first, and who is not tried again. Pure. */
import type { ChainErrorKind } from './errors.ts';
import type { Job, Outcome } from './jobs.ts';

export type Entry = { job: Job; order: number; isStarted: boolean };
export type FailureCode = Extract<Outcome, { ok: false }>['code'];

/** Blocks before a deadline from which on a job pays more and is replaced sooner. */
const URGENT_BLOCKS = 20n;
/** Transactions under way at a time; those with a deadline may use more. */
const MOST_WAITING = 8;
const MOST_WAITING_WITH_DEADLINE = 16;
/** Simulations in a row that must revert before a revert counts that may be an endpoint's lag. */
const MOST_REVERTS = 5;
const MOST_OUTAGES = 6;
const LONGEST_PAUSE_TICKS = 30;

export function isNear(deadlineBlock: bigint | null, headBlock: bigint): boolean {
  return deadlineBlock !== null && deadlineBlock - headBlock <= URGENT_BLOCKS;
}

export function hasRoom(waiting: number, job: Job): boolean {
  return waiting < (job.deadlineBlock === null ? MOST_WAITING : MOST_WAITING_WITH_DEADLINE);
}

/** Ticks to wait after so many failures in a row. */
export function pauseTicks(tries: number): number {
  return Math.min(2 ** Math.min(tries, 10), LONGEST_PAUSE_TICKS);
}

/** The jobs that may go on, nearest deadline first; of those that approve one token only one. */
export function inTurn<E extends Entry>(entries: readonly E[]): E[] {
  const sorted = entries.toSorted(byUrgency);
  const holders = new Map<string, E>();
  for (const entry of sorted) {
    const { token } = entry.job;
    if (token === undefined) continue;
    const holder = holders.get(token);
    if (holder === undefined || (entry.isStarted && !holder.isStarted)) holders.set(token, entry);
  }
  return sorted.filter(({ job, order }) => {
    return job.token === undefined || holders.get(job.token)?.order === order;
  });
}

function byUrgency(a: Entry, b: Entry): number {
  const [first, second] = [a.job.deadlineBlock, b.job.deadlineBlock];
  if (first === second) return a.order - b.order;
  if (first === null) return 1;
  if (second === null) return -1;
  return first < second ? -1 : 1;
}

/**
 * The code that ends a job whose next call could not be sent, or null to try again. `tries` counts this
 * one. A job with a deadline is only ended by a lasting revert, or for lack of money when it is too late.
 */
export function verdict(
  kind: ChainErrorKind,
  entry: { job: Job; step: number; tries: number },
  headBlock: bigint | null,
): FailureCode | null {
  const { job, step, tries } = entry;
  const { deadlineBlock } = job;
  switch (kind) {
    case 'reverted': {
      // After a step of ours, in danger, or just in time: the endpoint may have simulated on an older block.
      const mayLag = deadlineBlock !== null || job.notBeforeBlock !== undefined || step > 0;
      return tries >= (mayLag ? MOST_REVERTS : 1) ? 'transaction_failed' : null;
    }
    case 'insufficient_gas': {
      const isTooLate = deadlineBlock === null || (headBlock ?? 0n) > deadlineBlock;
      return isTooLate ? 'insufficient_gas' : null;
    }
    default: {
      const mustGoOn = deadlineBlock !== null || job.isPatient === true;
      return !mustGoOn && tries >= MOST_OUTAGES ? 'chain_unavailable' : null;
    }
  }
}
