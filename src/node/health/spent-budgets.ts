/** Notifies the operator of partners that have made this node pay for the chain again and again. */

import type { Trouble } from '../../basics/health.ts';
import { type GasBudgets, REGISTRATION } from '../chain/gas/gas-budgets.ts';
import { USUAL_BOUNDS } from '../runtime/knowledge/bounds.ts';

/** The condition begins when half of an account is spent, and holds until three quarters are there again. */
const BEGINS = 2n;
const HOLDS = 4n;

type Known = Pick<GasBudgets, 'all' | 'budgetOf' | 'leftOf'>;

/** Looks at the accounts; answers what is wrong with them, or null. */
export function createBudgetWatch(budgets: Known): () => Trouble | null {
  let isRaised = false;
  return () => {
    const part = isRaised ? HOLDS : BEGINS;
    const low = budgets
      .all()
      .filter(({ account, spent }) => spent * part >= budgets.budgetOf(account).most);
    const [worst] = low.toSorted((a, b) => budgets.leftOf(a) - budgets.leftOf(b));
    isRaised = worst !== undefined;
    return worst === undefined ? null : spentBudget(budgets, worst, low.length);
  };
}

/** What an operator can imagine: gas as so many registrations of a secret. */
const inRegistrations = (gas: bigint) => gas / REGISTRATION;

type Found = ReturnType<GasBudgets['all']>[number];

function spentBudget({ budgetOf }: Known, { account, spent }: Found, accounts: number): Trouble {
  const { most, perBlock } = budgetOf(account);
  const who =
    account === 'strangers' || account === 'small strangers'
      ? 'Partners with whom this node has put nothing into a channel have'
      : account.startsWith('token ')
        ? `Partners in the ${account}, with which this node has done nothing, have`
        : `The partner ${account} has`;
  const others = accounts > 1 ? ` So did others: ${accounts - 1} more budgets are half spent.` : '';
  return {
    summary: 'Partners make this node pay for gas',
    body:
      `${who} cost this node the gas of ${inRegistrations(spent)} registrations of secrets, for locks that could have been ` +
      `unlocked and for small change.${others}\n` +
      `At ${inRegistrations(most)} nothing more is passed on or claimed from there; one more is allowed in every ` +
      `${REGISTRATION / perBlock} blocks. A partner that was only away, with up to ` +
      `${USUAL_BOUNDS.partnerRegistrations / 2} payments under way, is no reason to act. Close the channel with one that ` +
      'goes on; and say with --token-value what your tokens are worth: then nothing is sent that is not worth its gas.',
  };
}
