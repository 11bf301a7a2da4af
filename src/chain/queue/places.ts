/**
 * Whose nonce comes before whose, and what money stays for whom. What was promised spends what is set aside for it and what is
 * free, and nothing else. It stands behind nothing that could be stuck before it: it takes the first nonce of those that were not
 * promised, or for which less is set aside. What gives its nonce away is sent again at once, behind.
 */
import { larger } from '../../basics/amount.ts';
import { eighthMore, type Fees, type Market, NO_FEES, withinWei } from './fees.ts';
import { costOf, type PendingTransaction } from './pending-transaction.ts';

/** What waits for a transaction: something that was promised when it was sent, something else, or nothing. */
export type Rank = 'promised' | 'optional' | 'orphan';
/** Wei that are set aside for others, and for those who wait for a transaction. */
export type Asides = { left: bigint; own: bigint };
/** Whose nonce a transaction takes, undefined: nobody's; and what it has to offer for that. */
export type QueuePlace = { given: PendingTransaction | undefined; least: Fees };
export type QueuePlaces = ReturnType<typeof createQueuePlaces>;
/** `money`: wei of the account. */
type Wanted = Asides & { rank: Rank; money: bigint; gas: bigint; wanted: Fees; place: QueuePlace };
/** `left`: wei that are set aside for others; `kept`: the same, with what the transactions under way may cost. */
type Offer = { fees: Fees; left: bigint; kept: bigint };

type Needs = {
  /** Those that wait for a block. */
  waiting(): PendingTransaction[];
  rankOf(pending: PendingTransaction): Rank;
  /** Wei that are set aside for those who wait for it. */
  ownOf(pending: PendingTransaction): bigint;
};

const RANKS: readonly Rank[] = ['orphan', 'optional', 'promised'];
const isBelow = (one: Rank, other: Rank) => RANKS.indexOf(one) < RANKS.indexOf(other);
/** Blocks after which a late one is out of the way of what weighs more. */
const PATIENCE: Record<Rank, bigint> = { promised: 1n, optional: 3n, orphan: 3n };

/** Whether it was not mined in so many blocks, at its present price. */
const isLate = ({ waitingSince }: PendingTransaction, headBlock: bigint, blocks = 1n): boolean =>
  waitingSince !== null && headBlock - waitingSince >= blocks;

/** Whether blocks ask more by now than it offers, and could not be raised to. */
const isStuck = (pending: PendingTransaction, { headBlock, baseFee }: Market): boolean =>
  isLate(pending, headBlock) && pending.row.maxFeePerGas < baseFee;

/**
 * What stays for others where less is there than was set aside, as when prices are looked up anew after a restart: everybody
 * lacks the same part of it.
 */
function shareOf({ left, own }: Asides, money: bigint): bigint {
  const all = left + own;
  return all > money && money >= 0n ? (money * left) / all : left;
}

export function createQueuePlaces({ waiting, rankOf, ownOf }: Needs) {
  /** Whether it goes after a promise for which so many wei are set aside for each unit of its gas. */
  function isWeaker(pending: PendingTransaction, power: bigint): boolean {
    if (rankOf(pending) !== 'promised') return true;
    const { gas } = pending.row;
    // Where it is nearly as much, the nonce would cost more than is there.
    return ownOf(pending) * 9n < power * gas * 8n;
  }

  /** Whether it has money of its own to be raised to what blocks ask. */
  const canPay = (one: PendingTransaction, { baseFee }: Market): boolean =>
    ownOf(one) >= larger(baseFee, eighthMore(one.row).maxFeePerGas) * one.row.gas;

  const isStuckSooner = (one: PendingTransaction, other: PendingTransaction) =>
    rankOf(other) === 'promised' &&
    other.row.maxFeePerGas > one.row.maxFeePerGas &&
    isWeaker(one, ownOf(other) / other.row.gas);

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
        beyond += larger(0n, cost - ownOf(pending));
      }
    }
    return rest + (rank === 'promised' ? larger(promised, aside + beyond) : promised + aside);
  }

  return {
    /** Most that the transactions under way can cost, in wei. */
    reserved: (): bigint => waiting().reduce((sum, { row }) => sum + costOf(row), 0n),
    kept,
    /**
     * What is offered for one, and what is left to others then: of what was promised, what its own money reaches for. The
     * caller sees whether the account can pay for it.
     */
    offer({ rank, left, own, money, gas, wanted, place }: Wanted, market: Market): Offer {
      const isPromised = rank === 'promised';
      const aside = isPromised ? shareOf({ left, own }, money) : left;
      const others = kept(rank, aside, place.given);
      const wei = (money - others) / gas;
      const fees = isPromised ? withinWei(wei, wanted, place.least, market) : wanted;
      return { fees, left: aside, kept: others };
    },
    /** Those that take a place from one of this rank: a promise goes before what is stuck, and before what is behind that. */
    besides(rank: Rank, market: Market): PendingTransaction[] {
      const all = waiting();
      const stuck = all.filter((one) => rank === 'promised' && isStuck(one, market));
      const first = Math.min(...stuck.map(({ row }) => row.nonce));
      return all.filter((one) => !isBelow(rankOf(one), rank) && one.row.nonce < first);
    },
    /**
     * Where it goes, the best place first: the last is one behind all others. `power`: wei that are set aside for each unit of its
     * gas.
     */
    placesFor(rank: Rank, power: bigint): QueuePlace[] {
      const places = waiting()
        .filter((pending) =>
          rank === 'promised' ? isWeaker(pending, power) : isBelow(rankOf(pending), rank),
        )
        .sort((a, b) => a.row.nonce - b.row.nonce)
        .map((given): QueuePlace => ({ given, least: eighthMore(given.row) }));
      return [...places, { given: undefined, least: NO_FEES }];
    },
    /**
     * Late ones before others that weigh more: what waits for them has changed since, as when a job came too late, or another
     * process has sent them. And what is stuck before a promise that is not, as when a reorganisation has brought it back.
     */
    inTheWay(market: Market): PendingTransaction[] {
      const all = waiting();
      const isBefore = (pending: PendingTransaction, other: PendingTransaction) =>
        other.row.nonce > pending.row.nonce &&
        (isBelow(rankOf(pending), rankOf(other))
          ? isLate(pending, market.headBlock, PATIENCE[rankOf(other)])
          : isStuck(pending, market) && !canPay(pending, market) && isStuckSooner(pending, other));
      return all.filter((pending) => all.some((other) => isBefore(pending, other)));
    },
  };
}
