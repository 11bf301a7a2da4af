/** What a devnet stands on: real parts of this machine, or those of a virtual world. */

import type { Address } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import type { DeployOptions } from '../../src/contracts/deploy.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import type { StartRefusal } from '../../src/host/base/refusal.ts';
import type { serveNode } from '../../src/host/node-api.ts';
import type { NodeConfig, NodeHooks, OpenNode } from '../../src/host/node-config.ts';
import type { RpcProxy } from '../support/rpc-proxy.ts';

/** The terms of the contracts that rows speak of. */
export const CONTRACTS = {
  settleTimeoutMin: 20n,
  maxTokenNetworks: 3n,
  /** Of all user deposits together. */
  userDepositLimit: 10_000n * 10n ** 18n,
} satisfies DeployOptions;

export type GroundChain = {
  chain: DevnetChain;
  /** For the chain's own methods. */
  connection: Pick<ChainConnection, 'client'>;
  clients: Clients;
  /** A token without a token network. */
  createToken(symbol: string): Promise<Address>;
  /** Tokens that have one of the documented minting methods each, and no other: `MintToken` and so on. */
  createMintable(): Promise<ReadonlyMap<string, Address>>;
  stop(): Promise<void>;
};
export type OpenedNode = Pick<OpenNode, 'apiUrl' | 'node' | 'status' | 'stop'>;
export type Ground = {
  /** A chain that makes a block for each transaction; the owners have money. */
  setUpChain(owners: readonly Address[]): Promise<GroundChain>;
  /** A chain that says that it is the main network, and makes a block in each second. */
  startMainNetwork(owner: Address): Promise<Pick<GroundChain, 'chain' | 'stop'>>;
  openNode(
    config: NodeConfig,
    hooks: NodeHooks,
  ): Promise<{ ok: true; value: OpenedNode } | StartRefusal>;
  serveNode: typeof serveNode;
  /** An endpoint in front of that of a chain. */
  startRpcProxy(target: string): Promise<Pick<RpcProxy, 'rpc' | 'setRule' | 'stop'>>;
  /** Answers each request with the text. */
  serveText(text: string): Promise<{ url: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
};
