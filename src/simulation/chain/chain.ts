/** The simulated chain: blocks, the pool of waiting transactions, and reorganisations. */
import { smaller } from '../../basics/amount.ts';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import { createBlockList } from './block-list.ts';
import { type Block, type Mined, seal } from './blocks.ts';
import type { Machine, Message } from './machine.ts';
import { nextBaseFee, pickFor, type Weather } from './market.ts';
import { createPool } from './pool.ts';
import { createSetups } from './setups.ts';
import { readTransaction, type Transaction } from './transaction.ts';

export type ChainTerms = {
  machine: Machine;
  /** Number of the first block. */
  firstNumber: bigint;
  /** Of the first block: seconds since 1970; wei per unit of gas. */
  timestamp: bigint;
  baseFee: bigint;
  gasLimit: bigint;
  weather: Weather;
};
/**
 * What happens to a transaction whose block is replaced: `again`: it is in the new block; `later`: it waits in the
 * pool; `never`: it is forgotten.
 */
export type Fate = 'again' | 'later' | 'never';
export type Chain = ReturnType<typeof createChain>;

const ZERO = `0x${'00'.repeat(32)}` as const;

export function createChain({ machine, ...terms }: ChainTerms) {
  const { world, wei, nonces } = machine;
  const chainId = Number(world.chainId);
  const pool = createPool();
  const setups = createSetups(chainId, nonces.get);
  const blocks = createBlockList(machine, terms.firstNumber);
  const { head } = blocks;
  let weather = terms.weather;
  let arrivals = 0;
  const listeners: ((transaction: Transaction) => void)[] = [];
  let forks = 0;

  const standing = () => ({
    ...{ chainId, gasLimit: terms.gasLimit, leastTip: weather.leastTip },
    ...{ nonceOf: nonces.get, weiOf: wei.get },
  });

  const executeSetup = (transaction: Transaction): Mined =>
    executedSetup(machine, transaction, setups.isTrial(transaction.hash));

  /** Appends a block; `fill` executes its transactions in order. */
  function append(timestamp: bigint, fill: (baseFee: bigint) => Mined[]): Block {
    const parent = blocks.newest();
    const number = parent === null ? terms.firstNumber : parent.number + 1n;
    machine.stand(number, timestamp);
    const baseFee = parent === null ? terms.baseFee : nextBaseFee(parent);
    const mined = fill(baseFee);
    const own = mined.reduce((sum, { transaction, run }) => {
      return transaction.isSetup ? sum : sum + run.gasUsed;
    }, 0n);
    const block = seal({
      number,
      timestamp,
      baseFee,
      mined,
      fork: forks,
      changes: machine.storage.cut(),
      parentHash: parent?.hash ?? ZERO,
      gasLimit: terms.gasLimit,
      gasUsed: smaller(terms.gasLimit, own + weather.others.gas),
    });
    blocks.append(block);
    return block;
  }

  /** The transactions of a replaced block that the new block gets too. */
  function repeat(old: Block, fateOf: (hash: Hash) => Fate, baseFee: bigint): Mined[] {
    const mined: Mined[] = [];
    for (const { transaction } of old.receipts) {
      const { hash, nonce, from, isSetup } = transaction;
      const fate = isSetup ? 'again' : fateOf(hash);
      if (isSetup) mined.push(executeSetup(transaction));
      else if (fate === 'again' && nonces.get(from) === nonce)
        mined.push(execute(machine, transaction, baseFee));
      else if (fate !== 'never') pool.restore(transaction);
    }
    return mined;
  }

  const arriving = (raw: Hex): Transaction => ({
    ...readTransaction(raw, world.recover),
    ...{ arrivedBlock: head().number, order: arrivals, isSetup: false },
  });

  append(terms.timestamp, () => []);

  return {
    chainId,
    machine,
    pool,
    head,
    /** Null: there is no such block (any more). */
    block: blocks.at,
    firstBlock: terms.firstNumber,
    blockOf: blocks.of,
    mined: blocks.mined,
    logs: blocks.logs,
    settle: blocks.settle,
    /** The result of `read` on the state as it was after a block of the chain. */
    at: blocks.readAt,
    weather: (): Weather => weather,
    /** Changes how full the blocks are and which transactions they leave out, from the next block on. */
    setWeather(change: Partial<Weather>): void {
      weather = { ...weather, ...change };
    },

    /** Calls the listener with each signed transaction that the pool accepts. */
    onSubmit: (listener: (transaction: Transaction) => void) => void listeners.push(listener),

    /** Adds a signed transaction to the pool. Throws `RpcError`. */
    submit(raw: Hex): Hash {
      const transaction = arriving(raw);
      arrivals += 1;
      pool.add(transaction, standing());
      for (const listener of listeners) listener(transaction);
      return transaction.hash;
    },

    /** The hash of a transaction that the pool would take now. Throws `RpcError`. */
    judge(raw: Hex): Hash {
      const read = arriving(raw);
      pool.judge(read, standing());
      return read.hash;
    },

    /**
     * Adds a setup transaction: these are executed first in the next block, in the order of the calls, as if signed
     * by the sender. It must not revert, unless it is a trial.
     */
    setUp(message: Message, { isTrial = false } = {}): Hash {
      return setups.add(message, head().number, arrivals++, isTrial);
    },

    /** Makes the next block; its time is at least a second after the one before. Seconds since 1970. */
    mine(timestampSeconds: number): Block {
      const parent = head();
      const earliest = parent.timestamp + 1n;
      const given = BigInt(timestampSeconds);
      const todo = setups.take();
      const block = append(given < earliest ? earliest : given, (baseFee) => {
        const first = todo.map(executeSetup);
        const market = { baseFee, weather, pool, number: parent.number + 1n, ...standing() };
        return [
          ...first,
          ...pickFor(market, (transaction) => execute(machine, transaction, baseFee)),
        ];
      });
      pool.dropUsed(nonces.get);
      return block;
    },

    /**
     * Replaces the newest blocks by as many others with the same times; `keep` decides which of their transactions
     * the new blocks get, in the same order. The next mined block builds on them.
     */
    reorganise(depth: number, { keep }: { keep: Fate | ((hash: Hash) => Fate) }): void {
      if (depth < 1 || depth >= blocks.count())
        throw new Error(`the simulated chain cannot replace ${depth} blocks`);
      forks += 1;
      const fateOf = typeof keep === 'string' ? () => keep : keep;
      const removed = Array.from({ length: depth }, blocks.removeHead).reverse();
      for (const old of removed) append(old.timestamp, (baseFee) => repeat(old, fateOf, baseFee));
      pool.dropUsed(nonces.get);
    },

    /** Wei of an account, at the newest block. */
    wei: (owner: Address): bigint => wei.get(owner),
  };
}

function executedSetup(machine: Machine, transaction: Transaction, isTrial: boolean): Mined {
  const mined = execute(machine, transaction, 0n);
  const { isSuccess, reason } = mined.run;
  if (!isSuccess && !isTrial)
    throw new Error(`setting up the simulated chain: ${reason ?? 'refused'}`);
  return mined;
}

/** Executes the transaction in the block that is being made, and takes its cost from its sender. */
function execute(machine: Machine, transaction: Transaction, baseFee: bigint): Mined {
  const { world, wei, nonces } = machine;
  const { from, nonce, isSetup, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const effectiveGasPrice = isSetup ? 0n : smaller(maxFeePerGas, baseFee + maxPriorityFeePerGas);
  nonces.set(from, nonce + 1);
  world.isMining = true;
  const run = machine.execute(transaction, transaction.gas);
  world.isMining = false;
  wei.set(from, wei.get(from) - run.gasUsed * effectiveGasPrice);
  return { transaction, run, effectiveGasPrice };
}
