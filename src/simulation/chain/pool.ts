/** Transactions that wait for a block. */
import type { Address, Hash } from '../../basics/hex.ts';
import { gasOfData } from './contracts/meter.ts';
import { RpcError } from './rpc-error.ts';
import type { Transaction } from './transaction.ts';

/** The facts of the chain that decide whether a transaction is accepted. */
export type Standing = {
  chainId: number;
  gasLimit: bigint;
  /** Wei per unit of gas: what a transaction must offer on top of the base fee to be taken at all. */
  leastTip: bigint;
  nonceOf(owner: Address): number;
  weiOf(owner: Address): bigint;
};

/** A replacement must offer at least so many percent of the fees of the transaction that it replaces. */
const REPLACEMENT = 110n;

export function createPool() {
  const bySender = new Map<Address, Map<number, Transaction>>();
  const byHash = new Map<Hash, Transaction>();

  const of = (owner: Address) => bySender.get(owner) ?? new Map<number, Transaction>();

  function put(transaction: Transaction): void {
    const own = of(transaction.from);
    const old = own.get(transaction.nonce);
    if (old !== undefined) byHash.delete(old.hash);
    own.set(transaction.nonce, transaction);
    bySender.set(transaction.from, own);
    byHash.set(transaction.hash, transaction);
  }

  function drop(transaction: Transaction): void {
    const own = of(transaction.from);
    if (own.get(transaction.nonce) === transaction) own.delete(transaction.nonce);
    if (own.size === 0) bySender.delete(transaction.from);
    byHash.delete(transaction.hash);
  }

  function checkMoney(transaction: Transaction, standing: Standing): void {
    const { from, nonce } = transaction;
    const others = [...of(from).values()].filter((other) => other.nonce !== nonce);
    const queued = others.reduce((sum, other) => sum + costOf(other), 0n);
    const [has, cost] = [standing.weiOf(from), costOf(transaction)];
    if (has >= cost + queued) return;
    const figures = `balance ${has}, queued cost ${queued}, tx cost ${cost}`;
    throw new RpcError(-32000, `insufficient funds for gas * price + value: ${figures}`);
  }

  function judge(transaction: Transaction, standing: Standing): void {
    check(transaction, standing);
    if (byHash.has(transaction.hash)) throw new RpcError(-32000, 'already known');
    const old = of(transaction.from).get(transaction.nonce);
    if (old !== undefined && !outbids(transaction, old))
      throw new RpcError(-32000, 'replacement transaction underpriced');
    checkMoney(transaction, standing);
  }

  return {
    /**
     * Adds a transaction. Throws `RpcError` with the texts of common nodes, as clients only know errors by their
     * text.
     */
    add(transaction: Transaction, standing: Standing): void {
      judge(transaction, standing);
      put(transaction);
    },
    /** Throws what `add` would throw. */
    judge,
    /** Puts back a transaction of a removed block, unless another one with its nonce waits. */
    restore(transaction: Transaction): void {
      if (of(transaction.from).get(transaction.nonce) === undefined) put(transaction);
    },
    drop,
    /** Drops transactions that no block can take any more. */
    dropUsed(nonceOf: (owner: Address) => number): void {
      for (const transaction of byHash.values())
        if (transaction.nonce < nonceOf(transaction.from)) drop(transaction);
    },
    byHash: (hash: Hash): Transaction | null => byHash.get(hash) ?? null,
    at: (owner: Address, nonce: number): Transaction | null => of(owner).get(nonce) ?? null,
    senders: (): Address[] => [...bySender.keys()],
    waiting: (): Transaction[] => [...byHash.values()],
    /** The account's next nonce after all transactions that wait without a gap. */
    nextNonce(owner: Address, mined: number): number {
      const own = of(owner);
      let next = mined;
      while (own.has(next)) next += 1;
      return next;
    },
  };
}

function costOf({ gas, maxFeePerGas, value }: Transaction): bigint {
  return gas * maxFeePerGas + value;
}

function outbids(transaction: Transaction, old: Transaction): boolean {
  return (
    transaction.maxFeePerGas * 100n >= old.maxFeePerGas * REPLACEMENT &&
    transaction.maxPriorityFeePerGas * 100n >= old.maxPriorityFeePerGas * REPLACEMENT
  );
}

function check(transaction: Transaction, standing: Standing): void {
  const { chainId, gas, data, nonce, from, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  if (chainId !== standing.chainId) throw new RpcError(-32000, 'invalid chain id for signer');
  if (gas > standing.gasLimit) throw new RpcError(-32000, 'exceeds block gas limit');
  const { intrinsic, floor } = gasOfData(data);
  if (gas < BigInt(Math.max(intrinsic, floor))) throw new RpcError(-32000, 'intrinsic gas too low');
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new RpcError(-32000, 'max priority fee per gas higher than max fee per gas');
  const used = standing.nonceOf(from);
  if (nonce < used)
    throw new RpcError(-32000, `nonce too low: next nonce ${used}, tx nonce ${nonce}`);
  if (maxPriorityFeePerGas < standing.leastTip)
    throw new RpcError(-32000, 'transaction underpriced');
}
