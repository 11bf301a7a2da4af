/**
 * Whose nonce comes before whose, and what money stays for whom. What was promised stands behind nothing that was not: it takes
 * the nonce of the first of those. So whoever outbids that one keeps no promise waiting; and so that nobody keeps others
 * waiting by promises that come due one after the other, what has given its nonce away once does so again only when it is
 * late. Then a promise waits for the next block. What nobody waits for any more gives its nonce to everything else.
 */
import { larger, smaller } from '../../basics/amount.ts';
import { atLeast, eighthMore, type Fees, type Market, NO_FEES, within } from './fees.ts';
import { costOf, type PendingTransaction } from './pending-transaction.ts';

/** What waits for a transaction: something that was promised when it was sent, something else, or nothing. */
export type Rank = 'promised' | 'optional' | 'orphan';

/**
 * Where a transaction goes. `given`: the one whose nonce it takes; undefined: none. `least`: what it has to offer for that.
 * `isHeldUp`: it would stand behind one that goes after it.
 */
export type Place = { given: PendingTransaction | undefined; least: Fees; isHeldUp: boolean };
/** `behind`: the one that weighs most of those that stand behind it and should not. */
export type InTheWay = { pending: PendingTransaction; behind: PendingTransaction };
export type Places = ReturnType<typeof createPlaces>;
/** Wei that are set aside for others, and for those who wait for a transaction. */
export type Asides = { left: bigint; own: bigint };
/** `money`: wei of the account; `least`: the one that it replaces, and what that asks. */
type Wanted = Asides & {
  rank: Rank;
  isNear: boolean;
  money: bigint;
  gas: bigint;
  wanted: Fees;
  least: { of: PendingTransaction | undefined; fees: Fees };
};
type Offer = { fees: Fees; left: bigint; kept: bigint };

type Needs = {
  /** Those that wait for a block. */
  waiting(): PendingTransaction[];
  rankOf(pending: PendingTransaction): Rank;
  /** Whether one of those who wait for it has given a nonce away before. */
  hasGivenWay(pending: PendingTransaction): boolean;
  asidesOf(pending: PendingTransaction): Asides;
};

const RANKS: readonly Rank[] = ['orphan', 'optional', 'promised'];
const isBelow = (one: Rank, other: Rank) => RANKS.indexOf(one) < RANKS.indexOf(other);
/** Blocks after which a late one is out of the way of what weighs more. */
const PATIENCE: Record<Rank, bigint> = { promised: 1n, optional: 3n, orphan: 3n };

/** Whether it was not mined in so many blocks, at its present price. */
const isLate = ({ waitingSince }: PendingTransaction, headBlock: bigint, blocks = 1n): boolean =>
  waitingSince !== null && headBlock - waitingSince >= blocks;

/**
 * What stays for others where less is there than was set aside, as when prices are looked up anew after a restart: everybody
 * lacks the same part of it.
 */
function shareOf({ left, own }: Asides, money: bigint): bigint {
  const all = left + own;
  return all > money && money >= 0n ? (money * left) / all : left;
}

/** Whether blocks ask more by now than it offers, and could not be raised to. */
export const isStuck = (pending: PendingTransaction, { headBlock, baseFee }: Market): boolean =>
  isLate(pending, headBlock) && pending.row.maxFeePerGas < baseFee;

export function createPlaces({ waiting, rankOf, hasGivenWay, asidesOf }: Needs) {
  /** Whether it goes after one of this rank. */
  const goesAfter = (pending: PendingTransaction, rank: Rank, market: Market) =>
    isBelow(rankOf(pending), rank) || (rank === 'promised' && isStuck(pending, market));

  /** The first nonce of those that go after it. */
  const firstBelow = (rank: Rank, market: Market): PendingTransaction | undefined =>
    waiting()
      .filter((pending) => goesAfter(pending, rank, market))
      .sort((a, b) => a.row.nonce - b.row.nonce)[0];

  /**
   * Wei that one of this rank leaves to others: `aside` is set aside for other promises, of which some are under way, use it, and
   * may use more; `without`: the one that it replaces.
   */
  function kept(rank: Rank, aside: bigint, without?: PendingTransaction): bigint {
    let promised = 0n;
    let beyond = 0n;
    let rest = 0n;
    for (const pending of waiting()) {
      if (pending === without) continue;
      const cost = costOf(pending.row);
      if (rankOf(pending) !== 'promised') rest += cost;
      else {
        promised += cost;
        beyond += larger(0n, cost - asidesOf(pending).own);
      }
    }
    return rest + (rank === 'promised' ? larger(promised, aside + beyond) : promised + aside);
  }

  return {
    /** Most that the transactions under way can cost, in wei. */
    reserved: (): bigint => waiting().reduce((sum, { row }) => sum + costOf(row), 0n),
    kept,
    /**
     * What is offered for one, and what is left to others then: of what was promised, what its own money reaches for, and near
     * its end what blocks ask, from the money of all. The caller sees whether the account can pay for it.
     */
    offer({ rank, left, own, isNear, money, gas, wanted, least }: Wanted, market: Market): Offer {
      const reach = (aside: bigint, most: Fees): Offer => {
        const others = kept(rank, aside, least.of);
        const wei = (money - others) / gas;
        const fees = rank === 'promised' ? within(wei, most, least.fees, market) : most;
        return { fees, left: aside, kept: others };
      };
      const alone = reach(rank === 'promised' ? shareOf({ left, own }, money) : left, wanted);
      const isEnough = gas * alone.fees.maxFeePerGas + alone.kept <= money;
      if (isEnough || rank !== 'promised' || !isNear) return alone;
      // Whatever tips are said to be usual: others need that money, too.
      const asked = { maxFeePerGas: 2n * market.baseFee, maxPriorityFeePerGas: 0n };
      return reach(0n, atLeast(least.fees, asked));
    },
    /** Those that take a place from one of this rank. */
    besides: (rank: Rank, market: Market): PendingTransaction[] =>
      waiting().filter((pending) => !goesAfter(pending, rank, market)),
    placeOf(rank: Rank, market: Market): Place {
      const { headBlock } = market;
      const given = firstBelow(rank, market);
      if (given === undefined) return { given, least: NO_FEES, isHeldUp: false };
      const mayStay = rankOf(given) === 'optional' && hasGivenWay(given);
      if (mayStay && !isLate(given, headBlock)) given.heldUpSince ??= headBlock;
      // For one block, however often it is made dearer meanwhile.
      const isHeldUp = mayStay && given.heldUpSince === headBlock;
      return { given, least: eighthMore(given.row), isHeldUp };
    },
    /**
     * Late ones before others that they go after, each with the one of these that weighs most: what waits for them has changed
     * since, as when a job came too late, or another process has sent them; or blocks ask more by now.
     */
    inTheWay(market: Market): InTheWay[] {
      const all = waiting();
      const isBehind = (pending: PendingTransaction, other: PendingTransaction) =>
        other.row.nonce > pending.row.nonce &&
        goesAfter(pending, rankOf(other), market) &&
        isLate(pending, market.headBlock, PATIENCE[rankOf(other)]) &&
        // Of two promises that blocks do not take, none is in the way.
        (isBelow(rankOf(pending), rankOf(other)) || other.row.maxFeePerGas >= market.baseFee);
      return all.flatMap((pending) => {
        const [behind] = all
          .filter((other) => isBehind(pending, other))
          .sort((a, b) => RANKS.indexOf(rankOf(b)) - RANKS.indexOf(rankOf(a)));
        return behind === undefined ? [] : [{ pending, behind }];
      });
    },
    /**
     * Wei that may be spent to clear what is in the way: what that may cost itself, but for a promise, which needs its money
     * later; and what a promise behind it can pay besides its own cost. `isNear`: the last block of that one is near.
     */
    forClearing({ pending, behind }: InTheWay, money: bigint, isNear: boolean): bigint {
      const most = rankOf(pending) === 'promised' ? 0n : costOf(pending.row);
      if (rankOf(behind) !== 'promised') return most;
      const { left, own } = asidesOf(behind);
      const aside = (isNear ? 0n : left) + smaller(costOf(behind.row), own);
      return larger(most, money - kept('promised', aside, pending));
    },
  };
}
