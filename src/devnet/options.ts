/** What a devnet is started with, and whom it tells what happens. */
import type { DeployOptions } from '../contracts/deploy.ts';
import type { Log } from '../protocol/environment.ts';
import type { OpenTimeouts } from './first-payment.ts';
import type { Program } from './processes.ts';

export type DevnetOptions = {
  version: string;
  nodes: number;
  /** The first node's port, then the next free ones; 0 lets the system choose each, the chain's too. */
  apiPort: number;
  apiConcurrency: number;
  concurrentReads: boolean;
  /** Defaults of every node, in blocks. */
  settleTimeout: bigint;
  revealTimeout: bigint;
  /** Seconds. */
  blockTime: number;
  /** A folder without content that is kept; null: a temporary one that goes with the devnet. */
  data: string | null;
  /** A broker that runs already; null: one of its own when nats-server is installed. */
  nats: string | null;
  contracts: Pick<DeployOptions, 'maxTokenNetworks' | 'settleTimeoutMin' | 'settleTimeoutMax'>;
  /** How to start each node as a process of its own; null: all run in this one. */
  program: Program | null;
  isOpen: boolean;
  /** Of channels that are opened here. */
  openTimeouts: OpenTimeouts;
  /** Whether nodes can be cut off from a broker of this devnet's own. */
  hasGates: boolean;
  /** Whether path-finding, monitoring and an echo node run beside the nodes. */
  hasServices: boolean;
  readyFile: string | null;
};

export type DevnetHooks = {
  /** Told what is being done, one sentence each. */
  say: (text: string) => void;
  logOf: (name: string) => Log;
  /** A node ended, though nobody asked for that: the others go on. `reason` follows its name. */
  onNodeEnded: (name: string, reason: string) => void;
  /** A part that all need ended by itself: nothing is stopped yet. */
  onTrouble: (reason: string) => void;
};
