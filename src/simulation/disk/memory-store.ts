/** The node's store on tables in memory, which one process uses from opening a disk until its end. */

import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { HighWater } from '../../store/durability/high-water.ts';
import type { Replica } from '../../store/durability/replication.ts';
import { KEEP_ALL } from '../../store/history/sweep.ts';
import type { Store } from '../../store/store.ts';
import { amount, height } from './numbers.ts';
import { feedReads, journalReads } from './read-journal.ts';
import {
  bootReads,
  callReads,
  channelReads,
  historyReads,
  proofReads,
  redemptionReads,
} from './read-tables.ts';
import { raiseRedeemable, swept } from './sweep.ts';
import { type Tables, transactionKey } from './tables.ts';
import { writeBatch } from './write-batch.ts';

type Options = {
  /** The tables. Throws when the process of this store has ended. */
  tables(): Tables;
  /** Runs one durable transaction, as the real store does. `batch` is given to watchers of the disk. */
  write(work: (tables: Tables) => void, batch?: Batch): void;
  journalLimit: number;
  /** Has each transaction later than the disk; null: nothing else has to have it. */
  replica: Pick<Replica, 'whenAcknowledged'> | null;
  drawInstance(): string;
  /** Called when the store was closed: another process may open the disk. */
  release(): void;
};

export function createMemoryStore({ tables, write, replica, ...options }: Options): Store {
  let failed = false;
  let end: HighWater | null = null;
  /** Throws once the store is closed, as after the end of its process. */
  const open = (): Tables => {
    if (end !== null) throw new Error('disk: the store was closed');
    return tables();
  };
  const writeOpen = (work: (tables: Tables) => void, batch?: Batch) => {
    open();
    write(work, batch);
  };

  return {
    ...bootReads(open),
    ...historyReads(open),
    ...proofReads(open),
    ...channelReads(open),
    ...callReads(open),
    ...redemptionReads(open),
    ...marks(open, writeOpen),
    ...rowsOf(open, writeOpen),
    feed: feedReads(open),
    journal: {
      limit: options.journalLimit,
      ...journalReads({
        bounds: () => open().journal.bounds(),
        range: (from, to) => open().journal.range(from, to),
        of: (actor, from, to) =>
          open()
            .journal.range(from, to)
            .filter((row) => row.actor === actor),
      }),
    },
    commit(batch) {
      open();
      if (failed) throw new Error('disk: an earlier commit failed, open the disk again');
      failed = true;
      writeOpen((all) => writeBatch(all, batch), batch);
      failed = false;
    },
    whenDurable(done, _onFailure, onDisk = () => {}) {
      if (replica === null) return done();
      onDisk();
      replica.whenAcknowledged(done);
    },
    whenAcknowledged: (done) => (replica === null ? done() : replica.whenAcknowledged(done)),
    sync() {},
    async checkpoint() {},
    file: null,
    loss: () => null,
    rescue: () => ({ ok: false, reason: 'it is in memory' }),
    highWater: () => end ?? standingOf(open()),
    acceptCopy() {
      const instance = options.drawInstance();
      writeOpen((all) => {
        all.setFacts({ instance, backup: '', isRereading: true });
        const times = all.payments
          .range(1, Number.POSITIVE_INFINITY)
          .map(({ record }) => record.time);
        raiseRedeemable(all, times.reduce((a, b) => Math.max(a, b), -1) + 1);
      });
    },
    close() {
      if (end !== null) return;
      end = standingOf(open());
      options.release();
    },
  };
}

/** The database's name and its newest step. */
export function standingOf(tables: Tables): HighWater {
  return { instance: tables.facts().instance, seq: tables.journal.bounds().newest };
}

type Write = (work: (tables: Tables) => void) => void;
type Marks = Pick<
  Store,
  ('cursor' | 'trail' | 'fork' | 'acceptFork') | ('isRereading' | 'endRereading')
>;

function marks(tables: () => Tables, write: Write): Marks {
  const set = (changed: Parameters<Tables['setFacts']>[0]) => write((all) => all.setFacts(changed));
  return {
    cursor() {
      const { trail, lastLog } = tables().facts();
      const [last = null] = trail;
      return last === null || lastLog === null ? last : { ...last, lastLog };
    },
    trail: () => [...tables().facts().trail],
    fork: () => tables().facts().fork,
    acceptFork: () => set({ fork: null }),
    isRereading: () => tables().facts().isRereading,
    endRereading: () => set({ isRereading: false }),
  };
}

type RowsOf = Pick<
  Store,
  'sweep' | 'takeNotifications' | 'webhooks' | 'iouSessions' | 'transactions'
>;

function rowsOf(tables: () => Tables, write: Write): RowsOf {
  return {
    sweep: (rows, kept = KEEP_ALL) => swept(tables(), rows, { kept, write }),
    takeNotifications() {
      const rows = tables()
        .notifications.entries()
        .map(([, row]) => row)
        .sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
      if (rows.length > 0) write((all) => all.notifications.clear());
      return rows.map(({ time: _, ...row }) => row);
    },
    webhooks: {
      get: (name) => tables().webhooks.get(name) ?? null,
      set: (name, seq) => write((all) => all.webhooks.set(name, seq)),
    },
    iouSessions: {
      get: ({ receiver, oneToN }) => tables().iouSessions.get(`${receiver} ${oneToN}`) ?? null,
      set(session) {
        amount(session.amount);
        height(session.claimableUntil);
        const key = `${session.receiver} ${session.oneToN}`;
        write((all) => all.iouSessions.set(key, { ...session }));
      },
    },
    transactions: transactionsOf(tables, write),
  };
}

function transactionsOf(tables: () => Tables, write: Write): Store['transactions'] {
  const list = () => tables().transactions.list();
  const ofJob = (all: Tables, job: string) =>
    all.transactions.list().filter((row) => row.job === job);
  const put = (all: Tables, row: SignedTransaction) => {
    amount(row.maxFeePerGas);
    amount(row.maxPriorityFeePerGas);
    amount(row.gas);
    height(row.submittedBlock);
    all.transactions.set(transactionKey(row), { ...row });
  };
  return {
    save: (row) =>
      write((all) => {
        if (all.transactions.has(transactionKey(row)))
          throw new Error(`disk: step ${row.step} of ${row.job} has a transaction`);
        put(all, row);
      }),
    replace: (row) => write((all) => put(all, row)),
    forJob: (job) => ofJob(tables(), job).sort((a, b) => a.step - b.step),
    all: () => list().sort((a, b) => a.nonce - b.nonce),
    drop: (job) =>
      write((all) => {
        for (const row of ofJob(all, job)) all.transactions.remove(transactionKey(row));
      }),
  };
}
