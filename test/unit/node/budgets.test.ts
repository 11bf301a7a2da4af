/** How the budget of a caller is counted, hour by hour. */
import { describe, expect, it } from 'vitest';
import { createBudgets } from '../../../src/node/runtime/knowledge/budgets.ts';
import type { BudgetRow } from '../../../src/store/base/batch.ts';
import { PARTNER as OTHER_TOKEN, TOKEN } from '../../support/makers.ts';

const HOUR_MS = 3_600_000;
const SHOP = { caller: 'shop', perDay: 10n };

function counting({ rows = [] as BudgetRow[], hour = 1_000 } = {}) {
  const clock = { hour };
  const written: BudgetRow[] = [];
  const write = (row: BudgetRow) => void written.push(row);
  const budgets = createBudgets({ rows, write, now: () => clock.hour * HOUR_MS + 5 });
  return { ...budgets, clock, written, left: () => budgets.left(SHOP, TOKEN) };
}

describe('a budget', () => {
  it('is for each caller and token by itself', () => {
    const { charge, left } = counting();
    charge({ ...SHOP, caller: 'other' }, TOKEN, 9n);
    charge(SHOP, OTHER_TOKEN, 9n);
    charge(SHOP, TOKEN, 3n);
    expect(left()).toBe(7n);
  });

  it('counts a payment for 24 hours at least', () => {
    const { charge, left, clock } = counting();
    charge(SHOP, TOKEN, 10n);
    clock.hour += 24;
    expect(left()).toBe(0n);
    clock.hour += 1;
    expect(left()).toBe(10n);
  });

  it('has nothing left when it was made smaller than what was paid', () => {
    const { charge, left } = counting();
    charge(SHOP, TOKEN, 12n);
    expect(left()).toBe(0n);
  });

  it('gets back what a payment did not cost, in the hour in which it began', () => {
    const { charge, left, clock, written } = counting();
    const giveBack = charge(SHOP, TOKEN, 4n);
    clock.hour += 2;
    charge(SHOP, TOKEN, 5n);
    giveBack();
    expect(left()).toBe(5n);
    expect(written.map(({ hour, spent }) => [hour, spent])).toEqual([
      [1_000, 4n],
      [1_002, 5n],
      [1_000, 0n],
    ]);
  });

  it('gets nothing back of an hour that it counts no more', () => {
    const { charge, left, clock, written } = counting();
    const giveBack = charge(SHOP, TOKEN, 4n);
    clock.hour += 25;
    expect(left()).toBe(10n);
    giveBack();
    expect(left()).toBe(10n);
    expect(written).toHaveLength(1);
  });

  it('goes on from what was written', () => {
    const { charge, written } = counting();
    charge(SHOP, TOKEN, 4n);
    charge(SHOP, TOKEN, 5n);
    const [, newest] = written;
    expect(counting({ rows: newest === undefined ? [] : [newest], hour: 1_020 }).left()).toBe(1n);
  });
});
