/** What one node of this machine is started with, and what there is of it then. */

import type { NodeApi, NodeStatus } from '../node/api/api.ts';
import type { FatalKind, NodeSettings } from '../node/runtime/parts.ts';
import type { Broker } from '../partner/join.ts';
import type { Log } from '../protocol/environment.ts';
import type { Fault } from '../protocol/fault.ts';
import type { Address } from '../protocol/hex.ts';
import type { Signer } from '../signer/signer.ts';
import type { KnownContracts } from './contracts-file.ts';
import type { NamedAddress } from './names-file.ts';
import type { ApiConfig } from './node-api.ts';

export type NodeConfig = {
  version: string;
  rpcUrl: string;
  /** The chain id that is demanded; null takes the endpoint's. */
  networkId: bigint | null;
  contracts: KnownContracts;
  broker: Broker;
  /** As `openStore` takes it; null: a file named by chain, contracts and address in `dataFolder`. */
  database: string | null;
  /** The code that accepts an old copy of the database; absent: none is accepted. */
  acceptedDatabase?: string | null;
  /** The code that accepts a chain that was replaced; absent: none is accepted. */
  acceptedChain?: string | null;
  /** Bytes on the disk of the database below which no payment is made or taken; absent or 0: none. */
  minFreeBytes?: number;
  dataFolder: string;
  /** Where the locks are that keep a key from running twice, and how far its database had come. */
  stateFolder: string;
  confirmations: bigint;
  defaultSettleTimeout: bigint;
  defaultRevealTimeout: bigint;
  isProduction: boolean;
  pathfindingServiceAddress: string | null;
  /** As in the node's settings. */
  routingMode: NodeSettings['routingMode'];
  /** Default true. */
  hasRoutingFallback?: boolean;
  fees: NodeSettings['fees'];
  monitoringReward: NodeSettings['monitoringReward'];
  /** URL that answers the newest release; null: nobody is asked. */
  releaseFeed: string | null;
  /** Who is told of every event, and what the calls are signed with; null: nobody. */
  webhooks: { urls: readonly string[]; secret: string } | null;
  pollIntervalMs: number;
  /** Whether the inspector is served beside the API. */
  hasInspector: boolean;
  /** What the inspector calls addresses; absent: nothing. */
  names?: readonly NamedAddress[];
  /** Where the inspector links transactions to, `{hash}` for the hash; absent or null: nowhere. */
  explorer?: string | null;
  /** Port of loopback for clients of `@statelyai/inspect`; absent or null: none. 0 takes a free one. */
  statelyPort?: number | null;
  api: Omit<ApiConfig, 'inspector'>;
};

export type NodeHooks = {
  signer: Signer;
  log: Log;
  fault: Fault;
  /** See NodeParts; for tests. */
  checkBooks?: boolean;
  /** Somebody asked the API to end the node. */
  onShutdown(): void;
  /** The node cannot go on; its API has answered 500 to whoever waits and is closing. Called once. */
  onFatal(reason: string, kind: FatalKind): void;
};

export type OpenNode = {
  address: Address;
  chainId: bigint;
  /** Without a path, e.g. `http://127.0.0.1:5001`. */
  apiUrl: string;
  database: string;
  /** For a service that lives in the same process as the node. */
  node: NodeApi;
  status(): NodeStatus;
  /**
   * After `onFatal`: the channels are protected from the last state on disk. Resolves when none is left, or when
   * the database cannot be read either.
   */
  safeMode(): Promise<void>;
  /** Nobody caught this error: the node cannot go on; one in safe mode begins again from the disk. */
  fail(error: unknown): void;
  /** In order: no new calls, then the node, then what it holds. May be called again. */
  stop(): Promise<void>;
};
