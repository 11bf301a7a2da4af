/** What callers with a budget have paid, hour by hour. */
import { lt, sql } from 'drizzle-orm';
import type { BudgetRow } from '../base/batch.ts';
import { boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { budgets } from '../base/schema.ts';

/** Hours that count, besides the one that has begun. */
export const BUDGET_HOURS = 24;

export function prepareBudgets(connection: Connection) {
  const { db } = connection;
  const at = sql.placeholder;
  const select = db.select().from(budgets).prepare();
  const upsert = boundUpsert(connection, budgets, ['caller', 'token', 'hour'], ['spent']);
  const forget = db
    .delete(budgets)
    .where(lt(budgets.hour, at('firstHour')))
    .prepare();
  return {
    /** The rows that may still count. */
    budgets: (): BudgetRow[] => select.all(),
    /** Writes a row, inside a transaction of the caller, and deletes the rows that are too old to count. */
    putBudget(row: BudgetRow): void {
      upsert(row);
      forget.run({ firstHour: row.hour - BUDGET_HOURS });
    },
  };
}

export type StoredBudgets = ReturnType<typeof prepareBudgets>;
