/**
 * A nonce below ours that nobody uses (a transaction of another program vanished) would make all of ours wait for ever: a
 * payment of nothing to ourselves fills it. That payment needs no row: after a crash the gap is found again, and filled
 * again.
 *
 * Whose transaction waits there with this nonce is not known. It may be one of a node from which this one has taken over,
 * too cheap by now, and nobody is left to raise its price: what protects money does not wait for it until it is too late,
 * and whatever that node sent is sent by this one, too. It may have sent several: when the first was in the way, those that are
 * not mined together with its substitute are as cheap, and are replaced at once.
 *
 * Such a payment also clears a nonce of ours that is in the way of what weighs more: it takes less gas than what it replaces,
 * so that the money for that is enough.
 */
import { smaller } from '../../basics/amount.ts';
import type { Hash, Hex } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import {
  atLeast,
  bumpedFees,
  eighthMore,
  type Fees,
  firstFees,
  isTooDear,
  type Market,
  NO_FEES,
  withinWei,
} from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import { type Content, costOf, type PendingTransaction } from './pending-transaction.ts';

/** Blocks until a nonce of the account that nobody uses is filled. */
const GAP_PATIENCE = 2n;
/** The same while an unknown transaction of the account waits with that nonce, and one in a hurry behind it. */
const UNKNOWN_PATIENCE = 3n;
/** Most nonces that are filled at once: no pool is sure to keep more of one account. */
const MOST_AT_ONCE = 16;
/** The lowest unused nonce for which our transactions have to wait. `isNext`: the one before it had to be filled. */
type Gap = { nonce: number; since: bigint; isNext: boolean };
/** What was last offered for filling a nonce. */
type Offer = { since: bigint; fees: Fees };

type Needs = {
  client: ChainClient;
  /** Wei of the account that are neither set aside nor reserved by what is under way. */
  free(): Promise<bigint>;
  account: Pick<TransactionSigner, 'address'>;
  signed(content: Content, nonce: number, fees: Fees): Promise<{ raw: Hex; hash: Hash }>;
};
/** `nonces`: of our transactions that wait, or hold theirs; `usedNonces`: how many nonces of the account are used up. */
type Given = {
  market: Market;
  nonces: readonly number[];
  usedNonces: number;
  isUrgent(nonce: number): boolean;
};

/** What the next blocks ask. */
const asked = ({ baseFee, tip }: Market): Fees => ({
  maxFeePerGas: (baseFee * 5n) / 4n,
  maxPriorityFeePerGas: smaller(tip, baseFee / 8n),
});

/**
 * What is offered next, by the last offer: from free money, so many wei for each unit of gas. Where there is none, what blocks ask
 * all the same, since everything waits for it: but then no tips that others say are usual.
 */
function affordable(last: Fees | undefined, market: Market, isUrgent: boolean, wei: bigint): Fees {
  const least = last === undefined ? NO_FEES : eighthMore(last);
  const fees = withinWei(wei, atLeast(least, firstFees(market, isUrgent)), least, market);
  if (fees.maxFeePerGas <= wei) return fees;
  const tip = smaller(market.tip, market.baseFee);
  return atLeast(least, firstFees({ ...market, tip }, isUrgent));
}

export function createNonceFiller({ client, account: { address }, free, signed }: Needs) {
  let gap: Gap | null = null;
  const offers = new Map<number, Offer>();

  /** Offers a payment of nothing with this nonce, or a higher price for the one that was offered some blocks ago. */
  async function offer(nonce: number, market: Market, isUrgent: boolean): Promise<void> {
    const before = offers.get(nonce);
    if (before !== undefined && market.headBlock - before.since < GAP_PATIENCE) return;
    const gas = await gasOfNothing();
    const fees = affordable(before?.fees, market, isUrgent, (await free()) / gas);
    if (before !== undefined && !isUrgent && isTooDear(fees, market)) return;
    offers.set(nonce, { since: market.headBlock, fees });
    await pay(nonce, fees, gas);
  }

  const gasOfNothing = () =>
    client.estimateGas({ account: address, to: address, blockTag: 'latest' });

  /** If it is refused, it is offered again at a higher price. */
  async function pay(nonce: number, fees: Fees, gas: bigint): Promise<Hash> {
    const content = { to: address, data: '0x', value: 0n, gas } as const;
    const { raw, hash } = await signed(content, nonce, fees);
    await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
    return hash;
  }

  /**
   * Offers it in the place of one of ours, at a higher price in each block, for no more than that one may cost: then the last
   * offer is made again. Answers false when there is none. `isPromised`: no more than blocks ask, since what was promised may
   * need its money yet.
   */
  async function clear(
    pending: PendingTransaction,
    market: Market,
    isPromised: boolean,
  ): Promise<boolean> {
    const { row, cleared } = pending;
    const before = offers.get(row.nonce);
    if (before?.since === market.headBlock) return true;
    const gas = await gasOfNothing();
    const last = before?.fees ?? row;
    const least = eighthMore(last);
    const wanted = isPromised ? atLeast(least, asked(market)) : bumpedFees(last, market, true);
    const fees = withinWei(costOf(row) / gas, wanted, least, market);
    const next = fees.maxFeePerGas * gas > costOf(row) ? before?.fees : fees;
    if (next === undefined) return false;
    offers.set(row.nonce, { since: market.headBlock, fees: next });
    const hash = await pay(row.nonce, next, gas);
    if (!cleared.includes(hash)) pending.cleared = [...cleared, hash];
    return true;
  }

  async function isDue({ nonce, since }: Gap, market: Market, isUrgent: boolean): Promise<boolean> {
    // What waits there may be our own payment, which was too cheap.
    if (offers.has(nonce)) return true;
    const waited = market.headBlock - since;
    if (waited < GAP_PATIENCE) return false;
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
    return pending <= nonce || (isUrgent && waited >= UNKNOWN_PATIENCE);
  }

  /** Fills the first gap that has stood for some blocks. Rejects when the endpoint fails. */
  async function fillGap({ market, nonces, usedNonces, isUrgent: isUrgentAt }: Given) {
    const lowest = Math.min(...nonces);
    if (nonces.length === 0 || lowest <= usedNonces) {
      gap = null;
      for (const nonce of offers.keys()) if (nonce < usedNonces) offers.delete(nonce);
      return;
    }
    if (gap?.nonce !== usedNonces) {
      const isNext = gap !== null && gap.nonce < usedNonces && offers.has(gap.nonce);
      gap = { nonce: usedNonces, since: market.headBlock, isNext };
    }
    const isUrgent = isUrgentAt(lowest);
    const isAll = gap.isNext && isUrgent;
    if (!isAll && !(await isDue(gap, market, isUrgent))) return;
    const end = isAll ? Math.min(lowest, usedNonces + MOST_AT_ONCE) : usedNonces + 1;
    for (let nonce = usedNonces; nonce < end; nonce++) await offer(nonce, market, isUrgent);
  }

  return { fillGap, clear };
}
