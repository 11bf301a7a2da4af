/**
 * How many registrations of secrets the partners may force on this node. A payer decides whether its lock has to be
 * claimed on chain: one that unlocks late each time, or never, makes this node pay for the gas, and pays nothing
 * itself. So each forced registration is charged to the payer, whether it unlocks afterwards or not, and a partner with
 * nothing left is promised nothing more.
 *
 * An account fills up again by itself, one registration after some blocks. It is stored as the block in which it will be
 * full: so it needs one row, and says the same after a restart.
 */

import type { Address } from '../../../basics/hex.ts';
import type { ForcedRow } from '../../../store/batch.ts';

/** `most`: registrations that are left in a full account; `refillBlocks`: blocks after which there is one more. */
type Budget = { most: number; refillBlocks: bigint };

/**
 * Twice what a channel can have pending: a partner whose node dies with a full channel is served as before when it is
 * back. With blocks of 12 seconds 24 more a day, each for 46,000 gas at most.
 */
export const OF_PARTNER: Budget = { most: 320, refillBlocks: 300n };
/**
 * For all partners together with whom this node has put no money into a channel: else whoever has many keys had as many
 * budgets. The full locks of ten channels, and 120 more a day.
 */
export const OF_STRANGERS: Budget = { most: 1_600, refillBlocks: 60n };
/** The part of it for locks that mean little: a stranger has them for nothing, and could use up all with them. */
export const OF_SMALL_STRANGERS: Budget = {
  most: OF_STRANGERS.most / 4,
  refillBlocks: 4n * OF_STRANGERS.refillBlocks,
};

/**
 * For secrets that payees show late, and that are paid for off chain: their payers, and those before them, may have no
 * time left to unlock, and would be charged for what they could not spare this node. Half of what one channel has
 * pending, so that late secrets alone never use up the budget that this node has with another.
 */
export const OF_LATE: Budget = { most: 80, refillBlocks: 300n };

/** A partner, all strangers, all strangers with locks that mean little, or secrets that are late. */
export type Account = ForcedRow['account'];
/** What is known of a claim since it began. */
type Standing = { isStranger: boolean; isSmall: boolean };
export type GasBudgets = ReturnType<typeof createGasBudgets>;

type Options = {
  /** What was charged before this process started. */
  rows: readonly ForcedRow[];
  /** The newest confirmed block whose logs were applied. */
  nowBlock(): bigint;
};

export function budgetOf(account: Account): Budget {
  if (account === 'strangers') return OF_STRANGERS;
  if (account === 'late secrets') return OF_LATE;
  return account === 'small strangers' ? OF_SMALL_STRANGERS : OF_PARTNER;
}

/** How much of the account is left, from 1 to 0. */
export const leftOf = ({ account, spent }: { account: Account; spent: number }): number =>
  1 - spent / budgetOf(account).most;

export function createGasBudgets({ rows, nowBlock }: Options) {
  /** The block in which each account is full again. */
  const fullBlocks = new Map(rows.map(({ account, fullBlock }) => [account, fullBlock]));

  /** How many registrations are missing in the account. */
  function spent(account: Account): number {
    const fullBlock = fullBlocks.get(account);
    if (fullBlock === undefined) return 0;
    const missing = fullBlock - nowBlock();
    if (missing <= 0n) fullBlocks.delete(account);
    const { refillBlocks } = budgetOf(account);
    return missing > 0n ? Number((missing + refillBlocks - 1n) / refillBlocks) : 0;
  }

  function charge(account: Account): ForcedRow {
    const known = fullBlocks.get(account) ?? 0n;
    const now = nowBlock();
    const fullBlock = (known > now ? known : now) + budgetOf(account).refillBlocks;
    fullBlocks.set(account, fullBlock);
    return { account, fullBlock };
  }

  return {
    spent,
    /** Charges a registration to its payer. Answers the rows to be written in the commit that causes it. */
    charge(partner: Address, { isStranger, isSmall }: Standing): ForcedRow[] {
      const others: Account[] = isStranger ? ['strangers'] : [];
      if (isStranger && isSmall) others.push('small strangers');
      return [partner, ...others].map(charge);
    },
    /** Whether one more late secret may be paid for off chain. */
    mayPayLate: (): boolean => spent('late secrets') < OF_LATE.most,
    /** Counts a late secret. Answers the row to be written in the commit that pays for it. */
    chargeLate: (): ForcedRow[] => [charge('late secrets')],
    /** The accounts of partners in which something is missing, with how much. */
    all: (): { account: Account; spent: number }[] =>
      [...fullBlocks.keys()]
        .map((account) => ({ account, spent: spent(account) }))
        .filter((one) => one.account !== 'late secrets' && one.spent > 0),
  };
}
