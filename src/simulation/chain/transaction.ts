/** Reads signed transactions, and makes those of the simulation's own setup. */
import { parseTransaction, serializeTransaction } from 'viem';
import { fromHex, type Hash, type Hex, parseAddress, ZERO_HASH } from '../../basics/hex.ts';
import { keccak256, keccakHex } from '../../protocol/hash.ts';
import type { Recover } from './contracts/contract.ts';
import type { Message } from './machine.ts';
import { RpcError } from './rpc-error.ts';

export type Transaction = Message & {
  hash: Hash;
  nonce: number;
  gas: bigint;
  /** Wei per unit of gas. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  chainId: number;
  signature: { r: Hex; s: Hex; yParity: number };
  /** The newest block when it arrived, and its number among all transactions that ever arrived. */
  arrivedBlock: bigint;
  order: number;
  /**
   * Made by the simulation itself to set something up: unsigned, executed first in its block, counted in no gas
   * limit.
   */
  isSetup: boolean;
};

/** `arrivedBlock` and `order` are added by the pool's owner. Throws `RpcError` with the answer of a common node. */
export function readTransaction(
  raw: Hex,
  recover: Recover,
): Omit<Transaction, 'arrivedBlock' | 'order' | 'isSetup'> {
  const { r, s, yParity, v, ...unsigned } = parsed(raw);
  if (r === undefined || s === undefined || yParity === undefined)
    throw new RpcError(-32000, 'transaction is not signed');
  const digest = keccak256(fromHex(serializeTransaction(unsigned)));
  const signature = Buffer.concat([fromHex(r), fromHex(s), Buffer.of(27 + yParity)]);
  const from = recover(digest, signature);
  if (from === null) throw new RpcError(-32000, 'invalid sender');
  const to = parseAddress(unsigned.to);
  if (to === null) throw new RpcError(-32000, 'the simulation has no code to create contracts');
  return {
    hash: keccakHex(fromHex(raw)),
    from,
    to,
    signature: { r, s, yParity },
    chainId: unsigned.chainId,
    nonce: unsigned.nonce ?? 0,
    data: unsigned.data ?? '0x',
    value: unsigned.value ?? 0n,
    gas: unsigned.gas ?? 0n,
    maxFeePerGas: unsigned.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: unsigned.maxPriorityFeePerGas ?? 0n,
  };
}

function parsed(raw: Hex) {
  try {
    const transaction = parseTransaction(raw);
    if (transaction.type === 'eip1559') return transaction;
  } catch {
    throw new RpcError(-32602, 'the transaction cannot be read');
  }
  throw new RpcError(-32000, 'transaction type not supported');
}

/** A setup transaction of the simulation: without a key, free, and never refused. */
export function setupTransaction(
  message: Message,
  place: { nonce: number; chainId: number; arrivedBlock: bigint; order: number },
): Transaction {
  const text = [message.from, message.to, place.nonce, place.order, message.value, message.data];
  return {
    ...message,
    ...place,
    hash: keccakHex(Buffer.from(text.join(' '))),
    gas: 2n ** 40n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    isSetup: true,
    signature: { r: ZERO_HASH, s: ZERO_HASH, yParity: 0 },
  };
}
