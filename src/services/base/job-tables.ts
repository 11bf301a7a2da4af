/** The tables of a service's open jobs and of their signed transactions: part of each service's schema. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import * as store from '../../store/schema.ts';

export const jobs = sqliteTable('jobs', {
  seq: integer().primaryKey(),
  key: text().notNull().unique(),
  body: text().notNull(),
});

/** The node's own table: what writes it serves both. */
export const transactions = store.transactions;
