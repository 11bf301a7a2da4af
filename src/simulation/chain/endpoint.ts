/** One node's own endpoint of the chain, with the faults that endpoints of the real world have. */
import { HttpRequestError, RpcRequestError } from 'viem';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type EncodedLog, encodeReceipt, quantity } from './blocks.ts';
import type { Chain } from './chain.ts';
import type { Rpc, RpcRequest } from './rpc.ts';
import { RpcError } from './rpc-error.ts';

/** The faults of an endpoint. Each can be changed at any time, and then affects later calls. */
type EndpointFaults = {
  /** No call is answered. */
  isUnreachable: boolean;
  /** How many blocks it is behind; its answers are right for the block that it is at. */
  lagBlocks: bigint;
  /** The last block that it knows; null: it follows the chain. */
  frozenBlock: bigint | null;
  /** Milliseconds that each answer takes. */
  latencyMs: number;
  /** Answers to log queries leave out the logs of these blocks, inclusive; null: none. */
  missingLogs: { from: bigint; to: bigint } | null;
  /** It does not know receipts of blocks below this one. */
  receiptsFromBlock: bigint;
  /** Answers that every transaction would fail. */
  isRefusing: boolean;
  /** The most blocks of a log query that it answers; null: any number. */
  mostLogBlocks: bigint | null;
  /** Answers with the receipt of another transaction, if there is any. */
  isMixingReceipts: boolean;
  /** Claims to be of this chain; null: its true one. */
  otherChainId: number | null;
  /** By method, or `*` for all: the probability of an internal error, 0 to 1. */
  failures: ReadonlyMap<string, number>;
};
export type Endpoint = {
  /** Rejects with the errors that viem throws for an HTTP endpoint that fails or refuses. */
  request(request: RpcRequest): Promise<unknown>;
  faults: EndpointFaults;
  /** The newest block that the endpoint knows. */
  head(): bigint;
  /** Whether it reads the chain as an endpoint without faults does at this moment. */
  isSound(): boolean;
  /** From now on it learns of no new block, until `thaw`. */
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

  /** The answer at this moment, as a value also when the call fails. */
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

  /** The receipt of the newest transaction that is not this one. */
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
      // A refused node asks again at once: without a delay it would do so for ever at the same moment.
      const latencyMs = faults.latencyMs || (faults.mostLogBlocks === null ? 0 : REFUSAL_MS);
      if (latencyMs <= 0) return settled(answer(request));
      return new Promise((resolve) => {
        // The chain is read after half of the latency: the answer may be out of date when it arrives.
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
