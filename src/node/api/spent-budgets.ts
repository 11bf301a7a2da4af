/** Notifies the operator of partners that have made this node pay for the chain again and again. */
import { budgetOf, type GasBudgets, leftOf, OF_PARTNER } from '../chain/gas/gas-budgets.ts';
import type { Notification } from '../runtime/commits/records.ts';

/** The condition begins when half of an account is spent, and holds until three quarters are there again. */
const BEGINS = 2;
const HOLDS = 4;

/** Looks at the accounts; answers what is wrong with them, or null. */
export function createBudgetWatch(budgets: Pick<GasBudgets, 'all'>): () => Notification | null {
  let isRaised = false;
  return () => {
    const part = isRaised ? HOLDS : BEGINS;
    const low = budgets
      .all()
      .filter(({ account, spent }) => spent * part >= budgetOf(account).most);
    const [worst] = low.toSorted((a, b) => leftOf(a) - leftOf(b));
    isRaised = worst !== undefined;
    return worst === undefined ? null : spentBudget(worst, low.length);
  };
}

type Found = ReturnType<GasBudgets['all']>[number];

function spentBudget({ account, spent }: Found, accounts: number): Notification {
  const { most, refillBlocks } = budgetOf(account);
  const who =
    account === 'strangers' || account === 'small strangers'
      ? 'Partners with whom this node has put nothing into a channel have'
      : `The partner ${account} has`;
  const others = accounts > 1 ? ` So did others: ${accounts - 1} more budgets are half spent.` : '';
  return {
    id: 'gas_budget_spent',
    summary: 'Partners make this node pay for gas',
    body:
      `${who} made this node register ${spent} secrets on chain for locks that could have been unlocked.${others}\n` +
      `At ${most} this node takes and passes on nothing more from there; one more is allowed in every ${refillBlocks} ` +
      `blocks. A partner that was only away, with up to ${OF_PARTNER.most / 2} payments under way, is no reason to ` +
      'act. Close the channel with one that goes on; and say with --token-value what your tokens are worth: then ' +
      'nothing is promised for a lock that is not worth its gas.',
    urgency: 'normal',
  };
}
