/** One node's own view of the chain, with all that an endpoint of the real world does wrong. */
import { HttpRequestError, RpcRequestError } from 'viem';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type EncodedLog, encodeReceipt, quantity } from './blocks.ts';
import type { Chain } from './chain.ts';
import type { Rpc, RpcRequest } from './rpc.ts';
import { RpcError } from './rpc-error.ts';

/** All can be changed at any time, and count for the calls that are made from then on. */
type EndpointFaults = {
  /** Nobody answers. */
  isUnreachable: boolean;
  /** How many blocks it is behind; what it says is true for the block that it is at. */
  lagBlocks: bigint;
  /** The last block that it learns of; null: it goes on. */
  frozenBlock: bigint | null;
  /** Milliseconds that each answer takes. */
  latencyMs: number;
  /** Answers about logs leave out those of these blocks, inclusive; null: none. */
  missingLogs: { from: bigint; to: bigint } | null;
  /** It does not know receipts of blocks below this one. */
  receiptsFromBlock: bigint;
  /** Says of every transaction that it would fail. */
  isRefusing: boolean;
  /** Gives logs of so many blocks at once; null: of as many as anybody asks for. */
  mostLogBlocks: bigint | null;
  /** Answers with the receipt of another transaction, if there is any. */
  isMixingReceipts: boolean;
  /** Says that it is of this chain; null: of its own. */
  otherChainId: number | null;
  /** By method, or `*` for all: how often it fails inside, 0 to 1. */
  failures: ReadonlyMap<string, number>;
};
export type Endpoint = {
  /** Rejects with what viem makes of an endpoint over HTTP that fails or refuses. */
  request(request: RpcRequest): Promise<unknown>;
  faults: EndpointFaults;
  /** The newest block that it knows of. */
  head(): bigint;
  /** Says what every sound endpoint of this chain says at this moment. */
  isSound(): boolean;
  /** Knows no block after the present one, until `thaw`. */
  freeze(): void;
  thaw(): void;
};
export type EndpointOptions = {
  chain: Chain;
  rpc: Rpc;
  scheduler: Scheduler;
  /** Decides which calls fail. */
  draw: Draw;
};

const URL = 'http://simulated';
const REFUSAL_MS = 250;
const NOT_THERE = 'connect ECONNREFUSED';

export function createEndpoint({ chain, rpc, scheduler, draw }: EndpointOptions): Endpoint {
  const faults = noFaults();

  function head(): bigint {
    const newest = chain.head().number;
    const { lagBlocks, frozenBlock } = faults;
    const known = newest > lagBlocks ? newest - lagBlocks : 0n;
    return frozenBlock !== null && frozenBlock < known ? frozenBlock : known;
  }

  /** The answer at this moment, as a value: also of a call that fails. */
  function answer(request: RpcRequest): { value: unknown } | { error: Error } {
    if (faults.isUnreachable)
      return { error: new HttpRequestError({ url: URL, details: NOT_THERE }) };
    try {
      failByChance(request.method);
      refuse(request);
      return { value: altered(request, rpc.request(request, head())) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      const body = { method: request.method };
      return { error: new RpcRequestError({ body, url: URL, error: { code, message, data } }) };
    }
  }

  function failByChance(method: string): void {
    if (faults.failures.size === 0) return;
    const probability = faults.failures.get(method) ?? faults.failures.get('*') ?? 0;
    if (draw.happens(probability)) throw new RpcError(-32603, 'internal error');
  }

  function refuse({ method, params }: RpcRequest): void {
    const { isRefusing, mostLogBlocks } = faults;
    if (isRefusing && method === 'eth_estimateGas') throw new RpcError(3, 'execution reverted');
    if (mostLogBlocks === null || method !== 'eth_getLogs' || !Array.isArray(params)) return;
    const { fromBlock, toBlock } = Object(params[0]);
    if (fromBlock === undefined || BigInt(toBlock) - BigInt(fromBlock) < mostLogBlocks) return;
    throw new RpcError(-32005, 'query returned more than 10000 results');
  }

  /** Of the newest transaction that is not this one. */
  function otherReceipt(hash: unknown): unknown {
    for (let number = head(); number > 0n; number--) {
      const block = chain.block(number);
      const other = block?.receipts.find(({ transaction }) => transaction.hash !== hash);
      if (block && other) return encodeReceipt(block, other);
    }
    return null;
  }

  function altered({ method, params }: RpcRequest, value: unknown): unknown {
    const { otherChainId, missingLogs, receiptsFromBlock } = faults;
    if (method === 'eth_chainId' && otherChainId !== null) return quantity(otherChainId);
    if (method === 'eth_getLogs' && missingLogs !== null && Array.isArray(value))
      return value.filter(({ blockNumber }: EncodedLog) => {
        const block = BigInt(blockNumber);
        return block < missingLogs.from || block > missingLogs.to;
      });
    if (method === 'eth_getTransactionReceipt' && faults.isMixingReceipts)
      return otherReceipt(Object(params)[0]);
    if (method === 'eth_getTransactionReceipt' && value !== null)
      return BigInt(Object(value).blockNumber) < receiptsFromBlock ? null : value;
    return value;
  }

  return {
    faults,
    head,
    isSound: () => isSound(faults),
    freeze() {
      faults.frozenBlock = head();
    },
    thaw() {
      faults.frozenBlock = null;
    },
    request(request) {
      // Who is refused asks again at once, and would do so for ever in the same moment.
      const latencyMs = faults.latencyMs || (faults.mostLogBlocks === null ? 0 : REFUSAL_MS);
      if (latencyMs <= 0) return settled(answer(request));
      return new Promise((resolve) => {
        // What it says is true when it says it: it was asked half of the time before.
        scheduler.after(latencyMs / 2, () => {
          const said = answer(request);
          scheduler.after(latencyMs / 2, () => resolve(settled(said)));
        });
      });
    },
  };
}

function noFaults(): EndpointFaults {
  return {
    isUnreachable: false,
    lagBlocks: 0n,
    frozenBlock: null,
    latencyMs: 0,
    missingLogs: null,
    receiptsFromBlock: 0n,
    isRefusing: false,
    mostLogBlocks: null,
    isMixingReceipts: false,
    otherChainId: null,
    failures: new Map(),
  };
}

function isSound(faults: EndpointFaults): boolean {
  const { isUnreachable, lagBlocks, frozenBlock, latencyMs, missingLogs } = faults;
  const { receiptsFromBlock, otherChainId, failures, mostLogBlocks, isMixingReceipts } = faults;
  const isCurrent = lagBlocks === 0n && frozenBlock === null && latencyMs <= 0;
  const isWhole = missingLogs === null && receiptsFromBlock === 0n && otherChainId === null;
  const isFair = mostLogBlocks === null && !isMixingReceipts && failures.size === 0;
  return !isUnreachable && isCurrent && isWhole && isFair;
}

function settled(said: { value: unknown } | { error: Error }): Promise<unknown> {
  return 'error' in said ? Promise.reject(said.error) : Promise.resolve(said.value);
}
