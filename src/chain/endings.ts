/** What became of the jobs whose transactions are under way, and of those that came too late. */
import type { Entries, Entry } from './entries.ts';
import type { Market } from './fees.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import type { PendingTransactions } from './pending-transactions.ts';
import { type FailureCode, isTooLate } from './schedule.ts';

type Parts = {
  entries: Entries;
  pendingTransactions: PendingTransactions;
  confirmations: bigint;
  /** Runs what must not fail. */
  must: <T>(act: () => T | Promise<T>) => Promise<T>;
};

/** Refusals in a row, of a job that cannot wait, until it is given up. */
const MOST_REFUSALS = 10;

export function createEndings({ entries, pendingTransactions, confirmations, must }: Parts) {
  /** It had no effect, or never will: whoever waited for it asks again. */
  async function lose(pending: PendingTransaction): Promise<void> {
    for (const entry of entries.ridersOf(pending)) {
      if (entry.outcome?.ok) entry.outcome = null;
      if (pending.mined === null) continue;
      entry.lostRuns += 1;
      entry.lostBlock = pending.mined.block;
    }
    // A batch is put together anew; the row of a job tells which of its calls it had reached.
    if (entries.has(pending.row.job)) pendingTransactions.remove(pending);
    else await must(() => pendingTransactions.abandon(pending.row.job));
  }

  /** Gives up a transaction that no pool ever took, when no other nonce waits for it. */
  async function dropRefused(
    entry: Entry,
    pending: PendingTransaction,
    { headBlock }: Market,
  ): Promise<void> {
    const { job } = entry;
    const isRefused = pending.isUnfunded || pending.refusals > 0;
    if (!isRefused || pending.hashes.length > 1 || !pendingTransactions.isLast(pending)) return;
    // It is put together anew, of as much as the money is enough for.
    if (pending.isUnfunded && pending.secrets.size > 1) return lose(pending);
    const isPast = job.deadlineBlock !== null && headBlock > job.deadlineBlock;
    const canWait = job.deadlineBlock !== null || job.isPatient === true;
    const isUnpaid = pending.isUnfunded && (job.deadlineBlock === null || isPast);
    if (!isUnpaid && (canWait || pending.refusals < MOST_REFUSALS)) return;
    await must(() => pendingTransactions.abandon(pending.row.job));
    const [code, detail]: [FailureCode, string] = isUnpaid
      ? ['insufficient_gas', 'the account cannot pay for the gas']
      : ['transaction_failed', 'the endpoint refuses the transaction'];
    await entries.report(entry, { ok: false, code, detail });
  }

  async function follow(entry: Entry, market: Market): Promise<void> {
    const pending = entries.toPending(entry);
    if (pending === undefined) return;
    const { mined } = pending;
    // A reorganisation took the end back.
    if (entry.outcome?.ok && !mined?.isSuccess) entry.outcome = null;
    if (pending.isTaken) await lose(pending);
    else if (mined === null) await dropRefused(entry, pending, market);
    // Simulated again, it says whether it came too late or only had too little gas.
    else if (!mined.isSuccess) await lose(pending);
    else if (entry.step + 1 < entry.job.calls.length) entry.step += 1;
    else {
      const { hash: transactionHash, block: minedBlock } = mined;
      await entries.report(entry, { ok: true, transactionHash, minedBlock });
    }
  }

  /** What was sent may still be mined, and is looked after until then. */
  async function expire(entry: Entry, { headBlock }: Market): Promise<void> {
    const isUnderWay = entries.toPending(entry) !== undefined;
    if (!isTooLate(entry.job, isUnderWay, { headBlock, confirmations })) return;
    const code = entry.failure ?? 'transaction_failed';
    await entries.report(entry, { ok: false, code, detail: 'it was not mined in time' });
  }

  return async (market: Market): Promise<void> => {
    for (const entry of entries.all()) await follow(entry, market);
    for (const entry of entries.active()) await expire(entry, market);
    // A batch whose jobs are over, or left over by a process that died before it forgot the job.
    const ridden = entries.ridden();
    for (const job of pendingTransactions.doneJobs())
      if (!entries.has(job) && !ridden.has(job)) await must(() => pendingTransactions.abandon(job));
  };
}
