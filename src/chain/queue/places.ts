/**
 * Whose nonce comes before whose. What was promised stands behind nothing that was not: it takes the nonce of the first of
 * those. So whoever outbids that one keeps no promise waiting; and so that nobody keeps others waiting by promises that come
 * due one after the other, what has given its nonce away once does so again only when it is late. Then a promise waits for
 * the next block. What nobody waits for any more gives its nonce to everything else.
 */
import { eighthMore, type Fees, NO_FEES } from './fees.ts';
import { costOf, type PendingTransaction } from './pending-transaction.ts';

/** What waits for a transaction: something promised, something else, or nothing. */
export type Rank = 'promised' | 'optional' | 'orphan';

/**
 * Where a transaction goes. `given`: the one whose nonce it takes; undefined: none. `least`: what it has to offer for that.
 * `reserved`: what the others can cost, in wei. `isHeldUp`: it would stand behind one that goes after it.
 */
export type Place = {
  given: PendingTransaction | undefined;
  least: Fees;
  reserved: bigint;
  isHeldUp: boolean;
};

type Needs = {
  /** Those that may still be mined; and of these, those that wait for a block, whose nonce was not given away. */
  alive(): PendingTransaction[];
  waiting(): PendingTransaction[];
  rankOf(pending: PendingTransaction): Rank;
  /** Whether one of those who wait for it has given a nonce away before. */
  hasGivenWay(pending: PendingTransaction): boolean;
};

const RANKS: readonly Rank[] = ['orphan', 'optional', 'promised'];
const isBelow = (one: Rank, other: Rank) => RANKS.indexOf(one) < RANKS.indexOf(other);
/** Blocks after which one that stands behind a late one of less weight is sent anew, before it. */
const PATIENCE: Record<Rank, bigint> = { promised: 1n, optional: 3n, orphan: 1n };

/** Whether it was not mined in so many blocks, at its present price. */
const isLate = ({ waitingSince }: PendingTransaction, headBlock: bigint, blocks = 1n): boolean =>
  waitingSince !== null && headBlock - waitingSince >= blocks;

export function createPlaces({ alive, waiting, rankOf, hasGivenWay }: Needs) {
  /** The first nonce of those that weigh less. */
  function firstBelow(rank: Rank): PendingTransaction | undefined {
    return waiting()
      .filter((pending) => isBelow(rankOf(pending), rank))
      .sort((a, b) => a.row.nonce - b.row.nonce)[0];
  }

  /** Most that the transactions under way can cost, in wei. */
  const reserved = () => waiting().reduce((sum, { row }) => sum + costOf(row), 0n);

  return {
    reserved,
    /** Those that take a place from one of this rank. */
    besides: (rank: Rank): PendingTransaction[] =>
      waiting().filter((pending) => !isBelow(rankOf(pending), rank)),
    placeOf(rank: Rank, headBlock: bigint): Place {
      const first = firstBelow(rank);
      if (first === undefined)
        return { given: undefined, least: NO_FEES, reserved: reserved(), isHeldUp: false };
      const isHeldUp =
        rankOf(first) === 'optional' && hasGivenWay(first) && !isLate(first, headBlock);
      return {
        given: first,
        least: eighthMore(first.row),
        reserved: reserved() - costOf(first.row),
        isHeldUp,
      };
    },
    /**
     * Those that stand behind a late one of less weight, or have given it their nonce: what waits for either has changed
     * since, as when the lock of a promise was paid.
     */
    misplaced(headBlock: bigint): PendingTransaction[] {
      return alive().filter((pending) => {
        const rank = rankOf(pending);
        const first = firstBelow(rank);
        if (first === undefined || first.row.nonce > pending.row.nonce) return false;
        return isLate(first, headBlock, PATIENCE[rank]);
      });
    },
  };
}
