/**
 * The signed transactions of open jobs, for a sender that may die at any moment: each is on disk before
 * it is broadcast, so that after a restart the very same bytes go out again instead of a second payment.
 */
import { asc, eq, sql } from 'drizzle-orm';
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import { boundInsert, boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { transactions } from '../base/schema.ts';

/** The columns besides the key, which is the job and the step. */
const FACTS = [
  'nonce',
  'hash',
  'raw',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'gas',
  'submittedBlock',
] as const;

/** `write` runs its argument as one durable transaction. */
export function prepareTransactions(connection: Connection, write: (work: () => void) => void) {
  const { db } = connection;
  const insert = boundInsert(connection, transactions, ['job', 'step', ...FACTS]);
  const upsert = boundUpsert(connection, transactions, ['job', 'step'], FACTS);
  const remove = db
    .delete(transactions)
    .where(eq(transactions.job, sql.placeholder('job')))
    .prepare();
  const ofJob = db
    .select()
    .from(transactions)
    .where(eq(transactions.job, sql.placeholder('job')))
    .orderBy(asc(transactions.step))
    .prepare();
  const every = db.select().from(transactions).orderBy(asc(transactions.nonce)).prepare();

  return {
    /** Adds the first transaction of a step. Throws when the step has one already: that would be a second payment. */
    save: (row: SignedTransaction): void =>
      write(() => {
        insert(row);
      }),
    /** Replaces the transaction of the same job and step. */
    replace: (row: SignedTransaction): void =>
      write(() => {
        upsert(row);
      }),
    /** The transactions of one job, in order of their steps. */
    forJob: (job: string): SignedTransaction[] => ofJob.all({ job }),
    /** The transactions of all jobs, in order of nonce. */
    all: (): SignedTransaction[] => every.all(),
    /** Deletes all transactions of a job. */
    drop: (job: string): void =>
      write(() => {
        remove.run({ job });
      }),
  };
}
