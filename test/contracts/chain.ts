/** A new chain with all contracts, one token with a network, and a way to send anything to them. */

import * as v from 'valibot';
import {
  type Abi,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  http,
  type Log,
  maxUint256,
  numberToHex,
  type Transport,
} from 'viem';
import { foundry } from 'viem/chains';
import type { Address } from '../../src/basics/hex.ts';
import {
  type Deployment,
  type DeployOptions,
  deployContracts,
} from '../../src/contracts/deploy.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { deployToken, type NetworkLimits, registerNewToken } from '../../src/contracts/tokens.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../support/anvil.ts';
import { anvilAccount } from '../support/chain.ts';
import { startEvm } from '../support/evm.ts';
import { revertReason } from '../support/revert-reason.ts';

/** What a mined transaction did. `reason` is the revert string, `panic 17` for checked arithmetic. */
export type Outcome =
  | { ok: true; gas: bigint; block: bigint; logs: Log[] }
  | { ok: false; reason: string };

type Call<A extends Abi, N extends ContractFunctionName<A>> = {
  to: Address;
  from?: Address;
} & EncodeFunctionDataParameters<A, N>;

export type Chain = {
  clients: Clients;
  chainId: bigint;
  deployment: Deployment;
  token: Address;
  network: Address;
  rpc(method: string, params?: unknown[]): Promise<unknown>;
  /** Sends from an account of the chain (the deployer unless given) and waits until it is mined. */
  send<const A extends Abi, N extends ContractFunctionName<A>>(call: Call<A, N>): Promise<Outcome>;
  /** The latest block. */
  block(): Promise<bigint>;
  /** Mines until the next transaction is in `block`. */
  goTo(block: bigint): Promise<void>;
};

export type AnvilChain = Chain & { anvil: Anvil; stop(): Promise<void> };

/** Milliseconds; a transaction is mined as soon as it arrives. */
const LONGEST_WAIT = 20_000;
/** After so long the test mines a block itself: once in many thousand transactions anvil misses one. */
const PATIENCE = 1_000;
const GAS = numberToHex(16_000_000n);

/** The chain's own account number `i`; it can sign and holds ether. */
export function person(i: number) {
  return anvilAccount(i);
}

const Receipt = v.object({
  status: v.picklist(['0x0', '0x1']),
  transactionHash: v.string(),
  gasUsed: v.string(),
  blockNumber: v.string(),
  logs: v.array(v.custom<Log>((log) => typeof log === 'object')),
});
const Trace = v.object({ output: v.optional(v.custom<Hex>((data) => typeof data === 'string')) });

export type ChainOptions = { chainId?: number; deploy?: DeployOptions; limits?: NetworkLimits };

/** Long, so that a busy machine does not look like a difference between two chains. */
const PATIENCE_MS = 120_000;

/**
 * A chain in this process. Without deposit limits unless they are given; settle timeouts 10 to 100,000 blocks.
 */
export async function startChain(options: ChainOptions = {}): Promise<Chain> {
  return withContracts(await startEvm(options.chainId ?? foundry.id), options);
}

/** The same on anvil, for what asks a node over its socket. */
export async function startChainOnAnvil(
  options: AnvilOptions & ChainOptions = {},
): Promise<AnvilChain> {
  const anvil = await startAnvil(options);
  const chain = await withContracts(http(anvil.rpc, { timeout: PATIENCE_MS }), options);
  return { ...chain, anvil, stop: () => anvil.stop() };
}

async function withContracts(transport: Transport, options: ChainOptions): Promise<Chain> {
  const chain = { ...foundry, id: options.chainId ?? foundry.id };
  const clients: Clients = {
    public: createPublicClient({ chain, transport, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account: person(0) }),
  };
  const deployment = await deployContracts(clients, {
    maxTokenNetworks: 10n,
    settleTimeoutMin: 10n,
    ...options.deploy,
  });
  const token = await deployToken(clients, { name: 'Token', symbol: 'TTT', initialSupply: 1n });
  const limits = { participantLimit: maxUint256, networkLimit: maxUint256, ...options.limits };
  const registry = deployment.tokenNetworkRegistryAddress;
  const network = await registerNewToken(clients, registry, token, limits);

  const rpc = (method: string, params: unknown[] = []): Promise<unknown> =>
    clients.public.transport.request({ method, params });

  async function mined(hash: unknown): Promise<v.InferOutput<typeof Receipt>> {
    const deadline = performance.now() + LONGEST_WAIT;
    let nextNudge = performance.now() + PATIENCE;
    while (performance.now() < deadline) {
      const receipt = await rpc('eth_getTransactionReceipt', [hash]);
      if (receipt !== null) return v.parse(Receipt, receipt);
      if (performance.now() < nextNudge) continue;
      nextNudge = performance.now() + PATIENCE;
      await rpc('evm_mine');
    }
    throw new Error(`transaction ${hash} was not mined`);
  }

  async function send<const A extends Abi, N extends ContractFunctionName<A>>(
    call: Call<A, N>,
  ): Promise<Outcome> {
    const data = encodeFunctionData<A, N>(call);
    const from = call.from ?? person(0).address;
    const hash = await rpc('eth_sendTransaction', [{ from, to: call.to, data, gas: GAS }]);
    const receipt = await mined(hash);
    if (receipt.status === '0x1') {
      const { gasUsed, blockNumber, logs } = receipt;
      return { ok: true, gas: BigInt(gasUsed), block: BigInt(blockNumber), logs };
    }
    const options = { tracer: 'callTracer' };
    const trace = await rpc('debug_traceTransaction', [receipt.transactionHash, options]);
    return { ok: false, reason: revertReason(v.parse(Trace, trace).output) ?? 'no reason' };
  }

  const block = () => clients.public.getBlockNumber({ cacheTime: 0 });
  async function goTo(target: bigint): Promise<void> {
    const next = (await block()) + 1n;
    if (next > target) throw new Error(`block ${target} has passed: the next one is ${next}`);
    if (next < target) await rpc('hardhat_mine', [numberToHex(target - next)]);
  }
  const chainId = BigInt(chain.id);
  return { clients, chainId, deployment, token, network, rpc, send, block, goTo };
}

/** Shorthand for a call to the token network. */
export function toNetwork(chain: Chain) {
  return { to: chain.network, abi: tokenNetworkAbi } as const;
}

/** The outcome of a call that must have succeeded. */
export function done(outcome: Outcome): Extract<Outcome, { ok: true }> {
  if (!outcome.ok) throw new Error(`reverted: ${outcome.reason}`);
  return outcome;
}
