/** The jobs in the queue: how far each is, and which transaction it waits for. */
import { larger, smaller } from '../../basics/amount.ts';
import type { Secret } from '../../basics/hex.ts';
import { sentence } from '../../basics/printable.ts';
import { secretsIn } from './calls.ts';
import type { Market } from './fees.ts';
import type { ChainCall, Job, JobOutcome } from './jobs.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import type { PendingTransactions } from './pending-transactions.ts';
import type { Asides, Rank } from './places.ts';
import { type Class, classOf, type FailureCode, isNear } from './schedule.ts';

export type Entry = {
  job: Job;
  order: number;
  kind: Class;
  /** The secret that the job registers, alone or together with others; null: the job is of another kind. */
  secret: Secret | null;
  /** Index of the call that is next to be mined. */
  step: number;
  isStarted: boolean;
  /** Failures in a row, and the tick before which the job is not tried again. */
  tries: number;
  notBeforeTick: number;
  /** What the job lacked when it was last tried. */
  failure: FailureCode | null;
  /** Times that a call was mined without effect although its simulation had passed. */
  lostRuns: number;
  /** The block in which that last happened. */
  lostBlock: bigint;
  /** The registration is sent alone, because a batch that it was part of has reverted. */
  isAlone: boolean;
  /** It was promised when it was sent: so it stays until it is mined, since others may stand behind it. */
  wasPromised: boolean;
  /** The whole job was tried before its first call. */
  isRehearsed: boolean;
  /** Why the job failed, while what it has left behind is taken back. */
  failed: Failed | null;
  outcome: JobOutcome | null;
};
type Failed = Extract<JobOutcome, { ok: false }>;
type Options = {
  pendingTransactions: PendingTransactions;
  /** Called for each outcome that is not the one reported last. */
  onEnded: (key: string, outcome: JobOutcome) => Promise<void>;
};
export type Entries = ReturnType<typeof createEntries>;

const isActive = (entry: Entry): boolean => entry.outcome === null;

export function createEntries({ pendingTransactions, onEnded }: Options) {
  const entries = new Map<string, Entry>();
  const bySecret = new Map<Secret, Set<Entry>>();
  /** Those that have succeeded, though a reorganisation may have undone that. */
  const succeeded = new Set<Entry>();
  let submitted = 0;

  const all = () => [...entries.values()];
  const active = () => all().filter(isActive);

  /** The transaction that the entry waits for: its own, or one that registers its secret with others. */
  function toPending({ job, step, secret }: Entry): PendingTransaction | undefined {
    const own = pendingTransactions.of(job.key, step);
    return own === undefined && secret !== null ? pendingTransactions.registering(secret) : own;
  }

  async function report(entry: Entry, ended: JobOutcome): Promise<void> {
    const outcome = ended.ok ? ended : (entry.failed ?? asSentence(ended));
    if (!outcome.ok && cleansUp(entry, outcome)) return;
    if (isSame(entry.outcome, outcome)) return;
    entry.outcome = outcome;
    if (outcome.ok) succeeded.add(entry);
    await onEnded(entry.job.key, outcome);
  }

  /** How much of what was set aside for one that is mined is gone: what it has cost, and all when no reorganisation can undo it. */
  function goneOf(entry: Entry): bigint {
    const own = asideOf(entry);
    const pending = toPending(entry);
    if (pending === undefined || pending.isConfirmed) return own;
    if (pending.mined === null) return 0n;
    return smaller(own, pending.mined.wei / BigInt(Math.max(1, pending.secrets.size)));
  }

  /** Wei that are set aside in all, as these know it. */
  function aside(some: readonly Entry[]): bigint {
    const mined = [...succeeded]
      .filter(({ outcome }) => outcome?.ok === true)
      .reduce((sum, entry) => sum + goneOf(entry), 0n);
    const all = some.reduce((most, { job }) => larger(most, job.leaves?.() ?? 0n), 0n);
    return larger(0n, all - mined);
  }

  return {
    all,
    active,
    toPending,
    has: (key: string) => entries.has(key),
    /** Whether a job that protects money was not tried yet: neither sent, nor found impossible to send now. */
    hasUntried: (): boolean => {
      for (const entry of entries.values())
        if (entry.kind !== 'other' && isActive(entry) && !entry.isStarted && entry.tries === 0)
          return toPending(entry) === undefined;
      return false;
    },
    remove(key: string): void {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entries.delete(key);
      succeeded.delete(entry);
      if (entry.secret !== null) bySecret.get(entry.secret)?.delete(entry);
      if (entry.secret !== null && bySecret.get(entry.secret)?.size === 0)
        bySecret.delete(entry.secret);
    },
    /** Adds a job. `steps`: the steps of its stored transactions. */
    add(job: Job, steps: readonly number[]): void {
      const entry = entryOf(job, submitted, steps);
      const { secret } = entry;
      entries.set(job.key, entry);
      if (secret !== null) bySecret.set(secret, new Set([...(bySecret.get(secret) ?? []), entry]));
      submitted += 1;
    },
    ridersOf(pending: PendingTransaction): Entry[] {
      const own = entries.get(pending.row.job);
      const others = [...pending.secrets].flatMap((secret) => [...(bySecret.get(secret) ?? [])]);
      const some = new Set(own === undefined ? others : [own, ...others]);
      return [...some].filter((entry) => toPending(entry) === pending);
    },
    /** The keys of those rows on disk whose transaction a job waits for. */
    ridden: () => new Set(all().map((entry) => toPending(entry)?.row.job)),
    report,
    aside,
    /** What is set aside for these, which are sent together, and for others. */
    asidesOf(some: readonly Entry[]): Asides {
      const own = asideOf(...some);
      return { left: larger(0n, aside(some) - own), own };
    },
    /** Ends jobs that cannot go on. `isTooDear`: for they take too much gas. */
    async end(batch: readonly Entry[], detail: string, isTooDear = false): Promise<void> {
      const ended = { ok: false, code: 'transaction_failed', detail } as const;
      for (const entry of batch) await report(entry, isTooDear ? { ...ended, isTooDear } : ended);
    },
    /**
     * The highest nonce that a job in a hurry waits for: all transactions up to it are as urgent, since the job has
     * to wait for them as well. -1 when no job is in a hurry.
     */
    urgentNonce(headBlock: bigint): number {
      const urgent = active().filter(({ job }) => isNear(job.deadlineBlock, headBlock));
      return urgent.reduce((most, entry) => Math.max(most, toPending(entry)?.row.nonce ?? -1), -1);
    },
    /** How many transactions of each class wait for a block, of those that do not give way to one of this rank. */
    waiting(rank: Rank, market: Market): Record<Class, number> {
      const waiting = { protect: 0, register: 0, other: 0 };
      for (const { row, secrets } of pendingTransactions.besides(rank, market))
        waiting[secrets.size > 0 ? 'register' : (entries.get(row.job)?.kind ?? 'other')] += 1;
      return waiting;
    },
  };
}

function entryOf(job: Job, order: number, steps: readonly number[]): Entry {
  const [call] = job.calls;
  return {
    job,
    order,
    kind: classOf(job),
    secret: job.mayShare && call !== undefined ? (secretsIn(call.data)[0] ?? null) : null,
    step: Math.max(0, ...steps),
    isStarted: steps.length > 0,
    tries: 0,
    notBeforeTick: 0,
    failure: null,
    lostRuns: 0,
    lostBlock: 0n,
    isAlone: false,
    wasPromised: false,
    isRehearsed: steps.length > 0,
    failed: null,
    outcome: null,
  };
}

function isSame(a: JobOutcome | null, b: JobOutcome): boolean {
  if (a === null || !a.ok || !b.ok) return false;
  return a.transactionHash === b.transactionHash && a.minedBlock === b.minedBlock;
}

const asSentence = (failed: Failed): Failed => ({ ...failed, detail: sentence(failed.detail) });

export const rankOf = ({ job, wasPromised }: Pick<Entry, 'job' | 'wasPromised'>): Rank =>
  wasPromised || job.isPromised?.() === true ? 'promised' : 'optional';

/** Wei that are set aside for these. */
export const asideOf = (...some: readonly Entry[]): bigint =>
  some.reduce((sum, { job }) => sum + (job.aside?.() ?? 0n), 0n);

/** The call that is next, which takes back what the others have left behind when the job has failed. */
export const nextCall = ({ job, step }: Entry): ChainCall | undefined =>
  step === job.calls.length ? job.cleanUp : job.calls[step];

/** Whether the job's end waits until what it has left behind is taken back; it has to be sent, so that costs gas. */
function cleansUp(entry: Entry, failed: Failed): boolean {
  const { cleanUp, calls } = entry.job;
  const isLeft = entry.step > 0 && entry.step < calls.length;
  if (cleanUp === undefined || !isLeft || failed.code !== 'transaction_failed') return false;
  Object.assign(entry, { failed, step: calls.length, tries: 0, notBeforeTick: 0, lostRuns: 0 });
  return true;
}
