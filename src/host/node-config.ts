/** The configuration with which a node is started on this machine, and the opened node. */

import type { Log } from '../basics/environment.ts';
import type { Fault } from '../basics/fault.ts';
import type { Address } from '../basics/hex.ts';
import type { NodeApi, NodeStatus } from '../node/api/api.ts';
import type { FatalKind, NodeSettings } from '../node/runtime/parts.ts';
import type { JoinedBroker } from '../partner/join.ts';
import type { Signer } from '../signer/signer.ts';
import type { KnownContracts } from './contracts-file.ts';
import type { NamedFile } from './database/other-files.ts';
import type { NamedAddress } from './names-file.ts';
import type { ApiConfig } from './node-api.ts';
import type { ReplicaConfig } from './replica/open-replica.ts';

/** What the chain says, and not who starts the node. */
type OfChain = 'chainId' | 'contracts' | 'deployBlock' | 'minRevealTimeout' | 'depositLimits';

export type NodeConfig = Omit<NodeSettings, OfChain | 'hasRoutingFallback'> & {
  rpcUrl: string;
  /** The required chain id; null accepts the endpoint's. */
  networkId: bigint | null;
  contracts: KnownContracts;
  broker: JoinedBroker;
  /** As `openStore` takes it; null: a file named by chain, contracts and address in `dataFolder`. */
  database: string | null;
  /** The code that accepts an old copy of the database; absent: none is accepted. */
  acceptedDatabase?: string | null;
  /** The code that accepts a chain that was replaced; absent: none is accepted. */
  acceptedChain?: string | null;
  /** Bytes on the disk of the database below which no payment is made or taken; absent or 0: none. */
  minFreeBytes?: number;
  /** The stream to which the database is replicated; absent or null: none. Needs a broker. */
  replica?: ReplicaConfig | null;
  /** The code by which the operator lets the database leave its stream; absent or null: it does not. */
  leaveStream?: string | null;
  dataFolder: string;
  /**
   * The folder of the lock files that keep a key from running twice, and of the notes of how far its database has come.
   */
  stateFolder: string;
  /** What the next start needs besides the database, and is watched; absent: nothing. */
  files?: readonly NamedFile[];
  /** Default true. */
  hasRoutingFallback?: boolean;
  /** The URLs to which every event is sent, and the key that signs the calls; null: none. */
  webhooks: { urls: readonly string[]; secret: string } | null;
  /** Whether the inspector is served beside the API. */
  hasInspector: boolean;
  /** Whether the wallet's page is served beside the API; default no. */
  hasWallet?: boolean;
  /** Names that the inspector shows for addresses; absent: none. */
  names?: readonly NamedAddress[];
  /** URL to which the inspector links transactions, with `{hash}` for the hash; absent or null: no links. */
  explorer?: string | null;
  /** Port on loopback for clients of `@statelyai/inspect`; absent or null: none. 0 takes a free one. */
  statelyPort?: number | null;
  api: Omit<ApiConfig, 'inspector' | 'wallet' | 'name'>;
};

export type NodeHooks = {
  signer: Signer;
  log: Log;
  fault: Fault;
  /** See NodeParts; for tests. */
  checkBooks?: boolean;
  /** Called when a caller of the API asks to end the node. */
  onShutdown(): void;
  /** Called once, when the node cannot go on; its API has answered 500 to waiting callers and is closing. */
  onFatal(reason: string, kind: FatalKind): void;
};

export type OpenNode = {
  address: Address;
  chainId: bigint;
  /** Without a path, e.g. `http://127.0.0.1:5001`. */
  apiUrl: string;
  database: string;
  /** For a service in the same process as the node. */
  node: NodeApi;
  status(): NodeStatus;
  /**
   * To be called after `onFatal`: protects the channels from the last state on disk. Resolves when none is left, or
   * when the database cannot be read either.
   */
  safeMode(): Promise<void>;
  /** Called with an uncaught error: the node cannot go on; if it is in safe mode, that starts again from the disk. */
  fail(error: unknown): void;
  /** Ends in order: the API, then the node, then its database and connections. May be called again. */
  stop(): Promise<void>;
};
