/** What passes between the thread in which a run is inspected and those who inspect it. All of it is data. */
import type { Address } from '../../protocol/hex.ts';
import type { Batch } from '../../store/batch.ts';
import type { Verdict } from '../report/result.ts';
import type { Source } from '../workers/order.ts';
import type { Back } from './milestones.ts';

/** What is inspected: the same source with the same seed is the same run. */
export type Subject = { source: Source; seed: number };

/** The run goes on until it comes to one of these, and stands still before that moment. */
export type Goal = { steps: number; events: number; block: number; virtualMs: number };
export const NEVER = Number.POSITIVE_INFINITY;

/** Who runs: what the inspector has to know of them. `revealTimeout` in blocks. */
export type Cast = {
  nodes: readonly { name: string; address: Address; revealTimeout: bigint }[];
  token: { address: Address; symbol: string; decimals: number };
  chainId: number;
  title: string;
  /** Of the scenario. */
  blocks: number;
  /** Between two blocks. */
  blockMs: number;
};

/** Where the run stands. */
export type Standing = {
  /** Steps that were done. */
  steps: number;
  /** That went into the trace. */
  events: number;
  /** Since the simulated world began. */
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
  /** `latest`: the newest events. `isReached`: as far as it was told to go; else it is on its way, and wants to be told again. */
  | { type: 'stands'; standing: Standing; isReached: boolean; latest: readonly string[] }
  | { type: 'over'; standing: Standing; outcome: Outcome; latest: readonly string[] };
