/**
 * The transactions of this node that fail: a line in the log for each and each reason, and those that go on failing, for a
 * notification. A settlement that reverts is asked for again every few blocks, so what counts is who asks and for what.
 */
import type { Tx } from '../../../../machines/effects.ts';
import type { Clock, Log } from '../../../basics/environment.ts';
import { createLineLimit, type QueueTrouble } from '../../../chain/queue/trouble.ts';

/** A transaction that failed so many times in a row, the last time for this reason. */
export type FailingTransaction = { what: string; failures: number; detail: string };
type Failing = FailingTransaction & {
  from: string;
  job: string;
  at: number;
  /** How many jobs have failed, of which the last is `job`. */
  jobs: number;
  /** Whether its last failure is still to be told, if nothing else comes of it. */
  isUntold: boolean;
};
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

  type Written = { fields: Record<string, unknown>; detail: string; aside?: string };
  function write(what: string, { fields, detail, aside }: Written): void {
    const line = lines.next(what, aside ?? detail);
    if (line === null) return;
    const all = line.leftOut === 0 ? fields : { ...fields, leftOut: line.leftOut };
    if (aside === undefined) log.warn(all, `${what}: ${detail}`);
    else log.info(all, `${what}: ${aside}`);
  }

  function count(tx: Tx, kind: string, detail: string): void {
    const what = whatOf(tx);
    // Nobody has a use for it any more, e.g. because the partner has paid.
    if (!lives(tx.from)) return void failing.delete(what);
    const before = failing.get(what);
    const failures = (before?.failures ?? 0) + 1;
    const jobs = (before?.jobs ?? 0) + (before?.job === tx.key ? 0 : 1);
    const isClose = tx.type === 'tx.close';
    // Why the block had no use for it says the next simulation.
    const isUntold = isClose && kind === 'lost' && failures === 1;
    const at = clock.elapsed();
    failing.set(what, { what, failures, detail, from: tx.from, job: tx.key, at, jobs, isUntold });
    if (isUntold) return;
    const fields = { actor: tx.from, kind, failures };
    // A close that is asked for anew comes so long after that the partner's would be known.
    const isRace = isClose && jobs === 1 && detail.includes(CLOSED_ALREADY);
    write(what, { fields, detail, ...(isRace ? { aside: 'it is closed already' } : {}) });
  }

  return {
    /** `tx`: the transaction of the job that failed; undefined: all jobs have to wait. */
    note({ kind, detail }: QueueTrouble, tx: Tx | undefined): void {
      if (tx !== undefined) count(tx, kind, detail);
      else write('transactions have to wait', { fields: { kind }, detail });
    },
    /** `detail`: why the job ended without success; null: it succeeded. */
    ended(tx: Tx, detail: string | null): void {
      const what = whatOf(tx);
      const last = failing.get(what);
      if (detail !== null && (last?.job !== tx.key || last.isUntold)) count(tx, 'ended', detail);
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
