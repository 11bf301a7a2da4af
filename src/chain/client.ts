/** The connection to one chain. */

import type { Chain as ViemChain } from 'viem';
import { createPublicClient, defineChain, http, type PublicClient, type Transport } from 'viem';
import type { Result } from '../protocol/codes.ts';
import { describe } from './describe.ts';

/**
 * viem's client; `chain.id` is what the endpoint said when it was connected. It never repeats a call.
 * `bulk` sends calls that are made at the same moment in one request, which not every endpoint takes.
 */
export type ChainClient = PublicClient<Transport, ViemChain> & { bulk: BulkClient };
export type BulkClient = PublicClient<Transport>;
export type ChainConnection = {
  client: ChainClient;
  chainId: bigint;
  /** Ends the periodic check and every call that is still running. */
  stop(): void;
};
export type ChainOptions = {
  rpcUrl: string;
  /** Milliseconds that one call may take. */
  timeoutMs?: number;
  /** Milliseconds between two looks at the chain id. */
  chainIdCheckMs?: number;
  /** The endpoint suddenly serves another chain: nothing that it says may be believed. Called once. */
  onOtherChain?: (chainId: bigint) => void;
};

const TIMEOUT_MS = 10_000;
/**
 * Bytes of the largest answer that is read. A larger one counts as refused, and less is asked for; a block of our
 * contracts' logs alone that has so many would take 600 million gas.
 */
const LARGEST_ANSWER = 16_777_216;
const CHAIN_ID_CHECK_MS = 15_000;
/** Endpoints that take several calls in one request commonly take this many. */
const CALLS_IN_ONE = 100;

/**
 * Asks the endpoint for its chain id and newest block. Refused with `chain_unavailable` when it does not
 * answer, or when its chain has no base fee (EIP-1559), which every transaction of ours relies on.
 */
export async function connectChain(options: ChainOptions): Promise<Result<ChainConnection>> {
  const ending = new AbortController();
  const transport = transportOf(options, ending.signal);
  try {
    const nameless = createPublicClient({ transport });
    const [id, block] = await Promise.all([nameless.getChainId(), nameless.getBlock()]);
    if (block.baseFeePerGas === null) {
      return {
        ok: false,
        code: 'chain_unavailable',
        detail: 'the chain has no base fee (EIP-1559)',
      };
    }
    const many = transportOf(options, ending.signal, { batchSize: CALLS_IN_ONE });
    const client = clientOver(id, { plain: transport, bulk: many });
    const endChecks = checkChainId(client, options);
    const stop = () => {
      endChecks();
      ending.abort();
    };
    return { ok: true, value: { client, chainId: BigInt(id), stop } };
  } catch (error) {
    return { ok: false, code: 'chain_unavailable', detail: describe(error) };
  }
}

/** `bulk`: a transport that may send calls of the same moment in one request. */
export function clientOver(
  chainId: number,
  transports: { plain: Transport; bulk: Transport },
): ChainClient {
  // Else any token could send this process to a URL of its choice, on this machine, too (ERC-3668).
  const common = { cacheTime: 0, ccipRead: false } as const;
  const bulk: BulkClient = createPublicClient({ ...common, transport: transports.bulk });
  const chain = chainOf(chainId);
  const plain = createPublicClient({ ...common, transport: transports.plain, chain });
  return plain.extend(() => ({ bulk }));
}

/**
 * Without viem's own repetition: it obeys a `Retry-After` of any length, so that an endpoint could
 * silence the watcher for as long as it likes. Each caller repeats in its own way.
 */
function transportOf(
  { rpcUrl, timeoutMs = TIMEOUT_MS }: ChainOptions,
  ending: AbortSignal,
  batch: false | { batchSize: number } = false,
) {
  return http(rpcUrl, {
    batch,
    retryCount: 0,
    timeout: timeoutMs,
    maxResponseBodySize: LARGEST_ANSWER,
    fetchFn: (input, init) => {
      // viem waits for ever for the rest of an answer whose beginning has come.
      const signals = [
        ending,
        AbortSignal.timeout(timeoutMs),
        ...(init?.signal ? [init.signal] : []),
      ];
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    },
  });
}

function chainOf(id: number): ViemChain {
  return defineChain({
    id,
    name: `chain ${id}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
}

function checkChainId(client: ChainClient, options: ChainOptions): () => void {
  let isTold = false;
  const timer = setInterval(async () => {
    try {
      const id = await client.getChainId();
      if (id === client.chain.id || isTold) return;
      isTold = true;
      clearInterval(timer);
      options.onOtherChain?.(BigInt(id));
    } catch {
      // The watcher reports an endpoint that does not answer.
    }
  }, options.chainIdCheckMs ?? CHAIN_ID_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
