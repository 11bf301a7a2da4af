/** What callers with a budget have paid, hour by hour. */
import { lt, sql } from 'drizzle-orm';
import type { BudgetRow } from '../base/batch.ts';
import type { Connection } from '../base/connection.ts';
import { budgets } from '../base/schema.ts';

/** Hours that count, besides the one that has begun. */
export const BUDGET_HOURS = 24;

export function prepareBudgets({ db }: Connection) {
  const at = sql.placeholder;
  const { caller, token, hour } = budgets;
  const select = db.select().from(budgets).prepare();
  const upsert = db
    .insert(budgets)
    .values({ caller: at('caller'), token: at('token'), hour: at('hour'), spent: at('spent') })
    .onConflictDoUpdate({ target: [caller, token, hour], set: { spent: sql`excluded.spent` } })
    .prepare();
  const forget = db
    .delete(budgets)
    .where(lt(hour, at('firstHour')))
    .prepare();
  return {
    /** The rows that may still count. */
    budgets: (): BudgetRow[] => select.all(),
    /** Writes a row, inside a transaction of the caller, and deletes the rows that are too old to count. */
    putBudget(row: BudgetRow): void {
      upsert.run({ ...row });
      forget.run({ firstHour: row.hour - BUDGET_HOURS });
    },
  };
}

export type StoredBudgets = ReturnType<typeof prepareBudgets>;
