/**
 * The one transaction queue of an account.
 *
 * Jobs run side by side; the calls of one job run in order, each after the one before it is mined. Jobs that protect
 * a channel go first, then registrations, which share transactions, then the rest; in each class the nearest deadline
 * first. Nothing is sent that is not on disk, so that a process that died at any point sends the very same
 * transaction again.
 */

import type { Fault } from '../../basics/fault.ts';
import type { Hash, Secret } from '../../basics/hex.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ChainClient } from '../client.ts';
import { describe } from '../describe.ts';
import { classify } from '../errors.ts';
import { createPause, growing } from '../pause.ts';
import { createAdvance } from './advance.ts';
import { createJobEndings } from './endings.ts';
import { asideOf, createEntries, rankOf } from './entries.ts';
import { readMarket } from './fees.ts';
import type { Job, JobOutcome, TransactionSigner, TransactionStorage } from './jobs.ts';
import type { Mined } from './pending-transaction.ts';
import { createPendingTransactions } from './pending-transactions.ts';
import { createTransactionSender } from './sending.ts';
import type { QueueTrouble } from './trouble.ts';

export type TransactionOptions = {
  client: ChainClient;
  account: TransactionSigner;
  storage: TransactionStorage;
  /** Blocks on top of a receipt's block until it is no longer looked at; default 5. */
  confirmations?: bigint;
  /**
   * Called when the last call is mined, or the job cannot go on, and again when a reorganisation changes that: the
   * last outcome counts. After `forget` it is not called.
   */
  onEnded: (key: string, outcome: JobOutcome) => void;
  /** Storage, signer, `onEnded` or a fault point threw. Called once; the queue does nothing after it. */
  onFailure: (error: unknown) => void;
  /** Called whenever something keeps a job, or all of them, from going on; perhaps in every second. */
  onTrouble: (trouble: QueueTrouble) => void;
  /** Named points at which a test may end the process. */
  fault?: Fault;
  pollIntervalMs?: number;
};
export type Transactions = ReturnType<typeof createTransactions>;

const POLL_INTERVAL_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
/** The same while a job has a deadline. */
const LONGEST_PAUSE_WITH_DEADLINE_MS = 2_000;

export function createTransactions(options: TransactionOptions) {
  const { client, account, storage, confirmations = 5n, onEnded, onTrouble } = options;
  const { pollIntervalMs = POLL_INTERVAL_MS, fault = () => {} } = options;
  const pause = createPause();
  let failure: { error: unknown } | null = null;
  let outages = 0;
  let isStopped = false;
  let running: Promise<void> | null = null;

  async function must<T>(act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }
  const isBroken = () => failure !== null;
  const pendingTransactions = createPendingTransactions({
    client,
    account,
    storage,
    confirmations,
    fault,
    must,
    isBroken,
    asidesOf: (pending) => entries.asidesOf(entries.ridersOf(pending)),
    ownOf: (pending) => asideOf(...entries.ridersOf(pending)),
    aside: () => entries.aside(entries.active()),
    rankOf(pending) {
      const ranks = entries.ridersOf(pending).map(rankOf);
      return ranks.includes('promised') ? 'promised' : (ranks[0] ?? 'orphan');
    },
    onRefused(pending, kind, detail) {
      for (const { job } of entries.ridersOf(pending)) onTrouble({ job: job.key, kind, detail });
    },
  });
  const entries = createEntries({
    pendingTransactions,
    onEnded: (key, outcome) => must(() => onEnded(key, outcome)),
  });
  const end = createJobEndings({ entries, pendingTransactions, confirmations, must, onTrouble });
  const advance = createAdvance({
    entries,
    sender: createTransactionSender({ client, account, pendingTransactions }),
    isBroken,
    onTrouble,
  });

  async function tick(): Promise<void> {
    advance.begin();
    if (entries.active().length === 0 && pendingTransactions.unconfirmed().length === 0) return;
    const market = await readMarket(client);
    const urgentNonce = entries.urgentNonce(market.headBlock);
    await pendingTransactions.track(market, (nonce) => nonce <= urgentNonce);
    await end(market);
    await advance.send(market);
  }

  async function tickOrPause(): Promise<void> {
    try {
      await tick();
      outages = 0;
    } catch (error) {
      if (failure !== null) throw error;
      outages += 1;
      onTrouble({ job: null, kind: classify(error), detail: describe(error) });
      await advance.noteOutage(error);
    }
  }

  function pauseMs(): number {
    const hasDeadline = entries.active().some(({ job }) => job.deadlineBlock !== null);
    const longest = hasDeadline ? LONGEST_PAUSE_WITH_DEADLINE_MS : LONGEST_PAUSE_MS;
    return growing(pollIntervalMs, outages, longest);
  }

  async function run(): Promise<void> {
    try {
      while (!isStopped) {
        await tickOrPause();
        if (!isStopped) await pause.wait(pauseMs());
      }
    } catch (error) {
      isStopped = true;
      options.onFailure(failure?.error ?? error);
    }
  }

  return {
    /**
     * Sends again what was on its way when the process ended, and begins with the jobs. The jobs of the previous
     * process have to be submitted before: rows without a job are deleted once they are confirmed.
     */
    start(): void {
      running ??= run();
    },
    /** Ends after the step in work; jobs and transactions stay as they are. */
    async stop(): Promise<void> {
      isStopped = true;
      pause.wake();
      await running;
    },
    /** Takes up a job where its stored transactions left it. If the key is known, nothing happens. */
    submit(job: Job): void {
      if (entries.has(job.key)) return;
      entries.add(job, pendingTransactions.stepsOf(job.key));
      pause.wake();
    },
    /** Drops the job, once its outcome is on disk, and its stored transactions, once they are over. */
    forget(key: string): void {
      pendingTransactions.forget(key);
      entries.remove(key);
    },
    /** Whether something was signed for the job, alone or with others, by this process or one before. */
    isSigned: (key: string, secret: Secret | null): boolean =>
      pendingTransactions.stepsOf(key).length > 0 ||
      (secret !== null && pendingTransactions.registering(secret) !== undefined),
    /** Whether a job that protects money waits for its first try. */
    hasUnsent: entries.hasUntried,
    /** Most that the transactions under way can cost, in wei. */
    reserved: pendingTransactions.reserved,
    /** The block of a transaction of this account and whether it had effect; null: not mined. */
    async receiptOf(hash: Hash): Promise<Result<Mined | null>> {
      try {
        return { ok: true, value: await pendingTransactions.receiptOf(hash) };
      } catch (error) {
        return { ok: false, code: 'chain_unavailable', detail: describe(error) };
      }
    },
  };
}
