/** What a node is made of. The command line builds the parts; the simulator owns clock and chance. */
import type { BatchReader } from '../../chain/batches.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { ChainReads } from '../../chain/reads.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Chance, Clock, Log } from '../../protocol/environment.ts';
import type { Fault } from '../../protocol/fault.ts';
import type { FeeTerms } from '../../protocol/fee-terms.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Store } from '../../store/open.ts';
import type { DiskSpace } from './disk-watch.ts';
import type { Meter } from './meter.ts';
import type { OwnChannels } from './own-channels.ts';
import type { Notification } from './records.ts';
import type { RouteFinder } from './route-finder.ts';

export type NodeSettings = {
  version: string;
  chainId: bigint;
  contracts: ContractAddresses;
  /** The first block that can hold a log of the contracts. */
  deployBlock: bigint;
  confirmations: bigint;
  defaultSettleTimeout: bigint;
  defaultRevealTimeout: bigint;
  minRevealTimeout: bigint;
  /** Registering tokens is refused: the main network, or told so. */
  isProduction: boolean;
  pathfindingServiceAddress: string | null;
  /** `pfs` asks the service at `pathfindingServiceAddress`; `local` finds routes on an own copy of the network. */
  routingMode: 'pfs' | 'local';
  /** Whether routes are found on an own copy of the network while the path-finding service is no help. */
  hasRoutingFallback: boolean;
  /** What mediation costs: of single tokens, and of all others. */
  fees: { byToken: ReadonlyMap<Address, FeeTerms>; others: FeeTerms };
  /** Units of the service token that a monitoring service gets for its help; null: none is asked. */
  monitoringReward: bigint | null;
  /** URL that answers the newest release; null: nobody is asked. */
  releaseFeed: string | null;
  /** Limits of token networks that this node registers, in the token's smallest unit. */
  depositLimits: { participantLimit: bigint; networkLimit: bigint };
  /** Milliseconds between two looks at the chain's head. */
  pollIntervalMs: number;
};

export type NodeParts = {
  store: Store;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** Of a compressed public key, 33 bytes from anybody; null when it is none. */
  addressOf(publicKey: Uint8Array): Address | null;
  client: ChainClient;
  reads: ChainReads;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  log: Log;
  fault: Fault;
  /** Absent: the database has all the room that it may need. */
  disk?: DiskSpace;
  /** Absent: nobody looks on. */
  meter?: Meter;
  /** Looks at the books after every commit, and ends the node when they are wrong: for tests. */
  checkBooks?: boolean;
  /** Absent: the finder of the settings' routing mode. */
  routes?: (own: OwnChannels) => RouteFinder;
  /** Absent: every range of blocks is read by this node itself. */
  readBatch?: BatchReader;
  /**
   * The node cannot go on. `internal`: a failed commit, a bug, or an endpoint of another chain, after which the
   * chain can still be watched from the last state on disk; `rival`: another process has the key, so that nothing
   * may be said any more, but the chain can be watched as after `internal`;
   * `replaced`: blocks that counted as confirmed were replaced, so that it has to begin again from the fork.
   */
  onFatal(reason: string, error: unknown, kind: FatalKind): void;
  /** Absent: it works as it should. */
  safeMode?: SafeMode;
};
export type FatalKind = 'internal' | 'rival' | 'replaced';
/**
 * Nothing is promised to anybody: the chain is followed and deadlines are kept, and that is all. `reason`:
 * why, and what the operator can do.
 */
export type SafeMode = { reason: string };

export function replacedChain({ reason }: SafeMode): Notification {
  const summary = 'Blocks that counted as confirmed were replaced';
  return { id: 'chain_replaced', summary, body: reason, urgency: 'high' };
}

/** What mediation of this token costs. */
export function feesOf({ fees }: Pick<NodeSettings, 'fees'>, token: Address): FeeTerms {
  return fees.byToken.get(token) ?? fees.others;
}

export type ContractAddresses = {
  contractsVersion: string;
  tokenNetworkRegistryAddress: Address;
  secretRegistryAddress: Address;
  serviceRegistryAddress: Address | null;
  userDepositAddress: Address | null;
  monitoringServiceAddress: Address | null;
  oneToNAddress: Address | null;
};
