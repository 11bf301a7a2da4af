/** Which job goes first, and which one is not tried again. Pure. */

import type { ChainErrorKind } from '../errors.ts';
import { MOST_GAS } from './calls.ts';
import type { CallKind, Job, JobOutcome } from './jobs.ts';

export type ScheduledEntry = { job: Job; order: number; isStarted: boolean };
export type FailureCode = Extract<JobOutcome, { ok: false }>['code'];
/**
 * What a job is for; the classes are in the order in which they are sent. `protect`: a close, or the newest proof
 * against one; without them a whole channel can be lost. `register`: a secret, without which one lock is lost.
 */
export type Class = (typeof CLASSES)[number];

export const CLASSES = ['protect', 'register', 'other'] as const;
const CLASS_OF: Partial<Record<CallKind, Class>> = {
  close: 'protect',
  updateProof: 'protect',
  monitor: 'protect',
  registerSecret: 'register',
};
/** Blocks before a deadline from which on a job pays more and is replaced sooner. */
const URGENT_BLOCKS = 20n;
/** Transactions of one account that every pool keeps, however full it is. */
const MOST_WAITING = 16;
/**
 * Most transactions of a class that may be under way at a time, so that they do not crowd out the others.
 * Registrations need few: each holds many secrets, and more of them would have lower nonces than proof updates that
 * come later, which would have to wait for them.
 */
const MOST_OF_CLASS = { register: 4, other: 6 };
/** Simulations in a row that must revert before a job ends whose revert may be due to an endpoint that lags. */
const MOST_REVERTS = 5;
/**
 * Blocks until a lost call that moves tokens is tried again, by how much each further pause is longer, and how many
 * pauses get longer.
 */
export const FIRST_LOSS_PAUSE = 80n;
const LOSS_PAUSE_GROWTH = 8n;
const MOST_PAUSES = 5;
const MOST_OUTAGES = 6;
/** The longest pause of a job that is not in a hurry, in ticks. */
export const LONGEST_PAUSE_TICKS = 30;
const LONGEST_PAUSE_TICKS_WITH_DEADLINE = 4;

export function isNear(deadlineBlock: bigint | null, headBlock: bigint): boolean {
  return deadlineBlock !== null && deadlineBlock - headBlock <= URGENT_BLOCKS;
}

export function classOf({ calls }: Pick<Job, 'calls'>): Class {
  const classes = new Set(calls.map(({ kind }) => CLASS_OF[kind]));
  return CLASSES.find((one) => classes.has(one)) ?? 'other';
}

/** Whether one more of the class may be sent while so many of each wait for a block. */
export function hasRoom(waiting: Readonly<Record<Class, number>>, kind: Class): boolean {
  const all = waiting.protect + waiting.register + waiting.other;
  if (kind === 'register') return waiting.register < MOST_OF_CLASS.register;
  if (kind === 'other' && waiting.other >= MOST_OF_CLASS.other) return false;
  return all + Math.max(0, MOST_OF_CLASS.register - waiting.register) < MOST_WAITING;
}

/** Ticks to wait after so many failures in a row. A failure that an endpoint's lag may explain is given time. */
export function pauseTicks(
  kind: ChainErrorKind,
  tries: number,
  { deadlineBlock }: Pick<Job, 'deadlineBlock'>,
  headBlock: bigint,
): number {
  const isPatient = kind === 'reverted' && !isNear(deadlineBlock, headBlock);
  const longest =
    deadlineBlock === null || isPatient ? LONGEST_PAUSE_TICKS : LONGEST_PAUSE_TICKS_WITH_DEADLINE;
  return Math.min(2 ** Math.min(tries, 10), longest);
}

/**
 * The first block after which a job is tried again that was mined without effect although its simulation had passed.
 * Null: the job is of a kind that ends by itself after a few such losses, see `MOST_LOST_RUNS`.
 *
 * A settlement or an unlock never ends, and calls a token that may tell a simulation from a block. Each loss is paid
 * for by this node alone, so the pauses grow from minutes to weeks. Nothing expires meanwhile.
 */
export function blockAfterLosses(
  { calls, isPatient }: Pick<Job, 'calls' | 'isPatient'>,
  { lostRuns, lostBlock }: { lostRuns: number; lostBlock: bigint },
): bigint | null {
  if (isPatient !== true || !calls.some(({ kind }) => MOST_GAS[kind] !== undefined)) return null;
  const pauses = Math.min(lostRuns, MOST_PAUSES);
  return pauses === 0 ? 0n : lostBlock + FIRST_LOSS_PAUSE * LOSS_PAUSE_GROWTH ** BigInt(pauses - 1);
}

/**
 * Whether the job can no longer be in time. A call that is not sent yet can only be mined in a later block than the
 * newest; one that is under way may still turn out to have been mined in time, until the deadline's block is
 * confirmed. Always false for what protects a channel: the contract accepts a better proof until somebody settles,
 * and only then refuses it.
 */
export function isTooLate(
  { deadlineBlock, calls }: Pick<Job, 'deadlineBlock' | 'calls'>,
  isUnderWay: boolean,
  { headBlock, confirmations }: { headBlock: bigint; confirmations: bigint },
): boolean {
  if (deadlineBlock === null || classOf({ calls }) === 'protect') return false;
  return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock);
}

/**
 * The jobs that may go on: those that protect a channel first, then registrations, then the rest, in each class the
 * nearest deadline first. Of the jobs that approve one token only one may go on.
 */
export function inTurn<E extends ScheduledEntry>(entries: readonly E[]): E[] {
  const sorted = entries
    .map((entry) => ({ entry, rank: CLASSES.indexOf(classOf(entry.job)) }))
    .sort((a, b) => a.rank - b.rank || byUrgency(a.entry, b.entry))
    .map(({ entry }) => entry);
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

function byUrgency(a: ScheduledEntry, b: ScheduledEntry): number {
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
      // The registry takes every secret, so an endpoint that says otherwise is wrong, and the deadline decides.
      if (deadlineBlock !== null && classOf(job) === 'register') return null;
      // With a deadline, at the first possible block, or after another call of the job, the endpoint may have
      // simulated on an older block.
      const mayLag = deadlineBlock !== null || job.notBeforeBlock !== undefined || step > 0;
      return tries >= (mayLag ? MOST_REVERTS : 1) ? 'transaction_failed' : null;
    }
    case 'insufficient_gas': {
      const isTooLate = deadlineBlock === null || (headBlock ?? 0n) > deadlineBlock;
      return isTooLate ? 'insufficient_gas' : null;
    }
    default: {
      const mustGoOn = deadlineBlock !== null || job.isPatient === true;
      if (mustGoOn || tries < MOST_OUTAGES) return null;
      // An endpoint that has answered can be reached.
      return kind === 'unavailable' ? 'chain_unavailable' : 'transaction_failed';
    }
  }
}
