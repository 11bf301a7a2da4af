/** Finds out what became of the jobs whose transactions are under way, and ends those that are too late. */
import { createBreather } from '../../basics/breather.ts';
import type { Entries, Entry } from './entries.ts';
import type { Market } from './fees.ts';
import type { Job, JobOutcome } from './jobs.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import type { PendingTransactions } from './pending-transactions.ts';
import { type FailureCode, isTooLate } from './schedule.ts';
import type { QueueTrouble } from './trouble.ts';

type Parts = {
  entries: Entries;
  pendingTransactions: PendingTransactions;
  confirmations: bigint;
  /** Runs work that must not fail: an error in it ends the queue. */
  must: <T>(act: () => T | Promise<T>) => Promise<T>;
  onTrouble: (trouble: QueueTrouble) => void;
};

/** The end of a job that had failed before this process began, and has taken back what it had left behind. */
const CLEANED_UP: JobOutcome = {
  ok: false,
  code: 'transaction_failed',
  detail: 'It failed, and what it had approved was taken back.',
};

/** Refusals in a row after which a job that cannot wait is given up. */
const MOST_REFUSALS = 10;

export function createJobEndings(parts: Parts) {
  const { entries, pendingTransactions, confirmations, must, onTrouble } = parts;
  /** The transaction had no effect, or never will have one: the jobs that waited for it are sent again. */
  async function lose(pending: PendingTransaction): Promise<void> {
    for (const entry of entries.ridersOf(pending)) {
      if (entry.outcome?.ok) entry.outcome = null;
      if (pending.mined === null) continue;
      entry.lostRuns += 1;
      entry.lostBlock = pending.mined.block;
      const detail = `mined without effect in block ${entry.lostBlock}`;
      onTrouble({ job: entry.job.key, kind: 'lost', detail });
    }
    // A batch is put together anew. The row of a job stays, because it tells which of its calls the job had reached.
    if (entries.has(pending.row.job)) pendingTransactions.remove(pending);
    else await must(() => pendingTransactions.abandon(pending.row.job));
  }

  /**
   * Gives up a transaction that no pool seems to take, when no other nonce waits for it. What the endpoint says to a sending
   * is no proof of that: it is asked for the transaction and for the nonce. One that it conceals all the same and that is
   * mined later has used a nonce up of which nobody believes that it is free: see `resolve` in `pending-transactions.ts`.
   */
  async function dropRefused(
    entry: Entry,
    pending: PendingTransaction,
    market: Market,
  ): Promise<void> {
    const end = refusalEnd(entry.job, pending, market);
    if (end === null || !pendingTransactions.isLast(pending)) return;
    if (await pendingTransactions.isThere(pending)) {
      pending.refusals = 0;
      return;
    }
    if (end === 'anew') return lose(pending);
    await must(() => pendingTransactions.abandon(pending.row.job));
    await entries.report(entry, { ok: false, ...end });
  }

  async function follow(entry: Entry, market: Market): Promise<void> {
    const pending = entries.toPending(entry);
    if (pending === undefined) return;
    const { mined } = pending;
    // A reorganisation has undone the end that was reported.
    if (entry.outcome?.ok && !mined?.isSuccess) entry.outcome = null;
    if (pending.isTaken) await lose(pending);
    else if (mined === null) await dropRefused(entry, pending, market);
    // The next simulation shows whether the call came too late or only had too little gas.
    else if (!mined.isSuccess) await lose(pending);
    else if (entry.step + 1 < entry.job.calls.length) entry.step += 1;
    else if (entry.step === entry.job.calls.length) await entries.report(entry, CLEANED_UP);
    else {
      const { hash: transactionHash, block: minedBlock } = mined;
      await entries.report(entry, { ok: true, transactionHash, minedBlock });
    }
  }

  /**
   * Ends a job that is too late. A transaction of it that was sent may still be mined, and is looked after until
   * then.
   */
  async function expire(entry: Entry, { headBlock }: Market): Promise<void> {
    const isUnderWay = entries.toPending(entry) !== undefined;
    if (!isTooLate(entry.job, isUnderWay, { headBlock, confirmations })) return;
    const code = entry.failure ?? 'transaction_failed';
    await entries.report(entry, { ok: false, code, detail: 'it was not mined in time' });
  }

  return async (market: Market): Promise<void> => {
    const pause = createBreather();
    for (const entry of entries.all()) {
      await pause();
      await follow(entry, market);
    }
    for (const entry of entries.active()) {
      await pause();
      await expire(entry, market);
    }
    // The rows of a batch whose jobs have ended, or those that a process left behind which died before it forgot the
    // job.
    const ridden = entries.ridden();
    for (const job of pendingTransactions.doneJobs())
      if (!entries.has(job) && !ridden.has(job)) await must(() => pendingTransactions.abandon(job));
  };
}

/**
 * What becomes of a job whose transaction no pool took: null, it is sent again; or it is put together anew, as a batch with
 * as many secrets as the account can pay for. A job with a deadline is not given up before it has passed.
 */
function refusalEnd(
  { deadlineBlock, isPatient }: Job,
  { isUnfunded, refusals, secrets }: PendingTransaction,
  { headBlock }: Market,
): { code: FailureCode; detail: string } | 'anew' | null {
  if (isUnfunded && secrets.size > 1) return 'anew';
  const isPast = deadlineBlock !== null && headBlock > deadlineBlock;
  if (isUnfunded && (deadlineBlock === null || isPast))
    return { code: 'insufficient_gas', detail: 'the account cannot pay for the gas' };
  const canWait = deadlineBlock !== null || isPatient === true;
  if (canWait || refusals < MOST_REFUSALS) return null;
  return { code: 'transaction_failed', detail: 'the endpoint refuses the transaction' };
}
