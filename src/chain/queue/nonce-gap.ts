/**
 * A nonce below ours that nobody uses (a transaction of another program vanished) would make all of ours wait for ever: a
 * payment of nothing to ourselves fills it. That payment needs no row: after a crash the gap is found again, and filled
 * again.
 *
 * Whose transaction waits there with this nonce is not known. It may be one of a node from which this one has taken over,
 * too cheap by now, and nobody is left to raise its price: what protects money does not wait for it until it is too late,
 * and whatever that node sent is sent by this one, too.
 */
import type { Hex } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { bumpedFees, type Fees, firstFees, isTooDear, type Market } from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import type { Content } from './pending-transaction.ts';

/** Blocks until a nonce of the account that nobody uses is filled. */
const GAP_PATIENCE = 2n;
/** The same while an unknown transaction of the account waits with that nonce, and one in a hurry behind it. */
const UNKNOWN_PATIENCE = 3n;
/** An unused nonce for which our transactions have to wait, and the fees that were offered for filling it. */
type Gap = { nonce: number; since: bigint; offered: Fees | null };

type Needs = {
  client: ChainClient;
  account: Pick<TransactionSigner, 'address'>;
  signed(content: Content, nonce: number, fees: Fees): Promise<{ raw: Hex }>;
};
/** `nonces`: of our transactions that wait; `usedNonces`: how many nonces of the account are used up. */
type Given = {
  market: Market;
  nonces: readonly number[];
  usedNonces: number;
  isUrgent(nonce: number): boolean;
};

/** The returned function fills the first gap that has stood for some blocks. Rejects when the endpoint fails. */
export function createGapFiller({ client, account: { address }, signed }: Needs) {
  let gap: Gap | null = null;

  return async (given: Given): Promise<void> => {
    const { market, nonces, usedNonces } = given;
    if (nonces.length === 0 || Math.min(...nonces) <= usedNonces) gap = null;
    else if (gap?.nonce !== usedNonces)
      gap = { nonce: usedNonces, since: market.headBlock, offered: null };
    if (gap === null || market.headBlock - gap.since < GAP_PATIENCE) return;
    const { nonce, offered } = gap;
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
    const isUrgent = given.isUrgent(Math.min(...nonces));
    // If something was offered, what waits there may be our own payment, which was too cheap.
    const isUnknown = pending > nonce && offered === null;
    if (isUnknown && !(isUrgent && market.headBlock - gap.since >= UNKNOWN_PATIENCE)) return;
    const fees =
      offered === null ? firstFees(market, isUrgent) : bumpedFees(offered, market, isUrgent);
    if (offered !== null && !isUrgent && isTooDear(fees, market)) return;
    const gas = await client.estimateGas({ account: address, to: address, blockTag: 'latest' });
    const { raw } = await signed({ to: address, data: '0x', value: 0n, gas }, nonce, fees);
    gap = { nonce, since: market.headBlock, offered: fees };
    // If it is refused, it is offered again at a higher price.
    await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  };
}
