/**
 * The settings and parts that a node is built from. The command line builds the parts; the simulator replaces some of
 * them, such as clock and chance.
 */

import type { Chance, Clock, Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { ChainReads } from '../../chain/reads.ts';
import type { BatchReader } from '../../chain/watch/batches.ts';
import type { Transport } from '../../partner/transport.ts';
import type { FeeTerms } from '../../protocol/fees/fee-terms.ts';
import type { ServiceMessageReader } from '../../protocol/services/service-messages.ts';
import type { Cipher } from '../../signer/seal.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Store } from '../../store/store.ts';
import type { OwnChannels } from './actors/own-channels.ts';
import type { Notification } from './commits/records.ts';
import type { BoundName, Bounds } from './knowledge/bounds.ts';
import type { DiskSpace } from './knowledge/disk-watch.ts';
import type { FileWatch } from './knowledge/file-watch.ts';
import type { LockRule } from './knowledge/lock-gate.ts';
import type { Meter } from './knowledge/meter.ts';
import type { RouteFinder } from './knowledge/route-finder.ts';

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
  /** Refuses to register or mint tokens: set on the main network, or by the operator. */
  isProduction: boolean;
  pathfindingServiceAddress: string | null;
  /** `pfs` asks the service at `pathfindingServiceAddress`; `local` finds routes on an own copy of the network. */
  routingMode: 'pfs' | 'local';
  /** Whether routes are searched on an own copy of the network while the path-finding service fails. */
  hasRoutingFallback: boolean;
  /** What mediation costs: for some tokens by name, and for all others. */
  fees: { byToken: ReadonlyMap<Address, FeeTerms>; others: FeeTerms };
  /**
   * For each token that the operator has named, the wei that 10^18 of its smallest units are worth; absent: none was
   * named.
   */
  tokenValues?: ReadonlyMap<Address, bigint>;
  /** Smallest units of the service token that a monitoring service gets as reward; null: no service is asked. */
  monitoringReward: bigint | null;
  /** URL that answers the newest release; null: nobody is asked. */
  releaseFeed: string | null;
  /** Limits of token networks that this node registers, in the token's smallest unit. */
  depositLimits: { participantLimit: bigint; networkLimit: bigint };
  /** Milliseconds after which payments and the logs of channels that are gone are deleted; absent: never. */
  keepHistoryMs?: number | null;
  /** Milliseconds between two looks at the chain's head. */
  pollIntervalMs: number;
  /** Absent: the usual ones. */
  bounds?: Partial<Bounds>;
};

export type NodeParts = {
  store: Store;
  signer: Signer;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** The address of a compressed public key, 33 bytes from anybody; null when they are no public key. */
  addressOf(publicKey: Uint8Array): Address | null;
  /** What messages are sealed with; absent: AES-256-GCM. */
  cipher?: Cipher;
  client: ChainClient;
  reads: ChainReads;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  log: Log;
  fault: Fault;
  /** Absent: the free space on disk is not watched. */
  disk?: DiskSpace;
  /** Absent: nobody looks whether the node's files still lie where they were. */
  files?: FileWatch;
  /** Absent: nothing is measured. */
  meter?: Meter;
  /** Called when something is refused because of a bound; absent: nobody counts. */
  onBound?: (bound: BoundName) => void;
  /** Checks the books after every commit, and ends the node when they are wrong: for tests. */
  checkBooks?: boolean;
  /** Absent: the finder of the settings' routing mode. */
  routes?: (own: OwnChannels) => RouteFinder;
  /** Absent: every range of blocks is read by this node itself. */
  readBatch?: BatchReader;
  /** Absent: what is broadcast is read by this node itself. */
  broadcasts?: ServiceMessageReader;
  /**
   * Called when the node cannot go on. `internal`: a failed commit, a bug, or an endpoint of another chain; the chain
   * can still be watched from the last state on disk. `rival`: another process has the key, so nothing may be sent any
   * more, but the chain can be watched as after `internal`. `replaced`: blocks that counted as confirmed were replaced,
   * so the database has to go back to the fork. `returned`: what the node waited for is there. `fenced`: another node owns the replica, so nothing may be sent or signed;
   * `relieved`: so it does, as it was ordered to; `renewing`: the replica that was lost begins anew.
   * `rescued`: the database was deleted, and lies whole in its place again, from where the node has to begin; `misplaced`:
   * it lies whole in another place, from where the chain can be watched.
   */
  onFatal(reason: string, error: unknown, kind: FatalKind): void;
  /** Absent: the node works normally. */
  safeMode?: SafeMode;
  /** Absent: the database is replicated nowhere. */
  replica?: ReplicaWatch;
};
export type FatalKind =
  | 'internal'
  | 'rival'
  | 'replaced'
  | 'returned'
  | 'fenced'
  | 'relieved'
  | 'renewing'
  | 'rescued'
  | 'misplaced';
type Away = { since: number; message: string };
/** Where the database is replicated to, as the node sees it. */
type ReplicaWatch = {
  /** Since when it is away, in milliseconds since 1970, and why; null while it can be reached. */
  trouble(): Away | null;
  /** Whether what follows from a commit waits for it, by now. */
  isWaitedFor(): boolean;
  /** Whether another machine could go on in this one's place. */
  standby: {
    /** Asks whether one is there. Never rejects. */
    look(): Promise<void>;
    /** Since when there is none, in milliseconds since 1970; null: there is one; undefined: there never was. */
    missingSince(): number | null | undefined;
  };
  /** Whether this node has taken over from another one, of which the stream refuses everything before it can leave. */
  hasTakenOver: boolean;
  /** Whether nothing may be signed any more: another node has taken over. */
  isEnded(): boolean;
};
/**
 * In safe mode nothing is promised to anybody: the node only follows the chain and keeps deadlines. `reason`: why, and
 * what the operator can do.
 */
export type SafeMode = {
  reason: string;
  /** Another node with this key may have gone on, with newer balance proofs: no channel is closed. */
  isCloseHeld?: boolean;
};

export function replacedChain({ reason }: SafeMode): Notification {
  const summary = 'Blocks that counted as confirmed were replaced';
  return { id: 'chain_replaced', summary, body: reason, urgency: 'high' };
}

/** What the parts say against every lock. */
export const partsRule =
  ({ safeMode, files }: Pick<NodeParts, 'safeMode' | 'files'>): LockRule =>
  () => {
    if (safeMode !== undefined) return 'chain_unavailable';
    return (files?.database.trouble() ?? null) === null ? null : 'database_lost';
  };

/** Since when the replica is away, and why, if what follows from a commit waits for it; else null. */
export function replicaAway({ replica }: Pick<NodeParts, 'replica'>): Away | null {
  return replica?.isWaitedFor() === true ? replica.trouble() : null;
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
