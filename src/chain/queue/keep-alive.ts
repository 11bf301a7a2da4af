/** Sends transactions again that wait for a block, at a higher price when they are late. */
import type { ChainClient } from '../client.ts';
import {
  bumpedFees,
  eighthMore,
  type Fees,
  firstFees,
  isTooDear,
  type Market,
  NO_FEES,
} from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import { type PendingTransaction, signedContentOf } from './pending-transaction.ts';
import type { Asides, QueuePlaces, Rank } from './places.ts';

type Options = {
  client: Pick<ChainClient, 'getBalance'>;
  account: Pick<TransactionSigner, 'address'>;
  asidesOf(pending: PendingTransaction): Asides;
  rankOf(pending: PendingTransaction): Rank;
  offer: QueuePlaces['offer'];
  replace(pending: PendingTransaction, fees: Fees, market: Market): Promise<void>;
  broadcast(pending: PendingTransaction, market: Market): Promise<void>;
};

/** Blocks until a waiting transaction is replaced at a higher price. */
const PATIENCE = 3n;
const URGENT_PATIENCE = 1n;

export function createKeepAlive({ client, account, ...options }: Options) {
  const { asidesOf, rankOf, offer, replace, broadcast } = options;
  const { address } = account;

  /**
   * What it offers from now on, if the account has the money for that besides what it has to keep; null: it has not. What was
   * promised offers what its own money and free money reach for: at a price that nobody can pay it would be lost when the pool lets go of it.
   */
  async function priceOf(pending: PendingTransaction, market: Market, isUrgent: boolean) {
    const { row } = pending;
    const rank = rankOf(pending);
    const { gas, value } = signedContentOf(row);
    const money = (await client.getBalance({ address })) - value;
    // No pool has one that the account could not pay for, as after a reorganisation: it may offer less then.
    const { isUnfunded } = pending;
    const place = { given: pending, least: isUnfunded ? NO_FEES : eighthMore(row) };
    const wanted = isUnfunded ? firstFees(market, isUrgent) : bumpedFees(row, market, isUrgent);
    const asked = { rank, ...asidesOf(pending), money, gas, wanted, place };
    const { fees, kept } = offer(asked, market);
    return gas * fees.maxFeePerGas + kept <= money ? fees : null;
  }

  /**
   * Sends it again, or at a higher price when it is late, whatever the endpoint says of it: that decides only whether a
   * price which seems to be too low is raised before it is late, at most once in a block. What nobody waits for is not made
   * dearer.
   */
  return async (pending: PendingTransaction, market: Market, isUrgent: boolean): Promise<void> => {
    const { sentBlock, waitingSince, replacedBlock } = pending;
    const patience = isUrgent ? URGENT_PATIENCE : PATIENCE;
    const isLate = waitingSince !== null && market.headBlock - waitingSince >= patience;
    const isWrong = pending.isUnderpriced || pending.isUnfunded;
    const isCheap = isLate || (isWrong && replacedBlock !== market.headBlock);
    if (sentBlock !== null && isCheap && rankOf(pending) !== 'orphan') {
      const fees = await priceOf(pending, market, isUrgent);
      if (fees !== null && (isUrgent || !isTooDear(fees, market)))
        return replace(pending, fees, market);
    }
    const isUnsent = sentBlock === null || market.headBlock > sentBlock;
    if (isUnsent || pending.isDoubtful) await broadcast(pending, market);
  };
}
