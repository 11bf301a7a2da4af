/**
 * The transactions of this node that fail: a line in the log for each and each reason, and those that go on failing, for a
 * notification. A settlement that reverts is asked for again every few blocks, so what counts is who asks and for what.
 */
import type { Tx } from '../../../../machines/effects.ts';
import type { Clock, Log } from '../../../basics/environment.ts';
import { createLineLimit, type QueueTrouble } from '../../../chain/queue/trouble.ts';

/** A transaction that failed so many times in a row, the last time for this reason. */
export type FailingTransaction = { what: string; failures: number; detail: string };
type Failing = FailingTransaction & { from: string; job: string; at: number };
type Options = {
  clock: Pick<Clock, 'elapsed'>;
  log: Pick<Log, 'warn' | 'info'>;
  /** Whether the actor has not ended. */
  lives(actor: string): boolean;
};

const MOST_FAILURES = 3;
/** Nobody asks any more for what has not failed for so long. */
const MEMORY_MS = 3_600_000;
/** The contract's refusal of a close that came after the partner's: two may close at about the same time. */
const CLOSED_ALREADY = 'TN/close: channel not open';
/** What its actor asks for again when it failed. */
const ASKED_AGAIN = new Set<Tx['type']>(['tx.close', 'tx.settle', 'tx.unlock']);

export type JobTroubles = ReturnType<typeof createJobTroubles>;

export function createJobTroubles({ clock, log, lives }: Options) {
  const failing = new Map<string, Failing>();
  const lines = createLineLimit(() => clock.elapsed());

  function write(what: string, fields: Record<string, unknown>, detail: string): void {
    const line = lines.next(what, detail);
    if (line === null) return;
    const more = line.leftOut === 0 ? {} : { leftOut: line.leftOut };
    log.warn({ ...fields, ...more }, `${what}: ${detail}`);
  }

  function count(tx: Tx, kind: string, detail: string): void {
    const what = whatOf(tx);
    // Nobody has a use for it any more, e.g. because the partner has paid.
    if (!lives(tx.from)) return void failing.delete(what);
    const failures = (failing.get(what)?.failures ?? 0) + 1;
    const at = clock.elapsed();
    failing.set(what, { what, failures, detail, from: tx.from, job: tx.key, at });
    if (tx.type === 'tx.close') {
      // Why the block had no use for it says the next simulation.
      if (kind === 'lost' && failures === 1) return;
      if (detail.includes(CLOSED_ALREADY))
        return void log.info({ actor: tx.from }, `${what}: it is closed already`);
    }
    write(what, { actor: tx.from, kind, failures }, detail);
  }

  return {
    /** `tx`: the transaction of the job that failed; undefined: all jobs have to wait. */
    note({ kind, detail }: QueueTrouble, tx: Tx | undefined): void {
      if (tx !== undefined) count(tx, kind, detail);
      else write('transactions have to wait', { kind }, detail);
    },
    /** `detail`: why the job ended without success; null: it succeeded. */
    ended(tx: Tx, detail: string | null): void {
      const what = whatOf(tx);
      if (detail !== null && failing.get(what)?.job !== tx.key) count(tx, 'ended', detail);
      if (detail !== null && ASKED_AGAIN.has(tx.type)) return;
      failing.delete(what);
      if (detail === null) lines.forget(what);
    },
    /** Those that have failed three times in a row or more, the worst first. */
    failing(): readonly FailingTransaction[] {
      const now = clock.elapsed();
      for (const [what, { from, at }] of failing)
        if (!lives(from) || now - at > MEMORY_MS) failing.delete(what);
      return [...failing.values()]
        .filter(({ failures }) => failures >= MOST_FAILURES)
        .sort((a, b) => b.failures - a.failures);
    },
  };
}

/** Such as "settle of channel:0x…:7". */
const whatOf = (tx: Tx): string => {
  const side = tx.type === 'tx.unlock' ? ` (${tx.side} side)` : '';
  return `${tx.type.slice('tx.'.length)} of ${tx.from}${side}`;
};
