/**
 * How much gas partners may cost this node, where the operator has not said what their tokens are worth. A payer decides
 * whether its lock has to be claimed on chain: one that unlocks late each time, or never, makes this node pay for the gas,
 * and pays nothing itself. So each registration is charged to the payer, whether it unlocks afterwards or not, and so is
 * what is settled and claimed for amounts that mean little. A partner with nothing left is promised nothing more.
 *
 * An account fills up again by itself. It is stored as the block in which it will be full: so it needs one row, and says
 * the same after a restart.
 */

import type { Address } from '../../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../../chain/queue/calls.ts';
import type { ForcedRow } from '../../../store/base/batch.ts';
import {
  type Bounded,
  type BoundName,
  type Bounds,
  USUAL,
} from '../../runtime/knowledge/bounds.ts';

/** `most`: gas in a full account; `perBlock`: gas that comes back in each block. */
type Budget = { most: bigint; perBlock: bigint };

/** Gas that is counted for the registration of one secret. */
export const REGISTRATION = GAS_ESTIMATES.registerSecret;

const holding = (registrations: number, blocksForOne: bigint): Budget => {
  return { most: BigInt(registrations) * REGISTRATION, perBlock: REGISTRATION / blocksForOne };
};

/** The budgets of a node with these bounds. */
export function gasBudgetsOf(bounds: Bounds) {
  // With blocks of 12 seconds 24 a day. A partner whose node dies with a full channel is served as before when it is back.
  const ofPartner = holding(bounds.partnerRegistrations, 300n);
  // Else whoever has many keys had as many budgets. The full locks of ten channels, and 120 more a day.
  const ofStrangers = holding(bounds.strangerRegistrations, 60n);
  return {
    ofPartner,
    ofStrangers,
    // For amounts that mean little: a stranger has them for nothing, and could use up all with them.
    ofSmallStrangers: { most: ofStrangers.most / 4n, perBlock: ofStrangers.perBlock / 4n },
    // So that who has only ever been paid gets that on chain, too. It comes back within a day. To register a token for it
    // takes 3 million gas.
    ofToken: holding(bounds.tokenRegistrations, 360n),
    // The payers of late secrets, and those before them, may have no time left to unlock, and would be charged for what they
    // could not spare this node. Half of what one channel has pending, so that late secrets alone never use up the budget
    // that this node has with another.
    ofLate: holding(bounds.lateSecrets, 300n),
  };
}

/** A partner, all strangers, all strangers with amounts that mean little, a token, or secrets that are late. */
export type Account = ForcedRow['account'];
/** What is known of the partner and the amount. `unknown`: its token, if that is no money here; else null. */
export type PartnerStanding = { isStranger: boolean; isSmall: boolean; unknown: Address | null };
export type GasBudgets = ReturnType<typeof createGasBudgets>;

type Options = {
  /** What was charged before this process started. */
  rows: readonly ForcedRow[];
  /** The newest confirmed block whose logs were applied. */
  nowBlock(): bigint;
  /** Absent: the usual ones. */
  bounds?: Bounded;
};

/** The accounts that pay for the partner. */
function accountsOf(
  partner: Address,
  { isStranger, isSmall, unknown }: PartnerStanding,
): Account[] {
  const accounts: Account[] = unknown === null ? [partner] : [partner, `token ${unknown}`];
  if (isStranger) accounts.push('strangers');
  if (isStranger && isSmall) accounts.push('small strangers');
  return accounts;
}

/** The rows that are budgets: others of the table say what was promised, and who is a customer. */
const BUDGETS = /^(0x|token |strangers$|small strangers$|late secrets$)/;

/** The bound of an account. */
function boundOf(account: Account): BoundName {
  if (account === 'strangers' || account === 'small strangers') return 'strangerRegistrations';
  if (account === 'late secrets') return 'lateSecrets';
  return account.startsWith('token ') ? 'tokenRegistrations' : 'partnerRegistrations';
}

export function createGasBudgets({ rows, nowBlock, bounds = USUAL }: Options) {
  const all = gasBudgetsOf(bounds.of);

  function budgetOf(account: Account): Budget {
    if (account === 'strangers') return all.ofStrangers;
    if (account === 'late secrets') return all.ofLate;
    if (account.startsWith('token ')) return all.ofToken;
    return account === 'small strangers' ? all.ofSmallStrangers : all.ofPartner;
  }

  /** The block in which each account is full again. */
  const fullBlocks = new Map(
    rows
      .filter(({ account }) => BUDGETS.test(account))
      .map(({ account, fullBlock }) => [account, fullBlock]),
  );

  /** How much gas is missing in the account. */
  function spent(account: Account): bigint {
    const fullBlock = fullBlocks.get(account);
    if (fullBlock === undefined) return 0n;
    const missing = fullBlock - nowBlock();
    if (missing <= 0n) fullBlocks.delete(account);
    return missing > 0n ? missing * budgetOf(account).perBlock : 0n;
  }

  function charge(account: Account, gas: bigint): ForcedRow {
    const known = fullBlocks.get(account) ?? 0n;
    const now = nowBlock();
    const { perBlock } = budgetOf(account);
    const fullBlock = (known > now ? known : now) + (gas + perBlock - 1n) / perBlock;
    fullBlocks.set(account, fullBlock);
    return { account, fullBlock };
  }

  function canPay(account: Account, gas: bigint): boolean {
    const isLeft = spent(account) + gas <= budgetOf(account).most;
    if (!isLeft) bounds.met(boundOf(account));
    return isLeft;
  }

  return {
    spent,
    budgetOf,
    /** How much of the account is left, from 1 to 0. */
    leftOf: (one: { account: Account; spent: bigint }): number =>
      1 - Number(one.spent) / Number(budgetOf(one.account).most),
    /** No more is promised to this account. */
    met: (account: Account) => bounds.met(boundOf(account)),
    /** Whether all accounts that pay for the partner have so much gas left. */
    canCharge: (partner: Address, standing: PartnerStanding, gas: bigint): boolean =>
      accountsOf(partner, standing).every((account) => canPay(account, gas)),
    /** Charges gas to the partner that causes it. Answers the rows to be written in the commit of the cause. */
    charge: (partner: Address, standing: PartnerStanding, gas: bigint): ForcedRow[] =>
      accountsOf(partner, standing).map((account) => charge(account, gas)),
    /** Whether one more late secret may be paid for off chain. */
    mayPayLate: (): boolean => canPay('late secrets', REGISTRATION),
    /** Counts a late secret. Answers the row to be written in the commit that pays for it. */
    chargeLate: (): ForcedRow[] => [charge('late secrets', REGISTRATION)],
    /** The accounts of partners in which something is missing, with how much gas. */
    all: (): { account: Account; spent: bigint }[] =>
      [...fullBlocks.keys()]
        .map((account) => ({ account, spent: spent(account) }))
        .filter((one) => one.account !== 'late secrets' && one.spent > 0n),
  };
}
