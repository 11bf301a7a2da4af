/**
 * The tables of the monitoring service. `npm run db:generate:monitoring` writes the migrations in
 * drizzle/monitoring after a change here. Rewards in the service token's smallest unit.
 */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Address, Hash, Signature } from '../../basics/hex.ts';
import { height, uint } from '../../store/base/columns.ts';
import * as store from '../../store/base/schema.ts';
import * as base from '../base/job-tables.ts';

/** The stamp of the database (chain, contracts, owner, service), the process that holds it, and the block cursor. */
export const meta = store.meta;
export const jobs = base.jobs;
export const transactions = base.transactions;

export const tokenNetworks = sqliteTable('token_networks', {
  address: text().$type<Address>().primaryKey(),
  token: text().$type<Address>().notNull(),
});

/** Every channel that is not settled, by `channelKey`. */
export const channels = sqliteTable('channels', {
  channel: text().primaryKey(),
  tokenNetwork: text('token_network').$type<Address>().notNull(),
  channelId: uint('channel_id').notNull(),
  participant1: text().$type<Address>().notNull(),
  participant2: text().$type<Address>().notNull(),
  settleTimeout: uint('settle_timeout').notNull(),
});

/** For each participant of a channel the request with the highest nonce: the balance proof to bring on chain for it. */
export const requests = sqliteTable(
  'requests',
  {
    channel: text().notNull(),
    nonClosing: text('non_closing').$type<Address>().notNull(),
    /** The participant that signed the balance proof. */
    partner: text().$type<Address>().notNull(),
    nonce: uint().notNull(),
    balanceHash: text('balance_hash').$type<Hash>().notNull(),
    additionalHash: text('additional_hash').$type<Hash>().notNull(),
    proofSignature: text('proof_signature').$type<Signature>().notNull(),
    nonClosingSignature: text('non_closing_signature').$type<Signature>().notNull(),
    reward: uint().notNull(),
    rewardSignature: text('reward_signature').$type<Signature>().notNull(),
    /** Milliseconds since 1970; null: its channel is known. */
    waitingSince: integer('waiting_since'),
  },
  (table) => [
    primaryKey({ columns: [table.channel, table.nonClosing] }),
    index('requests_waiting').on(table.waitingSince),
  ],
);

/** Every close that is not settled, and every one with which a reward was earned. */
export const closes = sqliteTable('closes', {
  channel: text().primaryKey(),
  tokenNetwork: text('token_network').$type<Address>().notNull(),
  channelId: uint('channel_id').notNull(),
  closing: text().$type<Address>().notNull(),
  nonClosing: text('non_closing').$type<Address>().notNull(),
  closeBlock: height('close_block').notNull(),
  settleBlock: height('settle_block').notNull(),
  /** The nonce of the closing side's balance proof on chain, in confirmed blocks; 0: there is none. */
  chainNonce: uint('chain_nonce').notNull(),
  isSettled: integer('is_settled', { mode: 'boolean' }).notNull(),
  /**
   * watching: this service has no job for it; monitoring, claiming: `job` is open; monitored: this service's balance
   * proof is on chain; claimed: the reward was paid; lost: another service brought a later proof and gets the reward.
   */
  state: text({
    enum: ['watching', 'monitoring', 'monitored', 'claiming', 'claimed', 'lost'],
  }).notNull(),
  /** The nonce of the balance proof that this service brought on chain, and its reward; 0 when there is none. */
  nonce: uint().notNull(),
  reward: uint().notNull(),
  job: text(),
  /** The nonce and the reward of the balance proof that `job` brings on chain. */
  jobNonce: uint('job_nonce').notNull(),
  jobReward: uint('job_reward').notNull(),
  /** How many jobs were begun for this close; it makes their keys differ. */
  tries: integer().notNull(),
  /** No job is begun before this block is the newest. */
  notBeforeBlock: height('not_before_block').notNull(),
  /** The transaction that claimed the reward. */
  transactionHash: text('transaction_hash').$type<Hash>(),
});
