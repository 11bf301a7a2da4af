/**
 * What the inspector of a devnet or of a simulation sends besides: its nodes, what a reader may do with them, and the
 * time that the reader of a simulation controls. Numbers are plain.
 */
import type { Address } from '../basics/hex.ts';

/**
 * `GET /inspector/nodes` of a devnet's own inspector: its nodes. Each node's own endpoints under `/inspector/` are
 * found under its `base` (relative, with a slash at its end).
 */
export type DevnetNodes = {
  /** It is a simulation, and the reader controls its time: `GET` and `POST /inspector/time`. */
  hasTime?: true;
  /** It is a devnet that the reader may play with, see `PlayView`. */
  canPlay?: true;
  nodes: readonly { name: string; address: Address; base: string }[];
  tokens: readonly { address: Address; symbol: string; decimals: number }[];
};

/**
 * `stop` shuts a node down, `kill` ends its process at once, `start` starts it again; `disconnect` takes its
 * connection to the message broker, `connect` gives it back.
 */
export type PlayDeed = 'stop' | 'kill' | 'start' | 'disconnect' | 'connect';
export type PlayNode = {
  name: string;
  address: Address;
  /** The URL of the node's API, without a path. */
  api: string;
  pid: number;
  isRunning: boolean;
  /** What is being done to it; null: nothing. */
  busy: PlayDeed | null;
  /** The node has a process of its own, which can be killed. */
  canKill: boolean;
  /** Whether the node is connected to the message broker; null: it cannot be disconnected. */
  isConnected: boolean | null;
};
/**
 * `GET /devnet/` of a devnet. `POST /devnet/nodes` adds a node and answers with it when it takes calls. `POST /devnet/nodes/<name>/<deed>` answers with that node when it is done,
 * `POST /devnet/mine/<blocks>` with `{"mined": …}`, `POST /devnet/pace/<blocks a second>` with `{"pace": …}`. Below `/devnet/nodes/<name>/api/v1/` is the API of that node.
 */
export type PlayView = {
  rpc: string;
  /** Between two blocks, as they come now. */
  blockSeconds: number;
  /** Blocks a second that the devnet makes besides those of the chain; 0: none. */
  pace: number;
  nodes: readonly PlayNode[];
  /** The name of a node that is being added; null: none is. */
  coming: string | null;
  /** With so many nodes no more can be added. */
  mostNodes: number;
  /** Whose logs can be read: the nodes, and the shop, if there is one. */
  logs: readonly string[];
};

export type LogLevel = 'info' | 'warn' | 'error';
/** `level`: null for a line that is not of the log, such as what a process says when it dies. */
export type LogLine = { seq: number; level: LogLevel | null; text: string };
/**
 * `GET /devnet/logs/<name>?after=<seq>` of a devnet: the last lines of that one of `logs`, the oldest first. `last`: the number of
 * the newest line of any node; lower than the one that was asked for when the devnet is another one.
 */
export type NodeLog = { last: number; lines: readonly LogLine[] };

/** `GET /inspector/time` of a simulation. Numbers are plain: a simulated chain is short. */
export type TimeView = {
  /** Name of the scenario that runs. */
  title: string;
  seed: number;
  /**
   * Grows whenever the run starts again from its beginning, to go back in time: answers that were read before are
   * then out of date.
   */
  epoch: number;
  /** `seeking`: running to the step that was asked for. `failed`: the program itself failed, see `said`. */
  state: 'paused' | 'playing' | 'seeking' | 'over' | 'failed';
  /** Number of steps that are done. */
  step: number;
  /** The present block of the scenario, and how many blocks the scenario has. */
  block: number;
  blocks: number;
  /** Virtual seconds since the simulated world began. */
  seconds: number;
  payments: number;
  /** Hash of all that happened up to now. */
  trace: string;
  /** The speed while it plays, else 0. */
  blocksPerSecond: number;
  canGoBack: boolean;
  /** Nodes whose process does not run; they are shown as they were when it ended. */
  down: readonly string[];
  /** The outcome of the run as text once the run is over; null before. */
  said: string | null;
  /** What happened last, the newest at the end. */
  events: readonly string[];
};

/** The body of `POST /inspector/time`. The answer is the `TimeView` when the command is done, or after a second. */
export type TimeCommand =
  /** Move on to the next event or block, move back to the previous one, or stop. */
  | { do: 'step' | 'block' | 'step_back' | 'block_back' | 'pause' }
  | { do: 'play'; blocksPerSecond: number }
  /** Move to the last moment at which no more than this many steps are done. */
  | { do: 'go'; step: number };
