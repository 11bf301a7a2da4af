/** The order for one run in a thread, and its outcome. All of it is plain data that threads can exchange. */
import { createMeetings, type Met, NOTHING_MET } from '../explore/meetings.ts';
import { simulateInParts } from '../part-thread/in-parts.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Run } from '../run/build.ts';
import { CRASH_SEED, crashesOf } from '../run/crash-points.ts';
import { MIX, mixScenario } from '../run/mix/mix.ts';
import type { Crash, Progress } from '../run/play.ts';
import { crashSummary, type Summary, summaryOf } from '../run/summary.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { createEventWindow, type Window } from './event-window.ts';
import { realNow } from './real-clock.ts';
import { heldAgainst } from './repeat.ts';
import { type StrategySource, strategiesOf } from './strategies-of.ts';

/**
 * What to run: a scenario; a small random network for each seed; or crash runs, in which the "seed" is the number
 * of the run.
 */
export type Source =
  | { kind: typeof MIX }
  | { kind: 'scenario'; scenario: Scenario }
  | { kind: 'crashes'; scenario: Scenario; points: readonly Crash[]; deaths: 1 | 2 };
export type Order = {
  source: Source;
  seed: number;
  /** Commit of the program, for reports; null: not known. */
  commit: string | null;
  /** The whole result is wanted, not only its summary. */
  isWhole: boolean;
  /** The part of the events that is wanted; null: none. */
  events: Window | null;
  /** The run is made twice, and must give the same result. */
  isMadeTwice?: boolean;
  /** The record of each payment is wanted; absent: they are not. */
  arePaymentsWanted?: boolean;
  /** Absent: none. In another thread, only the URL of a module. */
  strategies?: StrategySource;
  /** The pairs and outcomes that the actors met are wanted; absent: they are not. */
  isMetWanted?: boolean;
};
export type Outcome = {
  summary: Summary;
  /** Null when it was not wanted, and when the program failed. */
  result: RunResult | null;
  events: readonly string[];
  /** Empty when they were not wanted. */
  payments: PaymentRecord[];
  /** Empty when it was not wanted. */
  met: Met;
};
export type Reply =
  | { type: 'progress'; progress: Progress }
  | { type: 'outcome'; outcome: Outcome };

/** The least number of milliseconds between two reports of progress. */
const PROGRESS_MS = 100;

type Hooks = { isStopped(): boolean; onProgress(progress: Progress): void };

function runOf(source: Source, seed: number) {
  if (source.kind === MIX) return { scenario: mixScenario(seed), seed };
  const { scenario } = source;
  if (source.kind === 'scenario') return { scenario, seed };
  return { scenario, seed: CRASH_SEED, crashes: crashesOf(source.points, source.deaths, seed) };
}

/** Makes the run in this very thread, whose globals are then those of the simulated world. */
export async function carryOut(order: Order, hooks: Hooks): Promise<Outcome> {
  const { source, seed, commit, isWhole } = order;
  const begun = realNow();
  const window = order.events === null ? null : createEventWindow(order.events);
  const payments: PaymentRecord[] = [];
  let told = begun;
  const onBlock = (progress: Progress) => {
    if (realNow() - told >= PROGRESS_MS) {
      told = realNow();
      hooks.onProgress(progress);
    }
    return window?.isOver(progress.steps) !== true;
  };
  const failed = (text: string): Outcome => {
    const summary = crashSummary(seed, text, Math.round(realNow() - begun));
    return { summary, result: null, events: window?.lines() ?? [], payments, met: NOTHING_MET };
  };
  try {
    const onEvent = window === null ? {} : { onEvent: window.note };
    const { isStopped } = hooks;
    const found = await strategiesOf(order.strategies ?? []);
    if (!found.ok) return failed(found.problem);
    const run = { ...runOf(source, seed), strategies: found.strategies };
    const { watch, met } = order.isMetWanted === true ? noteMeetings() : UNWATCHED;
    const onPayment = (record: PaymentRecord) => void payments.push(record);
    const records = order.arePaymentsWanted === true ? { onPayment } : {};
    const given = { ...run, commit, isStopped, onBlock, ...onEvent, ...records, ...watch };
    const first = await simulateInParts(given);
    const result = order.isMadeTwice
      ? heldAgainst(first, await simulateInParts({ ...run, isStopped }))
      : first;
    const wallMs = Math.round(realNow() - begun);
    return {
      summary: { ...summaryOf(result, wallMs), seed },
      result: isWhole ? { ...result, wallMs } : null,
      events: window?.lines() ?? [],
      payments,
      met: met(),
    };
  } catch (error) {
    return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

const UNWATCHED = { watch: {}, met: () => NOTHING_MET };

/** Records the meetings of nodes that are honest, and whose disks have kept what they promised. */
function noteMeetings() {
  let built: Run | null = null;
  const meetings = createMeetings((index) => built?.trust.isTrusted(index) ?? false);
  const onBuilt = (run: Run) => {
    built = run;
  };
  return { watch: { onBuilt, onCommit: meetings.commit }, met: meetings.met };
}
