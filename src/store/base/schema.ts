/**
 * The tables. `npm run db:generate` writes the migrations in drizzle/ after a change here.
 *
 * `seq` columns are SQLite's row number: it grows with every insert among the rows that are there, which
 * is all that their order needs. Columns named `body` and `state` hold text of the codec.
 */
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import { NOTIFICATION_IDS } from '../../protocol/notification-ids.ts';
import { hashBlob, height, uint, uint64Blob, uintBlob } from './columns.ts';
import { liveChangesBlob } from './live-changes.ts';
import { changesBlob } from './step-changes.ts';

/** The stamp of the database, who holds it, and the block cursor. */
export const meta = sqliteTable('meta', { key: text().primaryKey(), value: text().notNull() });

/** The live actors, without what the commits in `live_changes` have changed. Which row is whose is known in memory. */
export const actors = sqliteTable('actors', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  kind: text().notNull(),
  version: integer().notNull(),
  state: text().notNull(),
});

/**
 * What each of the newest commits changed of actors and messages, until it is brought into their tables (tables/live.ts): most
 * payments begin and end meanwhile, and never are in those.
 */
export const liveChanges = sqliteTable('live_changes', {
  seq: integer().primaryKey(),
  changes: liveChangesBlob().notNull(),
});

/**
 * Ids of ended actors, but for those of payments, whose secrethashes are kept (history/parts.ts): none of them may be spawned
 * a second time. For a registered secret, `block` is the block of its registration; it is null for all others, and when the
 * chain has replaced that block.
 */
export const ended = sqliteTable('ended', { id: text().primaryKey(), block: height() });

/** Partner messages that are not acknowledged yet, without what the commits in `live_changes` have changed. */
export const outbox = sqliteTable('outbox', {
  seq: integer().primaryKey(),
  key: text().notNull(),
  queue: text(),
  recipient: text().$type<Address>().notNull(),
  messageId: text('message_id').notNull(),
  nonce: text(),
  /** The codec's text of the partners whose transfers it passes on, with the bytes of each; null: none. */
  givers: text(),
  body: text().notNull(),
});

/** Transaction jobs without a confirmed receipt yet. */
export const jobs = sqliteTable('jobs', {
  seq: integer().primaryKey(),
  key: text().notNull().unique(),
  actor: text().notNull(),
  body: text().notNull(),
});

/** The signed transaction of each step of the open jobs: the version that was broadcast last. */
export const transactions = sqliteTable(
  'transactions',
  {
    job: text().notNull(),
    step: integer().notNull(),
    nonce: integer().notNull(),
    hash: text().$type<Hash>().notNull(),
    raw: text().$type<Hex>().notNull(),
    maxFeePerGas: uint('max_fee_per_gas').notNull(),
    maxPriorityFeePerGas: uint('max_priority_fee_per_gas').notNull(),
    gas: uint().notNull(),
    submittedBlock: height('submitted_block').notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.step] })],
);

/**
 * The number under which the steps of a channel are stored. A channel that departs loses it, and it is given to no
 * other: steps that are still to be deleted belong to no channel that lives, even if the chain gives its id once more.
 */
export const ledgers = sqliteTable('ledgers', {
  number: integer().primaryKey({ autoIncrement: true }),
  channel: text().notNull().unique(),
});

/**
 * Every signed step of both sides of every channel, until `departures` has it deleted. One row per nonce and side. Each
 * of them may be needed: the partner may close with any balance proof that it ever got, and a service or an old copy of
 * this node with any of the partner's; then the settlement wants the amounts of that very step, and `unlock` the locks
 * that were pending after it, which are found by going back through the changes of the steps before it (locks-at.ts).
 *
 * But a row has only what cannot be found elsewhere. Not: the balance hash, which is the hash of the amounts, of which 8
 * bytes help to find the row; the locksroot of a side without locks (null); of a lock that is removed anything but its
 * secrethash; the partner's signatures, since only its newest proof is ever brought on chain, and that is in the row of
 * the channel's actor, written in the same commit (machines/channel/context.ts).
 *
 * The table is WITHOUT ROWID, which Drizzle cannot say: a migration that makes it anew has to.
 */
export const steps = sqliteTable(
  'steps',
  {
    ledger: integer().notNull(),
    /** 0: own, 1: the partner's. */
    side: integer().notNull(),
    nonce: uint64Blob().notNull(),
    transferredAmount: uintBlob('transferred_amount').notNull(),
    lockedAmount: uintBlob('locked_amount').notNull(),
    locksroot: hashBlob(),
    /** The first 8 bytes of the balance hash. */
    mark: hashBlob().notNull(),
    /** The locks that were added and removed, in order. */
    changes: changesBlob().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ledger, table.side, table.nonce] })],
);

/** What the operator must know. */
export const alerts = sqliteTable('alarms', {
  seq: integer().primaryKey(),
  alert: text('alarm', { enum: ['stale_database', 'unanswered_lock', 'chain_replaced'] }).notNull(),
  channel: text().notNull(),
  detail: text().notNull(),
  time: integer().notNull(),
});

/** Confirmed logs of own channels. */
export const logs = sqliteTable(
  'logs',
  {
    channel: text().notNull(),
    block: height().notNull(),
    logIndex: integer('log_index').notNull(),
    body: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.channel, table.block, table.logIndex] })],
);

/**
 * The channels that have left the chain: what is still to be deleted of each (sweep.ts). `time`: when it left, in
 * milliseconds since 1970.
 */
export const departures = sqliteTable(
  'departures',
  {
    seq: integer().primaryKey(),
    channel: text().notNull(),
    time: integer().notNull(),
    hasProofs: integer('has_proofs', { mode: 'boolean' }).notNull(),
    /** The number of its steps; null: there are none. */
    ledger: integer(),
  },
  // The few with proofs are found at each start, however many channels there ever were.
  (table) => [index('departures_with_proofs').on(table.seq).where(sql`${table.hasProofs} = 1`)],
);

/** Every channel that this node ever had, by its actor; also those that are gone. */
export const channels = sqliteTable(
  'channels',
  {
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    token: text().$type<Address>().notNull(),
    partner: text().$type<Address>().notNull(),
    openBlock: height('open_block').notNull(),
  },
  (table) => [index('channels_pair').on(table.token, table.partner)],
);

/** What the operator has not read yet: one row for each kind. */
export const notifications = sqliteTable('notifications', {
  id: text({ enum: NOTIFICATION_IDS }).primaryKey(),
  summary: text().notNull(),
  body: text().notNull(),
  urgency: text({ enum: ['normal', 'high'] }).notNull(),
  time: integer().notNull(),
});

/** How far into the feed each receiver of webhooks was informed. `name` is no URL, since a URL may contain a secret. */
export const webhooks = sqliteTable('webhooks', {
  name: text().primaryKey(),
  seq: integer().notNull(),
});

/** What callers with a budget have paid in each hour since 1970. `caller` is a digest of the API token. */
export const budgets = sqliteTable(
  'budgets',
  {
    caller: text().notNull(),
    token: text().$type<Address>().notNull(),
    hour: integer().notNull(),
    spent: uint().notNull(),
  },
  (table) => [primaryKey({ columns: [table.caller, table.token, table.hour] })],
);

/**
 * Calls of the API that may be repeated under a key (`Idempotency-Key`), from the commit that began their work until a
 * day after their end. `caller` and `key` are digests, `content` is one of what was asked for: neither a key nor a token
 * is stored. `request`: under which the actors answer. `answer`: the codec's text of what became of it, without anything
 * that the API does not answer; null: it is under way. `time`: of its end, until then of its beginning.
 */
export const calls = sqliteTable(
  'calls',
  {
    seq: integer().primaryKey(),
    caller: hashBlob().notNull(),
    key: hashBlob().notNull(),
    content: hashBlob().notNull(),
    request: text().notNull(),
    /** The identifier of the payment that was begun; null: no payment was. */
    paymentId: uint('payment_id'),
    answer: text(),
    time: integer().notNull(),
  },
  (table) => [
    index('calls_caller').on(table.caller),
    index('calls_under_way').on(table.seq).where(sql`${table.answer} IS NULL`),
    index('calls_ended').on(table.time).where(sql`${table.answer} IS NOT NULL`),
  ],
);

/**
 * Received payments that were redeemed for something that was sold (docs/x402-scheme.md), each with the request under which
 * that was done. `received`: when the payment came, in milliseconds since 1970. A row stays until nobody could redeem the
 * payment any more, and a day longer (history/sweep.ts).
 */
export const redemptions = sqliteTable(
  'redemptions',
  {
    seq: integer().primaryKey(),
    secrethash: hashBlob().notNull(),
    paymentId: uint('payment_id').notNull(),
    request: text().notNull(),
    received: integer().notNull(),
    time: integer().notNull(),
  },
  (table) => [index('redemptions_received').on(table.received)],
);

/** The columns of a table by which rows of another are found (closed-index.ts), WITHOUT ROWID, like `steps`. */
const closedKeys = {
  part: integer().notNull(),
  key: hashBlob().notNull(),
  seq: integer().notNull(),
};

export const callKeys = sqliteTable('call_keys', closedKeys, (table) => [
  primaryKey({ columns: [table.part, table.key, table.seq] }),
]);

export const redemptionKeys = sqliteTable('redemption_keys', closedKeys, (table) => [
  primaryKey({ columns: [table.part, table.key, table.seq] }),
]);

/**
 * What partners have left of the gas that they may cost this node: the block in which the account will be full again.
 * `account`: a partner, all strangers, all strangers with amounts that mean little, a token that is no money here, or
 * secrets that were shown late. `known` with a partner: until that block it counts as a customer. `update` with a channel: an
 * update of it was promised, and `claims` with a channel, or `claim` with a payment: at which price of gas registrations were.
 */
export const forced = sqliteTable('forced', {
  account: text()
    .$type<
      | Address
      | `token ${Address}`
      | `known ${Address}`
      | `update ${string}`
      | `claims ${string}`
      | `claim ${string}`
      | 'strangers'
      | 'small strangers'
      | 'late secrets'
    >()
    .primaryKey(),
  fullBlock: height('full_block').notNull(),
});

/**
 * The last promise to each path-finding service. It is on disk before the service gets it, so that the amount never
 * goes down.
 */
export const iouSessions = sqliteTable(
  'iou_sessions',
  {
    receiver: text().$type<Address>().notNull(),
    oneToN: text('one_to_n').$type<Address>().notNull(),
    amount: uint().notNull(),
    claimableUntil: height('claimable_until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.receiver, table.oneToN] })],
);
