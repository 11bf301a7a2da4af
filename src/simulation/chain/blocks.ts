/** Blocks of the simulated chain and their contents. */

import { getOrMake } from '../../basics/get-or-make.ts';
import {
  type Address,
  fromHex,
  type Hash,
  type Hex,
  toHex,
  ZERO_ADDRESS,
} from '../../basics/hex.ts';
import { bloomOver } from '../../chain/watch/blooms.ts';
import { keccakHex } from '../../protocol/hash.ts';
import { pack } from '../../protocol/wire/packing.ts';
import type { Change } from './contracts/storage.ts';
import type { Message, Run } from './machine.ts';
import type { Transaction } from './transaction.ts';

/** A log as JSON-RPC has it. */
export type EncodedLog = {
  address: Address;
  topics: readonly Hash[];
  data: Hex;
  blockHash: Hash;
  blockNumber: Hex;
  transactionHash: Hash;
  transactionIndex: Hex;
  logIndex: Hex;
  removed: false;
};
export type Log = { address: Address; blockNumber: number; logIndex: number; encoded: EncodedLog };
export type Mined = { transaction: Transaction; run: Run; effectiveGasPrice: bigint };
export type Receipt = Mined & {
  index: number;
  cumulativeGasUsed: bigint;
  logs: readonly Log[];
};
export type Block = {
  number: bigint;
  hash: Hash;
  parentHash: Hash;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Wei per unit of gas. */
  baseFee: bigint;
  gasLimit: bigint;
  gasUsed: bigint;
  bloom: Hex;
  receipts: readonly Receipt[];
  logs: readonly Log[];
  /** The changes that the block made to the state. */
  changes: Change[];
};
export type Draft = Pick<
  Block,
  'number' | 'parentHash' | 'timestamp' | 'baseFee' | 'gasLimit' | 'gasUsed' | 'changes'
> & {
  mined: readonly Mined[];
  /** Distinguishes blocks with the same contents: the number of the reorganisation that made this one. */
  fork: number;
};

const NO_BLOOM: Hex = `0x${'00'.repeat(256)}`;

export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** The block with its hash, which depends on all contents. */
export function seal(draft: Draft): Block {
  const { mined, fork, ...header } = draft;
  const emitted = mined.flatMap(({ run }) => run.logs);
  const items = new Set(emitted.flatMap(({ address, topics }): Hex[] => [address, ...topics]));
  const bloom = items.size === 0 ? NO_BLOOM : toHex(bloomOver(items));
  const hash = hashOf(draft, bloom);
  const receipts: Receipt[] = [];
  let cumulativeGasUsed = 0n;
  let logIndex = 0;
  for (const [index, entry] of mined.entries()) {
    cumulativeGasUsed += entry.run.gasUsed;
    const logs = logsOf(entry, { hash, number: header.number, index, first: logIndex });
    logIndex += logs.length;
    receipts.push({ ...entry, index, cumulativeGasUsed, logs });
  }
  return { ...header, hash, bloom, receipts, logs: receipts.flatMap(({ logs }) => logs) };
}

type Place = { hash: Hash; number: bigint; index: number; first: number };

function logsOf({ run, transaction }: Mined, { hash, number, index, first }: Place): Log[] {
  return run.logs.map(({ address, topics, data }, at) => {
    const logIndex = first + at;
    const encoded: EncodedLog = {
      address: lower(address),
      topics,
      data,
      blockHash: hash,
      removed: false,
      blockNumber: quantity(number),
      transactionHash: transaction.hash,
      transactionIndex: quantity(index),
      logIndex: quantity(logIndex),
    };
    return { address, blockNumber: Number(number), logIndex, encoded: Object.freeze(encoded) };
  });
}

function hashOf(draft: Draft, bloom: Hex): Hash {
  const { number, timestamp, parentHash, baseFee, gasLimit, gasUsed, mined, fork } = draft;
  const header = pack([
    ['bytes32', parentHash],
    ...[number, timestamp, baseFee, gasLimit, gasUsed, BigInt(fork)].map(
      (n) => ['u256', n] as const,
    ),
  ]);
  const results = mined.map(({ transaction, run }) => {
    const facts = [transaction.hash, quantity(run.gasUsed), run.isSuccess, ...run.logs.map(textOf)];
    return facts.join(' ');
  });
  return keccakHex(Buffer.concat([header, fromHex(bloom), Buffer.from(results.join('\n'))]));
}

function textOf({ address, topics, data }: Run['logs'][number]): string {
  return [address, ...topics, data].join(' ');
}

/** The same hexadecimal text in lower case, as endpoints answer it. */
export function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

const ZERO_WORD = `0x${'00'.repeat(32)}` as const;
const encodedBlocks = new WeakMap<Block, Record<string, unknown>>();

/** The block as `eth_getBlockByNumber` answers it, with the hashes of its transactions. Encoded once. */
export function encodeBlock(block: Block): Record<string, unknown> {
  return getOrMake(encodedBlocks, block, () =>
    Object.freeze({
      number: quantity(block.number),
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp: quantity(block.timestamp),
      baseFeePerGas: quantity(block.baseFee),
      gasLimit: quantity(block.gasLimit),
      gasUsed: quantity(block.gasUsed),
      logsBloom: block.bloom,
      transactions: Object.freeze(block.receipts.map(({ transaction }) => transaction.hash)),
      miner: ZERO_ADDRESS,
      difficulty: '0x0',
      totalDifficulty: '0x0',
      nonce: '0x0000000000000000',
      extraData: '0x',
      size: '0x400',
      mixHash: ZERO_WORD,
      sha3Uncles: ZERO_WORD,
      uncles: [],
      stateRoot: ZERO_WORD,
      receiptsRoot: ZERO_WORD,
      transactionsRoot: ZERO_WORD,
    }),
  );
}

/** The transaction as `eth_getTransactionByHash` answers it; `block`: null while it waits. */
export function encodeTransaction(
  transaction: Transaction,
  block: Block | null,
  mined: Receipt | null,
): Record<string, unknown> {
  const { hash, from, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = transaction;
  const { data, to, value }: Message = transaction;
  const { r, s, yParity } = transaction.signature;
  return {
    hash,
    from: lower(from),
    to: lower(to),
    input: data,
    type: '0x2',
    accessList: [],
    r,
    s,
    nonce: quantity(nonce),
    value: quantity(value),
    gas: quantity(gas),
    yParity: quantity(yParity),
    v: quantity(yParity),
    chainId: quantity(chainId),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    gasPrice: quantity(mined?.effectiveGasPrice ?? maxFeePerGas),
    blockHash: block?.hash ?? null,
    blockNumber: block === null ? null : quantity(block.number),
    transactionIndex: mined === null ? null : quantity(mined.index),
  };
}

/** The receipt as `eth_getTransactionReceipt` answers it. */
export function encodeReceipt(block: Block, receipt: Receipt): Record<string, unknown> {
  const { transaction, run, index, logs } = receipt;
  const items = logs.flatMap(({ encoded }): Hex[] => [encoded.address, ...encoded.topics]);
  return {
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    from: lower(transaction.from),
    to: lower(transaction.to),
    gasUsed: quantity(run.gasUsed),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    contractAddress: null,
    status: run.isSuccess ? '0x1' : '0x0',
    type: '0x2',
    logs: logs.map(({ encoded }) => encoded),
    logsBloom: items.length === 0 ? NO_BLOOM : toHex(bloomOver(items)),
  };
}
