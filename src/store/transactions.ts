/**
 * The signed transactions of open jobs, for a sender that may die at any moment: each is on disk before
 * it is broadcast, so that after a restart the very same bytes go out again instead of a second payment.
 */
import { asc, eq, sql } from 'drizzle-orm';
import type { Hash, Hex } from '../protocol/hex.ts';
import type { Connection } from './connection.ts';
import { transactions } from './schema.ts';

/** One signed transaction. Fees in wei per gas; `nonce` counts the account's transactions. */
export type TransactionRow = {
  /** Key of the job, and which of its transactions this is (an approval before a deposit). */
  job: string;
  step: string;
  nonce: bigint;
  hash: Hash;
  /** What is broadcast, signature included. */
  raw: Hex;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** The newest block when it was signed. */
  submittedBlock: bigint;
};

const ROW = {
  job: transactions.job,
  step: transactions.step,
  nonce: transactions.nonce,
  hash: transactions.hash,
  raw: transactions.raw,
  maxFeePerGas: transactions.maxFeePerGas,
  maxPriorityFeePerGas: transactions.maxPriorityFeePerGas,
  submittedBlock: transactions.submittedBlock,
};

/** `write` runs its argument as one durable transaction. */
export function prepareTransactions({ db }: Connection, write: (work: () => void) => void) {
  const at = sql.placeholder;
  const insert = db
    .insert(transactions)
    .values({
      job: at('job'),
      step: at('step'),
      nonce: at('nonce'),
      hash: at('hash'),
      raw: at('raw'),
      maxFeePerGas: at('maxFeePerGas'),
      maxPriorityFeePerGas: at('maxPriorityFeePerGas'),
      submittedBlock: at('submittedBlock'),
    })
    .onConflictDoNothing()
    .prepare();
  const removeOne = db
    .delete(transactions)
    .where(eq(transactions.hash, at('hash')))
    .prepare();
  const removeJob = db
    .delete(transactions)
    .where(eq(transactions.job, at('job')))
    .prepare();
  const ofJob = db
    .select(ROW)
    .from(transactions)
    .where(eq(transactions.job, at('job')))
    .orderBy(asc(transactions.seq))
    .prepare();
  const every = db.select(ROW).from(transactions).orderBy(asc(transactions.seq)).prepare();

  return {
    /** Adds one; the earlier ones of the job stay, since any of them may still be mined. */
    save: (row: TransactionRow): void =>
      write(() => {
        insert.run(row);
      }),
    /** Puts `row` in place of the one with `hash`, which can never be mined any more. */
    replace: (hash: Hash, row: TransactionRow): void =>
      write(() => {
        removeOne.run({ hash });
        insert.run(row);
      }),
    /** Those of one job, in the order of their saving. */
    forJob: (job: string): TransactionRow[] => ofJob.all({ job }),
    /** Those of all jobs, in the order of their saving. */
    all: (): TransactionRow[] => every.all(),
    /** Forgets a job whose receipt is confirmed. */
    drop: (job: string): void =>
      write(() => {
        removeJob.run({ job });
      }),
  };
}
