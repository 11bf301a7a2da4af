/** Writes one batch, all of it or nothing. Every statement is prepared once. */
import { eq, gt, sql } from 'drizzle-orm';
import type { ChainLog } from '../../machines/events/chain.ts';
import { type Batch, contradictionIn } from './base/batch.ts';
import { bound, boundInsert, boundNumber, boundUpsert } from './base/bound.ts';
import type { ClosedIndex } from './base/closed-index.ts';
import { encode } from './base/codec.ts';
import type { Connection } from './base/connection.ts';
import { payments } from './base/history-schema.ts';
import type { JournalRow } from './base/journal-block.ts';
import type { Meta } from './base/meta.ts';
import * as tables from './base/schema.ts';
import type { StoredFeed } from './history/feed.ts';
import { shownOf } from './history/payment-row.ts';
import type { StoredHistory } from './history/stored-history.ts';
import { secrethashIn, type Used } from './history/used.ts';
import type { StoredBudgets } from './tables/budgets.ts';
import type { StoredCalls } from './tables/calls.ts';
import { prepareDepartures } from './tables/departures.ts';
import type { StoredForced } from './tables/forced.ts';
import type { Live } from './tables/live.ts';
import { prepareConditions } from './tables/notifications.ts';
import type { StoredRedemptions } from './tables/redemptions.ts';
import { registeredId } from './tables/secrets.ts';
import { preparePutProof } from './tables/steps.ts';
import type { prepareTrail } from './tables/trail.ts';

const at = sql.placeholder;

function prepareEnds(connection: Connection, used: Used) {
  const end = boundInsert(connection, tables.ended, ['id'], { isOnce: true });
  const noteBlock = boundUpsert(connection, tables.ended, ['id'], ['block']);
  return {
    end(id: string): void {
      const secrethash = secrethashIn(id);
      if (secrethash === null) end({ id });
      else used.spend(secrethash);
    },
    register: ({ secrethash, block }: Batch['registered'][number]) =>
      noteBlock({ id: registeredId(secrethash), block }),
  };
}

function prepareJobs(connection: Connection) {
  const { db } = connection;
  const remove = bound(connection, db.delete(tables.jobs).where(eq(tables.jobs.key, at('key'))));
  return {
    put: boundUpsert(connection, tables.jobs, ['key'], ['actor', 'body']),
    done: (key: string) => remove({ key }),
  };
}

function preparePayments(connection: Connection, feed: StoredFeed, used: Used) {
  const insert = boundInsert(connection, payments, [
    'seq',
    'event',
    'token',
    'partner',
    'paymentId',
    'amount',
    'reason',
    'secrethash',
    'time',
    'channel',
    'block',
  ]);
  const numberOf = boundNumber(
    connection,
    connection.db
      .select({ number: tables.channels.number })
      .from(tables.channels)
      .where(eq(tables.channels.id, at('id'))),
  );
  function numberIn(channel: string | null): number | null {
    if (channel === null) return null;
    const number = numberOf({ id: channel });
    if (number === null) throw new Error(`store: a payment over ${channel}, which is not known`);
    return number;
  }
  return (batch: Pick<Batch, 'payments' | 'time' | 'block'>) => {
    const numbers = new Map<string | null, number | null>();
    for (const payment of batch.payments) {
      const { secrethash, channel } = payment;
      const seq = feed.takeNumber();
      if (!numbers.has(channel)) numbers.set(channel, numberIn(channel));
      const number = numbers.get(channel) ?? null;
      insert({ secrethash, channel: number, ...shownOf(payment, batch, seq) });
      used.addPayment(secrethash, seq, payment.type === 'record.paymentReceived');
    }
  };
}

function prepareRecords(connection: Connection) {
  const { db } = connection;
  const insertAlert = boundInsert(connection, tables.alerts, [
    'alert',
    'channel',
    'detail',
    'time',
  ]);
  const insertLog = boundInsert(connection, tables.logs, ['channel', 'block', 'logIndex', 'body'], {
    isOnce: true,
  });
  const insertChannel = boundInsert(
    connection,
    tables.channels,
    ['id', 'token', 'partner', 'openBlock'],
    { isOnce: true },
  );
  const forgetLogs = bound(
    connection,
    db.delete(tables.logs).where(gt(tables.logs.block, sql.param(at('block'), tables.logs.block))),
  );
  // A secret that was public stays public, but it is no longer known when it was registered.
  const forgetRegistrations = bound(
    connection,
    db
      .update(tables.ended)
      .set({ block: null })
      .where(gt(tables.ended.block, sql.param(at('block'), tables.ended.block))),
  );
  return {
    /**
     * Deletes the logs of later blocks, which the chain does not have any more, and the blocks of registrations in
     * them.
     */
    forgetLogs(block: bigint) {
      forgetLogs({ block });
      forgetRegistrations({ block });
    },
    alert: (alert: Batch['alerts'][number], time: number) => insertAlert({ ...alert, time }),
    channel: insertChannel,
    /** Writes a log. Returns whether it is new. */
    log: (channel: string, log: ChainLog): boolean =>
      insertLog({
        channel,
        block: log.at.block,
        logIndex: log.at.logIndex,
        body: encode(log),
      }).changes > 0,
  };
}

type Parts = {
  connection: Connection;
  live: Live;
  history: StoredHistory;
  indexes: Record<'calls' | 'redemptions', ClosedIndex>;
  putBudget: StoredBudgets['putBudget'];
  putForced: StoredForced['putForced'];
  beginCall: StoredCalls['beginCall'];
  endCall: StoredCalls['endCall'];
  putRedemption: StoredRedemptions['putRedemption'];
  meta: Meta;
  feed: StoredFeed;
  trail: ReturnType<typeof prepareTrail>;
  journal: { put(rows: readonly JournalRow[]): void; mark(): () => void };
};

/** The function that writes a batch. What is known in memory of the tables counts once they are written. */
export function prepareBatch({
  connection,
  meta,
  feed,
  trail,
  live,
  history,
  indexes,
  ...parts
}: Parts) {
  const { putBudget, putForced, beginCall, endCall, putRedemption, journal } = parts;
  const ends = prepareEnds(connection, history.used);
  const jobs = prepareJobs(connection);
  const putProof = preparePutProof(connection);
  const putPayments = preparePayments(connection, feed, history.used);
  const records = prepareRecords(connection);
  const conditions = prepareConditions(connection, meta);
  const depart = prepareDepartures(connection);

  /** Writes everything that the feed reports, each with its row of the feed, causes before consequences. */
  function putNews(batch: Batch) {
    const { logs, payments, notifications } = batch;
    for (const entry of logs)
      if (records.log(entry.channel, entry.log)) feed.log(entry, batch.time);
    putPayments(batch);
    for (const id of batch.over) conditions.end(id);
    for (const notification of notifications)
      if (conditions.raise(notification, batch.time)) feed.notification(notification, batch.time);
    const added = logs.length + payments.length + notifications.length;
    if (added > 0) feed.cut(added);
  }

  function writeBatch(batch: Batch): void {
    const contradiction = contradictionIn(batch);
    if (contradiction !== null) throw new Error(`store: a batch in which ${contradiction}`);
    if (batch.fork !== null) {
      records.forgetLogs(batch.fork.block);
      trail.rewind(batch.fork);
    }
    live.write(batch);
    for (const id of batch.ended) ends.end(id);
    for (const secret of batch.registered) ends.register(secret);
    for (const row of batch.jobs) jobs.put(row);
    for (const key of batch.jobsDone) jobs.done(key);
    for (const proof of batch.proofs) putProof(proof);
    for (const channel of batch.gone) depart(channel, batch.time);
    for (const row of batch.budgets) putBudget(row);
    if (batch.forced.length > 0) putForced(batch.forced, batch.block);
    for (const row of batch.calls) beginCall(row, batch.time);
    for (const row of batch.callsEnded) endCall(row, batch.time);
    for (const row of batch.redemptions) putRedemption(row, batch.time);
    for (const alert of batch.alerts) records.alert(alert, batch.time);
    for (const row of batch.channels) records.channel(row);
    putNews(batch);
    journal.put(batch.journal);
    if (batch.cursor !== null) trail.follow(batch.cursor);
    history.close(feed.bounds().newest);
    for (const index of Object.values(indexes)) index.close();
  }

  function settle(isDone: boolean): void {
    for (const one of [history.used, live, ...Object.values(indexes)]) one.settle(isDone);
  }

  /** `append`: runs one transaction, whose work it may have to do twice. */
  return (batch: Batch, append: (work: () => void) => void): void => {
    const marks = [feed.mark(), journal.mark(), history.parts.mark()];
    append(() => {
      for (const goBack of marks) goBack();
      settle(false);
      writeBatch(batch);
    });
    settle(true);
  };
}
