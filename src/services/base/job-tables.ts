/** The tables of a service's open jobs and of their signed transactions: part of each service's schema. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import * as store from '../../store/base/schema.ts';

export const jobs = sqliteTable('jobs', {
  seq: integer().primaryKey(),
  key: text().notNull().unique(),
  body: text().notNull(),
});

/** The same table as in a node's database, so that the same code can write it. */
export const transactions = store.transactions;
