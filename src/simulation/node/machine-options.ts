/** What a simulated machine is made of, and who is told what it does. */

import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { BatchReader } from '../../chain/watch/batches.ts';
import type { BoundName } from '../../node/runtime/knowledge/bounds.ts';
import type { NodeParts, NodeSettings } from '../../node/runtime/parts.ts';
import type { UnsaidMessage } from '../../node/start.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Batch, OutboxRow } from '../../store/base/batch.ts';
import type { Store } from '../../store/store.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Asker } from '../services/gateway.ts';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';
import type { Process } from './process.ts';

type Request = { method: string; params?: unknown };

type Disk = {
  /** Opens the store for a new process; null: it is refused, and ends. */
  open(): Store | null;
  /** The process is dead; so many of its last writes were never really on the disk. */
  crash(lost: number): void;
  /** How many writes have changed something. */
  writes(): number;
};
/** What a process with a replica begins its node with. */
export type Claimed = { store: Store; replica?: NonNullable<NodeParts['replica']> };
export type MachineOptions = {
  name: string;
  signer: Signer;
  /** The settings for each process. */
  settingsFor(asker: Asker): NodeSettings;
  /** Address of the registry of token networks. */
  registry: Address;
  scheduler: Scheduler;
  trace: Trace;
  draw: Draw;
  disk: Disk;
  /**
   * Waits until the process may begin its node, and opens the store for it; null: it may not, and ends. Absent: it
   * begins at once, and the database is replicated nowhere.
   */
  claim?(process: Process): Promise<Claimed | null>;
  crypto: Pick<NodeParts, 'recover' | 'addressOf' | 'cipher'>;
  /** The chain as this node sees it; `ask` answers the calls of its process. */
  connect(ask: (request: Request) => Promise<unknown>): ChainClient;
  request(request: Request): Promise<unknown>;
  /** Reads ranges of blocks for the process with this client. */
  readerOf(client: ChainClient): BatchReader;
  /** Absent: its processes read what is broadcast by themselves. */
  broadcasts?: NonNullable<NodeParts['broadcasts']>;
  /** Absent: the node finds routes as its settings say. */
  routes?: NonNullable<NodeParts['routes']>;
  join(address: Address, processId: string): Transport;
  /** Disconnects a process from the network, as when it dies. */
  cutOff(processId: string): void;
  /** The shortest period of the node's timers, in milliseconds. */
  tickMs: number;
  /** The share of a core that runs the process; null: its code takes no time. */
  core: number | null;
  /** Draws how much a disk that is late loses when the process dies; null: the disk is never late. */
  power: Draw | null;
  watcher: MachineWatcher;
};
/** Called about what the node does. */
export type MachineWatcher = {
  /** The batch is on disk, and nothing of it was carried out yet. An exception is a violation. */
  onCommit(batch: Batch): void;
  /** The process has written: what it still means to say, and what the disk has of that; absent: nobody compares them. */
  onWritten?(unsaid: Iterable<UnsaidMessage>, rows: readonly OutboxRow[]): void;
  /** The node passes a fault point, whose name is one of FAULT_POINTS. */
  onPoint(point: string): void;
  /** The node refuses something because of a bound; absent: nobody counts. */
  onBound?(bound: BoundName): void;
  onDeath(): void;
  /** The node reports that it cannot go on. */
  onFatal(reason: string, error: unknown, kind: string): void;
  /** The machine does what it must not. */
  onViolation(violation: Violation): void;
};
