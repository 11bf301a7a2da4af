/**
 * Transactions that a service asks for: the job is written in the same commit as its cause, is resumed after a restart,
 * and ends only when its receipt can no longer be undone.
 */

import { asc, eq, sql } from 'drizzle-orm';
import * as v from 'valibot';
import type { Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import { type Address, type Hex, isHexOf } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Job, JobOutcome, TransactionSigner } from '../../chain/queue/jobs.ts';
import { createTransactions } from '../../chain/queue/transactions.ts';
import { createLineLimit } from '../../chain/queue/trouble.ts';
import { decode, encode } from '../../store/base/codec.ts';
import type { Connection } from '../../store/base/connection.ts';
import { prepareTransactions } from '../../store/tables/transactions.ts';
import { jobs } from './job-tables.ts';

/** A job of a service. All of it can be stored, so that another process can continue it. */
export type ServiceJob = Omit<Job, 'calls'> & { calls: readonly StoredCall[] };
export type StoredCall = { kind: (typeof KINDS)[number]; to: Address; data: Hex };
export type ServiceTransactions = ReturnType<typeof createServiceTransactions>;

export type ServiceTransactionOptions = {
  /** The service's own database, with the tables of job-tables.ts. */
  connection: Connection;
  /** Runs its argument as one durable transaction. */
  write: (work: () => void) => void;
  client: ChainClient;
  account: TransactionSigner;
  /** Blocks on top of a receipt's block until the receipt counts. */
  confirmations: bigint;
  /**
   * Called when the job is over: a success is confirmed, a failure will not be tried again. It is called inside the
   * transaction that deletes the job, so what it writes, also further jobs, is on disk together with it or not at all.
   */
  onEnd: (key: string, outcome: JobOutcome) => void;
  /** Called after that commit, without waiting for a block: on a quiet chain the next one may take long. */
  onEnded?: () => void;
  /** Called once, when the queue cannot go on; it does nothing after it. */
  onFailure: (error: unknown) => void;
  /** What keeps jobs from going on is written there. */
  log: Pick<Log, 'warn'>;
  /** Milliseconds since 1970. */
  now: () => number;
  fault?: Fault;
  pollIntervalMs?: number;
};

const KINDS = ['approve', 'registerService', 'claimIou', 'monitor', 'claimReward'] as const;
const height = v.pipe(v.bigint(), v.minValue(0n));
const address = v.custom<Address>((value) => isHexOf(value, 20));
const bytes = v.custom<Hex>(
  (value) => typeof value === 'string' && /^0x([\da-f]{2})*$/i.test(value),
);
const storedJob = v.object({
  key: v.string(),
  calls: v.array(v.object({ kind: v.picklist(KINDS), to: address, data: bytes })),
  token: v.exactOptional(address),
  deadlineBlock: v.nullable(height),
  notBeforeBlock: v.exactOptional(height),
  isPatient: v.exactOptional(v.boolean()),
});

/** Creates the queue of one account; no other queue may send transactions of the same account. */
export function createServiceTransactions(options: ServiceTransactionOptions) {
  const { connection, write, client, account, confirmations } = options;
  const rows = prepareJobs(connection);
  const open = new Set<string>();
  /** Outcomes of jobs whose transaction was mined but is not confirmed yet. */
  const mined = new Map<string, Extract<JobOutcome, { ok: true }>>();
  let confirmedBlock = 0n;
  const lines = createLineLimit(options.now);

  const queue = createTransactions({
    client,
    account,
    confirmations,
    storage: prepareTransactions(connection, write),
    onEnded(key, outcome) {
      if (!outcome.ok) return end(key, outcome);
      mined.set(key, outcome);
      confirmMined().catch(options.onFailure);
    },
    onFailure: options.onFailure,
    onTrouble({ job, kind, detail }) {
      const what = job ?? 'transactions have to wait';
      const line = lines.next(what, detail);
      if (line !== null) options.log.warn({ kind, ...line }, `${what}: ${detail}`);
    },
    ...(options.fault === undefined ? {} : { fault: options.fault }),
    ...(options.pollIntervalMs === undefined ? {} : { pollIntervalMs: options.pollIntervalMs }),
  });

  function end(key: string, outcome: JobOutcome): void {
    if (!open.delete(key)) return;
    mined.delete(key);
    write(() => {
      rows.remove(key);
      options.onEnd(key, outcome);
    });
    queue.forget(key);
    submitNew();
    options.onEnded?.();
  }

  async function confirmMined(): Promise<void> {
    for (const [key, outcome] of [...mined]) {
      if (outcome.minedBlock > confirmedBlock || mined.get(key) !== outcome) continue;
      // The block may have been replaced since: then the transaction is in another block, or is sent again.
      const receipt = await queue.receiptOf(outcome.transactionHash);
      if (!receipt.ok || receipt.value === null || !receipt.value.isSuccess) continue;
      if (receipt.value.block === outcome.minedBlock) end(key, outcome);
      else if (mined.get(key) === outcome)
        mined.set(key, { ...outcome, minedBlock: receipt.value.block });
    }
  }

  /** Begins jobs that are on disk only: a job whose database transaction was rolled back must not begin. */
  function submitNew(): void {
    for (const job of rows.all()) {
      if (open.has(job.key)) continue;
      open.add(job.key);
      queue.submit(job);
    }
  }

  return {
    /**
     * Writes the job; to be called inside the transaction that writes its cause. A job with the same key stays as it
     * is.
     */
    add: (job: ServiceJob): void => rows.insert(job),
    /** Begins the jobs that were added; to be called after the commit. */
    submitNew,
    isOpen: (key: string): boolean => open.has(key),
    hasOpen: (is: (key: string) => boolean): boolean => [...open].some(is),
    /** How many jobs are under way. */
    open: (): number => open.size,
    /** Resumes the jobs of the previous process. */
    start(): void {
      submitNew();
      queue.start();
    },
    /** Called when another block is confirmed and its logs are on disk. */
    confirmed(block: bigint): void {
      confirmedBlock = block;
      confirmMined().catch(options.onFailure);
    },
    /** Stops the queue; jobs and transactions stay as they are on disk. */
    stop: () => queue.stop(),
  };
}

function prepareJobs({ db }: Connection) {
  const insert = db
    .insert(jobs)
    .values({ key: sql.placeholder('key'), body: sql.placeholder('body') })
    .onConflictDoNothing()
    .prepare();
  const remove = db
    .delete(jobs)
    .where(eq(jobs.key, sql.placeholder('key')))
    .prepare();
  const every = db.select().from(jobs).orderBy(asc(jobs.seq)).prepare();
  return {
    insert: (job: ServiceJob): void => {
      insert.run({ key: job.key, body: encode(v.parse(storedJob, job)) });
    },
    remove: (key: string): void => {
      remove.run({ key });
    },
    all: (): Job[] => every.all().map(({ body }) => v.parse(storedJob, decode(body))),
  };
}
