/** Runs the same scenario with many seeds, on as many threads as the caller wants. */

import type { PaymentRecord } from '../report/payment-records.ts';
import type { Summary } from '../run/summary.ts';
import type { Outcome, Source } from './order.ts';
import { isMadeTwice } from './repeat.ts';
import { createRunner } from './runner.ts';
import type { Stopper } from './stopper.ts';
import type { StrategySource } from './strategies-of.ts';

/** The first and the last seed, both included. */
export type SeedRange = { from: number; to: number };
type SeedsProgress = { done: number; all: number; failed: number; last: Summary };
type Options = {
  source: Source;
  seeds: SeedRange;
  /** How many threads; at least 1. */
  workers: number;
  stopper: Stopper;
  commit?: string | null;
  /** The whole results are wanted, not only their summaries. */
  isWhole?: boolean;
  strategies?: StrategySource;
  /** All runs are in this thread, one after the other. */
  isHere?: boolean;
  /** Called with the record of each payment of each run. */
  onPayment?: (record: PaymentRecord, seed: number) => void;
  /** No new run begins after one that failed. */
  isStoppedByFailure?: boolean;
  /** No new run begins once it says so. */
  isOver?: () => boolean;
  onProgress?: (progress: SeedsProgress) => void;
};

/**
 * The outcomes in the order of the seeds. When it is stopped, unfinished runs are left out. The outcome of a run
 * does not depend on the thread that it ran in.
 */
export async function runSeeds(options: Options): Promise<Outcome[]> {
  const { source, seeds, stopper, commit = null, isStoppedByFailure = false } = options;
  const { isWhole = false, isOver = () => false, onProgress, onPayment, isHere = false } = options;
  const { strategies = [] } = options;
  const wanted = { isWhole, strategies, arePaymentsWanted: onPayment !== undefined };
  const all = seeds.to - seeds.from + 1;
  const found: Outcome[] = [];
  let next = seeds.from;
  let failed = 0;

  function isEnded(): boolean {
    return next > seeds.to || stopper.isStopped() || isOver() || (isStoppedByFailure && failed > 0);
  }
  async function work() {
    const runner = createRunner({ stopper, isHere });
    while (!isEnded()) {
      const seed = next++;
      const order = { source, seed, commit, ...wanted, events: null };
      const outcome = await runner.run({ ...order, isMadeTwice: isMadeTwice(seed) });
      for (const record of outcome.payments.splice(0)) onPayment?.(record, seed);
      const { verdict } = outcome.summary;
      if (verdict === 'stopped') break;
      if (verdict === 'failed') failed += 1;
      found.push(outcome);
      onProgress?.({ done: found.length, all, failed, last: outcome.summary });
    }
    await runner.end();
  }

  const workers = isHere ? 1 : Math.max(1, Math.min(options.workers, all));
  await Promise.all(Array.from({ length: workers }, work));
  return found.toSorted((a, b) => a.summary.seed - b.summary.seed);
}
