/**
 * The tables of the path-finding service. `npm run db:generate:pathfinding` writes the migrations in
 * drizzle/pathfinding after a change here. Amounts in the token's smallest unit.
 */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Address, Signature } from '../../basics/hex.ts';
import { height, uint } from '../../store/base/columns.ts';
import * as store from '../../store/base/schema.ts';
import * as tables from '../base/job-tables.ts';

/** The stamp of the database (chain, contracts, owner, service), the process that holds it, and the block cursor. */
export const meta = store.meta;
/** The jobs of the queue that redeems IOUs and registers the service. */
export const jobs = tables.jobs;
export const transactions = tables.transactions;

export const tokenNetworks = sqliteTable('token_networks', {
  address: text().$type<Address>().primaryKey(),
  token: text().$type<Address>().notNull(),
});

/** The open channels: confirmed, and not closed. Deposits and withdraws are totals. */
export const channels = sqliteTable(
  'channels',
  {
    tokenNetwork: text('token_network').$type<Address>().notNull(),
    channelId: uint('channel_id').notNull(),
    participant1: text().$type<Address>().notNull(),
    participant2: text().$type<Address>().notNull(),
    settleTimeout: uint('settle_timeout').notNull(),
    deposit1: uint().notNull(),
    deposit2: uint().notNull(),
    withdraw1: uint().notNull(),
    withdraw2: uint().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tokenNetwork, table.channelId] })],
);

/** The newest statement of each participant about what both can send. */
export const capacities = sqliteTable(
  'capacities',
  {
    tokenNetwork: text('token_network').$type<Address>().notNull(),
    channelId: uint('channel_id').notNull(),
    updatingParticipant: text('updating_participant').$type<Address>().notNull(),
    updatingNonce: uint('updating_nonce').notNull(),
    otherNonce: uint('other_nonce').notNull(),
    updatingCapacity: uint('updating_capacity').notNull(),
    otherCapacity: uint('other_capacity').notNull(),
    revealTimeout: uint('reveal_timeout').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenNetwork, table.channelId, table.updatingParticipant] }),
  ],
);

/**
 * The newest fee schedule of each participant. `curve`: the penalty curve as `curve-text.ts` writes it; null when there
 * is none. `timestamp`: as it was signed.
 */
export const fees = sqliteTable(
  'fees',
  {
    tokenNetwork: text('token_network').$type<Address>().notNull(),
    channelId: uint('channel_id').notNull(),
    updatingParticipant: text('updating_participant').$type<Address>().notNull(),
    flat: uint().notNull(),
    proportional: uint().notNull(),
    capFees: integer('cap_fees', { mode: 'boolean' }).notNull(),
    curve: text(),
    timestamp: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenNetwork, table.channelId, table.updatingParticipant] }),
  ],
);

/**
 * What clients owe: the newest IOU of each session. `open` ones grow; `claiming` ones are being redeemed;
 * `claimed` ones were, and are remembered until they expire.
 */
export const ious = sqliteTable(
  'ious',
  {
    sender: text().$type<Address>().notNull(),
    claimableUntil: height('claimable_until').notNull(),
    amount: uint().notNull(),
    signature: text().$type<Signature>().notNull(),
    /** The newest block when the session began. */
    sinceBlock: height('since_block').notNull(),
    state: text({ enum: ['open', 'claiming', 'claimed'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sender, table.claimableUntil] })],
);

/**
 * Answers on which feedback may still be given. `paths`: one on each line, its addresses comma separated; `time` in
 * milliseconds since 1970.
 */
export const feedbackTokens = sqliteTable(
  'feedback_tokens',
  {
    token: text().primaryKey(),
    tokenNetwork: text('token_network').$type<Address>().notNull(),
    paths: text().notNull(),
    time: integer().notNull(),
  },
  (table) => [index('feedback_tokens_time').on(table.time)],
);

/** Paths that have failed, and until when they are listed last. `path`: addresses, comma separated. */
export const failedPaths = sqliteTable(
  'failed_paths',
  {
    tokenNetwork: text('token_network').$type<Address>().notNull(),
    path: text().notNull(),
    until: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tokenNetwork, table.path] })],
);
