/**
 * The signed transactions of open jobs, for a sender that may die at any moment: each is on disk before
 * it is broadcast, so that after a restart the very same bytes go out again instead of a second payment.
 */
import { asc, eq, sql } from 'drizzle-orm';
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import type { Connection } from '../base/connection.ts';
import { transactions } from '../base/schema.ts';

function prepareWrites({ db }: Connection) {
  const at = sql.placeholder;
  const insert = db.insert(transactions).values({
    job: at('job'),
    step: at('step'),
    nonce: at('nonce'),
    hash: at('hash'),
    raw: at('raw'),
    maxFeePerGas: at('maxFeePerGas'),
    maxPriorityFeePerGas: at('maxPriorityFeePerGas'),
    gas: at('gas'),
    submittedBlock: at('submittedBlock'),
  });
  const insertNew = insert.prepare();
  const upsert = insert
    .onConflictDoUpdate({
      target: [transactions.job, transactions.step],
      set: {
        nonce: sql`excluded.nonce`,
        hash: sql`excluded.hash`,
        raw: sql`excluded.raw`,
        maxFeePerGas: sql`excluded.max_fee_per_gas`,
        maxPriorityFeePerGas: sql`excluded.max_priority_fee_per_gas`,
        gas: sql`excluded.gas`,
        submittedBlock: sql`excluded.submitted_block`,
      },
    })
    .prepare();
  const remove = db
    .delete(transactions)
    .where(eq(transactions.job, at('job')))
    .prepare();
  return { insertNew, upsert, remove };
}

/** `write` runs its argument as one durable transaction. */
export function prepareTransactions(connection: Connection, write: (work: () => void) => void) {
  const { insertNew, upsert, remove } = prepareWrites(connection);
  const ofJob = connection.db
    .select()
    .from(transactions)
    .where(eq(transactions.job, sql.placeholder('job')))
    .orderBy(asc(transactions.step))
    .prepare();
  const every = connection.db
    .select()
    .from(transactions)
    .orderBy(asc(transactions.nonce))
    .prepare();

  return {
    /** Adds the first transaction of a step. Throws when the step has one already: that would be a second payment. */
    save: (row: SignedTransaction): void =>
      write(() => {
        insertNew.run(row);
      }),
    /** Replaces the transaction of the same job and step. */
    replace: (row: SignedTransaction): void =>
      write(() => {
        upsert.run(row);
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
