/** The options with which a devnet is started, and the hooks by which it reports what happens. */

import type { Log } from '../basics/environment.ts';
import type { DeployOptions } from '../contracts/deploy.ts';
import type { LogLevel } from '../inspector/devnet-wire.ts';
import type { NetworkFile } from './network-file.ts';

/** How this program is started, e.g. `['node', 'dist/src/cli/main.js']`. */
export type Program = readonly [command: string, ...args: string[]];
/** The timeouts of new channels, in the words of the API; those left out are the nodes' defaults. */
export type OpenTimeouts = { settle_timeout?: string; reveal_timeout?: string };

export type DevnetOptions = {
  version: string;
  nodes: number;
  /** The first node's port, then the next free ones; 0 lets the system choose each, the chain's too. */
  apiPort: number;
  apiConcurrency: number;
  apiQueueSeconds: number;
  concurrentReads: boolean;
  /** Defaults of every node, in blocks. */
  settleTimeout: bigint;
  revealTimeout: bigint;
  /** Seconds. */
  blockTime: number;
  /** An empty folder, which is kept at the end; null: a temporary one, removed with the devnet. */
  data: string | null;
  /** The URL of a running broker; null: the devnet starts its own if nats-server is installed. */
  nats: string | null;
  contracts: Pick<DeployOptions, 'maxTokenNetworks' | 'settleTimeoutMin' | 'settleTimeoutMax'>;
  /** How to start each node as a process of its own; null: all nodes run in this process. */
  program: Program | null;
  isOpen: boolean;
  /** The timeouts of the channels that the devnet opens. */
  openTimeouts: OpenTimeouts;
  /** Whether nodes can be cut off from the broker, if it belongs to this devnet. */
  hasGates: boolean;
  /** Whether path-finding, monitoring and an echo node run beside the nodes. */
  hasServices: boolean;
  /** Whether the second node, or the only one, sells a small API by the call. */
  hasPaywall: boolean;
  readyFile: string | null;
  /** The channels that are opened when every node runs; null: none are, see `isOpen`. */
  network: NetworkFile | null;
};

export type DevnetHooks = {
  /** Called with sentences that say what is being done. */
  say: (text: string) => void;
  /** The log of a node or service of this process. `onLine` gets its lines from `info` on, for people, without secrets. */
  logOf: (name: string, onLine: (line: string) => void) => Log;
  /** Called with each line that a node or service in a process of its own writes, from `info` on. */
  onLine: (name: string, line: string, level: LogLevel | null) => void;
  /** Called when a node ended unexpectedly; the others continue. `reason` is a phrase to put after its name. */
  onNodeEnded: (name: string, reason: string) => void;
  /** Called when a part that all others need ended by itself; nothing else is stopped yet. */
  onTrouble: (reason: string) => void;
};
