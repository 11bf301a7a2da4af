/** Sends transactions again that wait for a block, at a higher price when they are late. */
import type { ChainClient } from '../client.ts';
import { bumpedFees, type Fees, isTooDear, type Market } from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import { costOf, type PendingTransaction } from './pending-transaction.ts';

type Options = {
  client: Pick<ChainClient, 'getBalance'>;
  account: Pick<TransactionSigner, 'address'>;
  leaves(pending: PendingTransaction, price: bigint): bigint;
  /** Most that the transactions under way can cost, in wei. */
  reserved(): bigint;
  replace(pending: PendingTransaction, fees: Fees, market: Market): Promise<void>;
  broadcast(pending: PendingTransaction, market: Market): Promise<void>;
};

/** Blocks until a waiting transaction is replaced at a higher price. */
const PATIENCE = 3n;
const URGENT_PATIENCE = 1n;

export function createKeepAlive({ client, account, ...options }: Options) {
  const { leaves, reserved, replace, broadcast } = options;
  const { address } = account;

  /**
   * Whether the account has the money for the higher price, as its balance tells, besides what it has to keep; asked when the
   * endpoint doubts it, or when something has to be kept.
   */
  async function canPay(pending: PendingTransaction, fees: Fees, { baseFee, tip }: Market) {
    const { isUnfunded, row } = pending;
    const left = leaves(pending, baseFee + tip);
    if (!isUnfunded && left === 0n) return true;
    const more = costOf({ ...row, ...fees }) - costOf(row);
    return (await client.getBalance({ address })) >= reserved() + more + left;
  }

  /**
   * Sends it again, or at a higher price when it is late, whatever the endpoint says of it: that decides only whether a
   * price which seems to be too low is raised before it is late, at most once in a block.
   */
  return async (pending: PendingTransaction, market: Market, isUrgent: boolean): Promise<void> => {
    const { sentBlock, waitingSince, replacedBlock } = pending;
    if (sentBlock === null || waitingSince === null) return broadcast(pending, market);
    const patience = isUrgent ? URGENT_PATIENCE : PATIENCE;
    const isLate = market.headBlock - waitingSince >= patience;
    if (isLate || (pending.isUnderpriced && replacedBlock !== market.headBlock)) {
      const fees = bumpedFees(pending.row, market, isUrgent);
      if ((isUrgent || !isTooDear(fees, market)) && (await canPay(pending, fees, market)))
        return replace(pending, fees, market);
    }
    if (pending.isDoubtful || market.headBlock > sentBlock) await broadcast(pending, market);
  };
}
