/** Simulates a call, checks whether the account can pay for it, and sends it. */

import { smaller } from '../../basics/amount.ts';
import type { ChainClient } from '../client.ts';
import { GAS_ESTIMATES, MOST_GAS, MOST_GAS_IN_TRANSACTION, secretsIn } from './calls.ts';
import { atLeast, type Fees, type Market } from './fees.ts';
import type { ChainCall, Job, TransactionSigner } from './jobs.ts';
import type { PendingTransactions } from './pending-transactions.ts';
import type { Asides, Rank } from './places.ts';
import { gasOfBatch } from './secret-batches.ts';

type Parts = {
  client: ChainClient;
  account: TransactionSigner;
  pendingTransactions: PendingTransactions;
};
type Order = Asides & {
  job: string;
  step: number;
  call: ChainCall;
  /** The calls of the job that come after it: they must be affordable, too. */
  later: readonly ChainCall[];
  lostRuns: number;
  rank: Rank;
  mostGas?: Job['mostGas'];
  /** The call is simulated, but not sent. */
  isHeld?: boolean;
};
/**
 * `later`: held, or affordable once the transactions under way are mined. `short`: wei that the account lacks, of which `left`
 * are for something else. `tooDear`: it would use more gas than the job's `mostGas`.
 */
export type Sent =
  | { type: 'sent' }
  | { type: 'later' }
  | { type: 'tooDear'; used: bigint }
  | { type: 'short'; wei: bigint; left: bigint };

export type Sender = ReturnType<typeof createTransactionSender>;

export function createTransactionSender({ client, account, pendingTransactions }: Parts) {
  const { address } = account;

  /**
   * Simulates the call, and returns the gas that it uses and its gas limit. Never on the pending block: the transactions
   * there, those of others too, may never be mined.
   */
  async function gasFor({ call, lostRuns, mostGas }: Order) {
    const { to, data, value = 0n } = call;
    const used = await client.estimateGas({
      account: address,
      blockTag: 'latest',
      to,
      data,
      value,
    });
    const most = mostGas ?? MOST_GAS[call.kind];
    const isTooMuch = most !== undefined && used > most;
    if (isTooMuch && mostGas === undefined)
      throw new Error(`${call.kind} would take ${used} gas, more than the ${most} that it may`);
    return { used, isTooMuch, gas: gasLimit(call, used, lostRuns, most) };
  }

  /** Wei that the account has beyond what the calls after this one cost, and the value of this one; negative: it lacks them. */
  async function moneyFor({ call, later }: Order, fees: Fees): Promise<bigint> {
    const balance = await client.getBalance({ address });
    return later.reduce(
      (left, { kind, value = 0n }) => left - GAS_ESTIMATES[kind] * fees.maxFeePerGas - value,
      balance - (call.value ?? 0n),
    );
  }

  return {
    /** Rejects with viem's errors. */
    async send(order: Order, first: Fees, market: Market): Promise<Sent> {
      const { job, step, call, rank } = order;
      const { to, data, value = 0n } = call;
      const { gas, used, isTooMuch } = await gasFor(order);
      if (isTooMuch) return { type: 'tooDear', used };
      if (order.isHeld === true) return { type: 'later' };
      const money = await moneyFor(order, first);
      let short: Sent = { type: 'later' };
      for (const place of pendingTransactions.placesFor(rank, order.own / gas)) {
        const wanted = { ...order, money, gas, wanted: atLeast(place.least, first), place };
        // What was promised is not kept waiting for what it would offer at best.
        const { fees, left, kept } = pendingTransactions.offer(wanted, market);
        const cost = gas * fees.maxFeePerGas;
        const lack = cost + left - money;
        // Transactions under way seldom cost all that they reserve, so else the call only waits.
        short = lack > 0n ? { type: 'short', wei: lack, left } : { type: 'later' };
        if (cost + kept > money) continue;
        await pendingTransactions.send({ job, step, to, data, value, gas }, fees, market, place);
        return { type: 'sent' };
      }
      return short;
    },
    /** Gas that can be paid for at this price besides what is under way, when so many wei are left. */
    async affordableGas(
      { maxFeePerGas }: Fees,
      { left, rank }: { left: bigint; rank: Rank },
    ): Promise<bigint> {
      const free = (await client.getBalance({ address })) - pendingTransactions.kept(rank, left);
      return free > 0n && maxFeePerGas > 0n ? free / maxFeePerGas : 0n;
    },
  };
}

/**
 * The gas limit, with a margin for what may change until the call is mined; twice as much each time that it was mined without
 * effect. A registration seems cheaper than it may be when its secret is already on chain, in a block that may be replaced
 * by one without it.
 */
export function gasLimit(
  { kind, data }: ChainCall,
  used: bigint,
  lostRuns: number,
  most?: bigint,
): bigint {
  const least = kind === 'registerSecret' ? gasOfBatch(secretsIn(data).length) : 0n;
  const once = used <= least ? least : (used * 13n) / 10n;
  const limit = once * 2n ** BigInt(lostRuns);
  if (most !== undefined) return smaller(limit, most);
  // A chain on which the call alone takes more knows no such limit: then it is asked for, and not given up.
  return used > MOST_GAS_IN_TRANSACTION ? once : smaller(limit, MOST_GAS_IN_TRANSACTION);
}
