import { describe, expect, it } from 'vitest';
import {
  type Account,
  createGasBudgets,
  gasBudgetsOf,
  REGISTRATION,
} from '../../../src/node/chain/gas/gas-budgets.ts';
import { createBudgetWatch } from '../../../src/node/health/spent-budgets.ts';
import { USUAL_BOUNDS } from '../../../src/node/runtime/knowledge/bounds.ts';
import { PARTNER, STRANGER } from '../../support/makers.ts';

const { ofPartner: OF_PARTNER, ofStrangers: OF_STRANGERS } = gasBudgetsOf(USUAL_BOUNDS);

/** What is told each time, after these were spent of the accounts. */
function told(...looks: [Account, bigint][][]) {
  let spent: [Account, bigint][] = [];
  const all = () => spent.map(([account, count]) => ({ account, spent: count }));
  const look = createBudgetWatch({
    ...createGasBudgets({ rows: [], nowBlock: () => 0n }),
    all,
  });
  return looks.map((found) => {
    spent = found;
    return look()?.body ?? null;
  });
}
const half = OF_PARTNER.most / 2n;

describe('partners that force registrations', () => {
  it('are told of when half of their budget is spent, until three quarters are there again', () => {
    const counts = [half - 1n, half, half / 2n, half / 2n - 1n, half - 1n];
    const bodies = told(...counts.map((count): [Account, bigint][] => [[PARTNER, count]]));
    expect(bodies.map((body) => body !== null)).toEqual([false, true, true, false, false]);
  });

  it('are named, the one that spent most of its budget first', () => {
    const [body] = told([
      ['strangers', OF_STRANGERS.most / 2n],
      [PARTNER, half],
      [STRANGER, half + 40n * REGISTRATION],
    ]);
    expect(body).toContain(
      `The partner ${STRANGER} has cost this node the gas of 200 registrations`,
    );
    expect(body).toContain('So did others: 2 more');
  });

  it('are told of together when they are strangers', () => {
    const [body] = told([['strangers', OF_STRANGERS.most]]);
    expect(body).toContain('Partners with whom this node has put nothing into a channel have');
  });
});
