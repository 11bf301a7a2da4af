/**
 * The tables of a seller's tabs. `npm run db:generate:tabs` writes the migrations in drizzle/tabs after a change here. Amounts in
 * the token's smallest unit, times in milliseconds since 1970.
 */
import { index, integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { addressBlob, hashBlob, uintBlob } from '../store/base/columns.ts';
import * as store from '../store/base/schema.ts';

/** The stamp of the database, and the process that holds it. */
export const meta = store.meta;

export const tabs = sqliteTable(
  'tabs',
  {
    id: hashBlob().primaryKey(),
    key: hashBlob().notNull(),
    payer: addressBlob().notNull(),
    token: addressBlob().notNull(),
    received: uintBlob().notNull(),
    lumps: integer().notNull(),
    charged: uintBlob().notNull(),
    /** The window of counters: where it begins, and its bits as a number. */
    begin: integer().notNull(),
    used: uintBlob().notNull(),
    usedAt: integer('used_at').notNull(),
    /** Null in these three: the tab is open. */
    rest: uintBlob(),
    attempt: integer(),
    since: integer(),
    /** When its buyer had the rest; null: it has not. */
    overAt: integer('over_at'),
  },
  (table) => [index('tabs_over').on(table.overAt)],
);
