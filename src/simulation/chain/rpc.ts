/** The JSON-RPC methods of the simulated chain, with the answers of common nodes. */

import {
  type Address,
  type Hash,
  type Hex,
  isHexOf,
  parseAddress,
  ZERO_ADDRESS,
} from '../../basics/hex.ts';
import { keccakHex } from '../../protocol/hash.ts';
import {
  type Block,
  encodeBlock,
  encodeReceipt,
  encodeTransaction,
  lower,
  quantity,
} from './blocks.ts';
import type { Chain } from './chain.ts';
import type { LogQuestion } from './log-index.ts';
import type { Message } from './machine.ts';
import { RpcError } from './rpc-error.ts';

/** `params` are checked one by one: they may be anything. */
export type RpcRequest = { method: string; params?: unknown };
export type Rpc = ReturnType<typeof createRpc>;
type Method = (params: readonly unknown[], newest: bigint) => unknown;

/** The beginning of every contract's code here. */
const CODE: Hex = '0x60006000fd';

/** `isDevelopment`: it also has methods that only development chains have. */
export function createRpc(chain: Chain, { isDevelopment = false } = {}) {
  const methods: Readonly<Record<string, Method>> = {
    eth_chainId: () => quantity(chain.chainId),
    net_version: () => String(chain.chainId),
    eth_blockNumber: (_, newest) => quantity(newest),
    ...blockMethods(chain),
    ...transactionMethods(chain),
    ...stateMethods(chain),
    ...priceMethods(chain),
    eth_getLogs: ([filter], newest) => logsOf(chain, Object(filter), newest),
    ...(isDevelopment
      ? { hardhat_metadata: () => ({ latestBlockNumber: Number(chain.head().number) }) }
      : {}),
  };
  return {
    /**
     * `newest`: the newest block that this endpoint knows of; absent: that of the chain. Throws `RpcError`.
     */
    request({ method, params }: RpcRequest, newest = chain.head().number): unknown {
      const answer = methods[method];
      if (answer === undefined)
        throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
      return answer(Array.isArray(params) ? params : [], newest);
    },
  };
}

function blockMethods(chain: Chain): Record<string, Method> {
  return {
    eth_getBlockByNumber([tag, isFull], newest) {
      const block = chain.block(numberOf(tag, newest));
      return block === null || block.number > newest ? null : shown(block, isFull);
    },
    eth_getBlockByHash([hash, isFull], newest) {
      const block = knownBlock(chain, hash, newest);
      return block === null ? null : shown(block, isFull);
    },
    eth_getBlockReceipts([tag], newest) {
      const block = isHexOf(tag, 32)
        ? knownBlock(chain, tag, newest)
        : chain.block(numberOf(tag, newest));
      if (block === null || block.number > newest) return null;
      return block.receipts.map((receipt) => encodeReceipt(block, receipt));
    },
  };
}

function shown(block: Block, isFull: unknown): unknown {
  if (isFull !== true) return encodeBlock(block);
  const transactions = block.receipts.map((receipt) =>
    encodeTransaction(receipt.transaction, block, receipt),
  );
  return { ...encodeBlock(block), transactions };
}

function transactionMethods(chain: Chain): Record<string, Method> {
  const minedBy = (hash: unknown, newest: bigint) => {
    const found = isHexOf(hash, 32) ? chain.mined(hash) : null;
    return found === null || found.block.number > newest ? null : found;
  };
  return {
    eth_getTransactionReceipt([hash], newest) {
      const found = minedBy(hash, newest);
      return found === null ? null : encodeReceipt(found.block, found.receipt);
    },
    eth_getTransactionByHash([hash], newest) {
      const found = minedBy(hash, newest);
      if (found !== null)
        return encodeTransaction(found.receipt.transaction, found.block, found.receipt);
      const waiting = isHexOf(hash, 32) ? chain.pool.byHash(hash) : null;
      return waiting === null ? null : encodeTransaction(waiting, null, null);
    },
    eth_sendRawTransaction([raw]) {
      if (!isHex(raw)) throw invalid('a transaction');
      return chain.submit(raw);
    },
  };
}

function stateMethods(chain: Chain): Record<string, Method> {
  const { machine } = chain;
  function at<T>(tag: unknown, newest: bigint, read: () => T): T {
    const hash = Object(tag).blockHash;
    const number = isHexOf(hash, 32)
      ? (knownBlock(chain, hash, newest)?.number ?? newest + 1n)
      : numberOf(tag, newest);
    if (number > newest) throw new RpcError(-32000, 'header not found');
    return chain.at(number, read);
  }
  return {
    eth_call: ([call, tag], newest) =>
      at(tag, newest, () => {
        const { isSuccess, output, reason } = machine.ask(messageOf(call));
        if (!isSuccess) throw reverted(reason, output);
        return output;
      }),
    eth_estimateGas: ([call, tag], newest) =>
      at(tag, newest, () => quantity(estimate(chain, messageOf(call)))),
    eth_getCode: ([owner, tag], newest) =>
      at(tag, newest, () => {
        const address = addressOf(owner);
        // Callers only ask whether there is code, and whether the code of two contracts differs.
        if (machine.contracts.get(address) === null) return '0x';
        return `${CODE}${keccakHex(Buffer.from(address)).slice(2)}`;
      }),
    eth_getBalance: ([owner, tag], newest) =>
      at(tag, newest, () => quantity(machine.wei.get(addressOf(owner)))),
    eth_getTransactionCount: ([owner, tag], newest) => {
      const address = addressOf(owner);
      if (tag !== 'pending') return at(tag, newest, () => quantity(machine.nonces.get(address)));
      const mined = at('latest', newest, () => machine.nonces.get(address));
      return quantity(chain.pool.nextNonce(address, mined));
    },
  };
}

/** The gas estimate; a sixty-fourth is added, as the EVM holds that back from each call to another contract. */
function estimate(chain: Chain, message: Message): bigint {
  const { machine } = chain;
  if (message.value > machine.wei.get(message.from))
    throw new RpcError(-32000, 'insufficient funds for transfer');
  const mark = machine.storage.mark();
  const run = machine.execute(message, chain.head().gasLimit);
  machine.storage.revertTo(mark);
  if (!run.isSuccess && run.gasNeeded > chain.head().gasLimit)
    throw new RpcError(-32000, `gas required exceeds allowance (${chain.head().gasLimit})`);
  if (!run.isSuccess) throw reverted(run.reason, run.output);
  return run.gasNeeded + (run.gasNeeded - 21_000n) / 64n;
}

function reverted(reason: string | null, output: Hex): RpcError {
  const text = reason === null ? 'execution reverted' : `execution reverted: ${reason}`;
  return new RpcError(3, text, output);
}

function priceMethods(chain: Chain): Record<string, Method> {
  return {
    eth_maxPriorityFeePerGas: () => quantity(chain.weather().usualTip),
    eth_gasPrice: (_, newest) =>
      quantity((chain.block(newest)?.baseFee ?? 0n) + chain.weather().usualTip),
  };
}

function logsOf(chain: Chain, filter: Record<string, unknown>, newest: bigint): unknown {
  const { address, topics, blockHash, fromBlock, toBlock } = filter;
  const question = { addresses: addressesOf(address), topics: topicsOf(topics) };
  if (blockHash !== undefined) {
    const block = knownBlock(chain, blockHash, newest);
    if (block === null) throw new RpcError(-32000, 'unknown block');
    if (block.logs.length === 0) return [];
    return chain.logs({ ...question, from: block.number, to: block.number });
  }
  const [from, to] = [numberOf(fromBlock, newest), numberOf(toBlock, newest)];
  if (from > to) throw new RpcError(-32000, 'invalid block range params');
  return chain.logs({ ...question, from, to: to < newest ? to : newest });
}

function addressesOf(given: unknown): LogQuestion['addresses'] {
  if (given === undefined || given === null) return null;
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.length === 0 ? null : list.map(addressOf);
}

function topicsOf(given: unknown): LogQuestion['topics'] {
  if (!Array.isArray(given)) return [];
  return given.map((choices: unknown) => {
    if (choices === null || choices === undefined) return null;
    const list: unknown[] = Array.isArray(choices) ? choices : [choices];
    return list.length === 0 ? null : list.map(hashOf);
  });
}

function knownBlock(chain: Chain, hash: unknown, newest: bigint): Block | null {
  const block = isHexOf(hash, 32) ? chain.blockOf(hash) : null;
  return block === null || block.number > newest ? null : block;
}

function numberOf(tag: unknown, newest: bigint): bigint {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return newest;
  if (tag === 'earliest') return 0n;
  if (typeof tag !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(tag)) throw invalid('a block');
  return BigInt(tag);
}

function messageOf(call: unknown): Message {
  const { from, to, data, input, value }: Record<string, unknown> = Object(call);
  const given = data ?? input ?? '0x';
  if (!isHex(given)) throw invalid('calldata');
  const sender = from === undefined ? ZERO_ADDRESS : addressOf(from);
  const wei = typeof value === 'string' ? BigInt(value) : 0n;
  return { from: sender, to: addressOf(to), data: given, value: wei };
}

function addressOf(given: unknown): Address {
  const address = parseAddress(given);
  if (address === null) throw invalid('an address');
  return address;
}

function hashOf(given: unknown): Hash {
  if (!isHexOf(given, 32)) throw invalid('a topic');
  return lower(given);
}

function isHex(given: unknown): given is Hex {
  return typeof given === 'string' && /^0x([0-9a-f]{2})*$/i.test(given);
}

const invalid = (what: string) => new RpcError(-32602, `invalid argument: not ${what}`);
