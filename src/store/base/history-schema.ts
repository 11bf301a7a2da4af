/**
 * The tables of what was: payments, the feed, the journal. The others, and what is said of all of them, are in schema.ts.
 */
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { addressBlob, bytesBlob, hashBlob, height, uintBlob } from './columns.ts';
import { stepsBlob } from './journal-block.ts';

/**
 * Secrethashes that no payment may have any more, of which nothing else is stored: of payments that left no row in the
 * history, and of those whose row was deleted before its part was closed. Here are the newest; the others are in
 * `history_keys`. The last 16 bytes are enough: to have an honest payment refused, somebody would need 2^128 tries.
 */
export const spent = sqliteTable('spent', {
  seq: integer().primaryKey(),
  secrethash: hashBlob().notNull(),
});

/** What a row of the history says of its payment. */
export const PAYMENT_EVENTS = ['sent', 'failed', 'received'] as const;

/**
 * The payment history of the API. `seq` is the payment's number in the feed, whose rows of payments these are. `partner` is the
 * other end: the initiator of a received payment, else the target.
 *
 * It has no index: each would have a page of its own written for each payment, at a place that nobody can foresee. Rows are
 * found by `history_keys`, and the newest, which are not in there yet, by reading through them.
 */
export const payments = sqliteTable('payments', {
  seq: integer().primaryKey(),
  /** The place of the word in `PAYMENT_EVENTS`. */
  event: integer().notNull(),
  token: addressBlob().notNull(),
  partner: addressBlob().notNull(),
  paymentId: uintBlob('payment_id').notNull(),
  amount: uintBlob().notNull(),
  reason: text(),
  secrethash: hashBlob().notNull(),
  time: integer().notNull(),
  /** The number of the channel; null: no channel was found for the payment. */
  channel: integer(),
  /** The newest block when the payment ended. */
  block: height().notNull(),
});

/**
 * The history is closed part by part, each some 2,000 rows of `payments` or `spent` that follow each other. `rows`: how many
 * payments of it are left; `block`: the newest of theirs. When all are deleted it is a part of what is `gone`.
 */
export const historyParts = sqliteTable('history_parts', {
  number: integer().primaryKey(),
  source: text({ enum: ['payments', 'spent', 'gone'] }).notNull(),
  fromSeq: integer('from_seq').notNull(),
  toSeq: integer('to_seq').notNull(),
  rows: integer().notNull(),
  block: height().notNull(),
});

/**
 * By what the payments of closed parts are found, sorted within each part, so that it is only written at its end: an index
 * over all parts would have a page of its own written for each entry. `kind`: see history/parts.ts; `seq`: of the payment; 0:
 * only its secrethash is known. The table is WITHOUT ROWID, like `steps`.
 */
export const historyKeys = sqliteTable(
  'history_keys',
  {
    part: integer().notNull(),
    kind: integer().notNull(),
    key: blob().notNull(),
    seq: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.part, table.kind, table.key, table.seq] })],
);

/** The filter of the secrethashes in the parts up to this one, from behind those of the filter before (filter.ts). */
export const historyFilters = sqliteTable('history_filters', {
  toPart: integer('to_part').primaryKey(),
  bits: bytesBlob().notNull(),
});

/**
 * The feed: the newest of all that happened, for those who follow it. Bounded; a number is never used again. Of payments it
 * has only those whose row was deleted from `payments` since: the others are read from there.
 */
export const feed = sqliteTable('feed', {
  seq: integer().primaryKey(),
  kind: text({ enum: ['payment', 'channel', 'notification'] }).notNull(),
  body: text().notNull(),
  time: integer().notNull(),
});

/**
 * The newest steps of all actors, bounded: one row for those of a commit (base/journal-block.ts). `seq` is the number of the
 * last of its `count` steps. `turning` and `others` have four bytes for each actor with a step in it: for those that were
 * spawned, ended or written as a whole, and for the others. Whoever asks for an actor reads through them.
 */
export const journal = sqliteTable('journal', {
  seq: integer().primaryKey(),
  count: integer().notNull(),
  commit: integer().notNull(),
  turning: hashBlob().notNull(),
  others: hashBlob().notNull(),
  steps: stepsBlob().notNull(),
});
