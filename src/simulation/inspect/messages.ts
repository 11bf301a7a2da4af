/** The messages between the thread of an inspected run and the main thread. All of them are plain data. */
import type { Address } from '../../basics/hex.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Verdict } from '../report/results/result.ts';
import type { Source } from '../workers/order.ts';
import type { Back } from './milestones.ts';

/** The run to inspect: the same source with the same seed is the same run. */
export type Subject = { source: Source; seed: number };

/** The run goes on until it reaches one of these, and then pauses before the next moment. */
export type Goal = { steps: number; events: number; block: number; virtualMs: number };
export const NEVER = Number.POSITIVE_INFINITY;

/** The facts about the run and its nodes that the inspector needs. `revealTimeout` in blocks. */
export type Cast = {
  nodes: readonly { name: string; address: Address; revealTimeout: bigint }[];
  token: { address: Address; symbol: string; decimals: number };
  chainId: number;
  title: string;
  /** Number of blocks of the scenario. */
  blocks: number;
  /** Virtual milliseconds between two blocks. */
  blockMs: number;
};

/** How far the run has come. */
export type Standing = {
  /** Number of steps that are done. */
  steps: number;
  /** Number of events that are in the trace. */
  events: number;
  /** Virtual milliseconds since the simulated world began. */
  virtualMs: number;
  block: number;
  payments: number;
  trace: string;
  /** Nodes whose process does not run. */
  down: readonly string[];
} & Back;

export type Ask = { type: 'perform'; subject: Subject } | { type: 'go'; goal: Goal };
export type Committed = { index: number; batch: Batch };
/** How a run ended. */
export type Outcome = { verdict: Verdict; text: string };
export type Reply =
  | { type: 'cast'; cast: Cast }
  | { type: 'commits'; commits: readonly Committed[] }
  /**
   * `latest`: the newest events. `isReached`: the goal was reached; else the run is still on its way, and waits for
   * a goal again.
   */
  | { type: 'stands'; standing: Standing; isReached: boolean; latest: readonly string[] }
  | { type: 'over'; standing: Standing; outcome: Outcome; latest: readonly string[] };
