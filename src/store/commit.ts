/** Writes one batch, all of it or nothing. Every statement is prepared once. */
import { eq, gt, sql } from 'drizzle-orm';
import type { RecordPayment } from '../../machines/effects.ts';
import type { ChainLog } from '../../machines/events/chain.ts';
import { type Batch, contradictionIn, type JournalRow, type OutboxRow } from './base/batch.ts';
import { bound, boundInsert, boundUpsert } from './base/bound.ts';
import { encode } from './base/codec.ts';
import type { Connection } from './base/connection.ts';
import type { Meta } from './base/meta.ts';
import * as tables from './base/schema.ts';
import type { StoredFeed } from './history/feed.ts';
import type { StoredBudgets } from './tables/budgets.ts';
import type { StoredCalls } from './tables/calls.ts';
import { prepareDepartures } from './tables/departures.ts';
import type { StoredForced } from './tables/forced.ts';
import { prepareConditions } from './tables/notifications.ts';
import type { StoredRedemptions } from './tables/redemptions.ts';
import { registeredId } from './tables/secrets.ts';
import { prepareSpend, secrethashIn } from './tables/spent.ts';
import { preparePutProof } from './tables/steps.ts';
import type { prepareTrail } from './tables/trail.ts';

const at = sql.placeholder;

function prepareActors(connection: Connection) {
  const { db } = connection;
  const upsert = boundUpsert(connection, tables.actors, ['id'], ['kind', 'version', 'state']);
  const remove = bound(connection, db.delete(tables.actors).where(eq(tables.actors.id, at('id'))));
  const end = boundInsert(connection, tables.ended, ['id'], { isOnce: true });
  const spend = prepareSpend(connection);
  const noteBlock = boundUpsert(connection, tables.ended, ['id'], ['block']);
  return {
    put: upsert,
    retire: (id: string) => remove({ id }),
    end(id: string): void {
      const secrethash = secrethashIn(id);
      if (secrethash === null) end({ id });
      else spend(secrethash);
    },
    register: ({ secrethash, block }: Batch['registered'][number]) =>
      noteBlock({ id: registeredId(secrethash), block }),
  };
}

function prepareOutbox(connection: Connection) {
  const upsert = boundUpsert(
    connection,
    tables.outbox,
    ['key'],
    ['queue', 'recipient', 'messageId', 'nonce', 'givers', 'body'],
  );
  const remove = bound(
    connection,
    connection.db.delete(tables.outbox).where(eq(tables.outbox.key, at('key'))),
  );
  return {
    put: ({ givers, nonce, ...row }: OutboxRow) =>
      upsert({
        ...row,
        nonce: nonce?.toString() ?? null,
        givers: givers.length === 0 ? null : encode(givers),
      }),
    done: (key: string) => remove({ key }),
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

const PAYMENT_EVENT = {
  'record.paymentSent': 'sent',
  'record.paymentFailed': 'failed',
  'record.paymentReceived': 'received',
} as const;

function preparePayments(connection: Connection) {
  const insert = boundInsert(connection, tables.payments, [
    'event',
    'token',
    'tokenNetwork',
    'partner',
    'paymentId',
    'amount',
    'reason',
    'secrethash',
    'time',
    'channel',
    'block',
  ]);
  return (payment: RecordPayment, { time, block }: Pick<Batch, 'time' | 'block'>) =>
    insert({
      event: PAYMENT_EVENT[payment.type],
      token: payment.token,
      tokenNetwork: payment.tokenNetwork,
      paymentId: payment.paymentId,
      amount: payment.amount,
      secrethash: payment.secrethash,
      channel: payment.channel,
      partner: payment.type === 'record.paymentReceived' ? payment.initiator : payment.target,
      reason: payment.type === 'record.paymentFailed' ? payment.reason : null,
      time,
      block,
    });
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
  putBudget: StoredBudgets['putBudget'];
  putForced: StoredForced['putForced'];
  putCalls: Pick<StoredCalls, 'beginCall' | 'endCall'>;
  putRedemption: StoredRedemptions['putRedemption'];
  meta: Meta;
  feed: StoredFeed;
  trail: ReturnType<typeof prepareTrail>;
  putJournal(rows: readonly JournalRow[]): void;
};

/** The function that writes a batch inside a transaction that its caller has opened. */
export function prepareBatch({ connection, meta, feed, trail, ...parts }: Parts) {
  const { putBudget, putForced, putCalls, putRedemption, putJournal } = parts;
  const actors = prepareActors(connection);
  const outbox = prepareOutbox(connection);
  const jobs = prepareJobs(connection);
  const putProof = preparePutProof(connection);
  const putPayment = preparePayments(connection);
  const records = prepareRecords(connection);
  const conditions = prepareConditions(connection, meta);
  const depart = prepareDepartures(connection);

  /** Writes everything that the feed reports, each with its row of the feed, causes before consequences. */
  function putNews({ logs, payments, notifications, ...batch }: Batch) {
    for (const entry of logs)
      if (records.log(entry.channel, entry.log)) feed.log(entry, batch.time);
    for (const payment of payments) {
      putPayment(payment, batch);
      feed.payment(payment, batch.time);
    }
    for (const id of batch.over) conditions.end(id);
    for (const notification of notifications)
      if (conditions.raise(notification, batch.time)) feed.notification(notification, batch.time);
    const added = logs.length + payments.length + notifications.length;
    if (added > 0) feed.cut(added);
  }

  return (batch: Batch): void => {
    const contradiction = contradictionIn(batch);
    if (contradiction !== null) throw new Error(`store: a batch in which ${contradiction}`);
    if (batch.fork !== null) {
      records.forgetLogs(batch.fork.block);
      trail.rewind(batch.fork);
    }
    for (const row of batch.actors) actors.put(row);
    for (const id of batch.retired) actors.retire(id);
    for (const id of batch.ended) actors.end(id);
    for (const secret of batch.registered) actors.register(secret);
    for (const row of batch.outbox) outbox.put(row);
    for (const key of batch.outboxDone) outbox.done(key);
    for (const row of batch.jobs) jobs.put(row);
    for (const key of batch.jobsDone) jobs.done(key);
    for (const proof of batch.proofs) putProof(proof);
    for (const channel of batch.gone) depart(channel, batch.time);
    for (const row of batch.budgets) putBudget(row);
    if (batch.forced.length > 0) putForced(batch.forced, batch.block);
    for (const row of batch.calls) putCalls.beginCall(row, batch.time);
    for (const row of batch.callsEnded) putCalls.endCall(row, batch.time);
    for (const row of batch.redemptions) putRedemption(row, batch.time);
    for (const alert of batch.alerts) records.alert(alert, batch.time);
    for (const row of batch.channels) records.channel(row);
    putNews(batch);
    putJournal(batch.journal);
    if (batch.cursor !== null) trail.follow(batch.cursor);
  };
}
