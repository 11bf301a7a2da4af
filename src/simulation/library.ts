/**
 * The simulator as a library for other programs, `sluice/simulation`: takes scenarios, returns results. A run has a
 * thread of its own, so that the caller's clock, timers and random numbers stay real.
 */
import { pathToFileURL } from 'node:url';
import { compareMany, type PairedFigure } from './report/compare.ts';
import { type Estimate, estimate, estimateDifference, type FigureOf } from './report/estimates.ts';
import { writeJson } from './report/json.ts';
import { writeHtml } from './report/page/html.ts';
import type { PaymentRecord } from './report/payment-records.ts';
import type { RunResult } from './report/results/result.ts';
import { mixScenario } from './run/mix/mix.ts';
import type { Progress } from './run/play.ts';
import type {
  Answer,
  Fees,
  NodePayment,
  OpenChannel,
  OwnChannel,
  OwnNode,
  Reactions,
  Strategy,
} from './run/strategies/strategy.ts';
import { type Figures, figuresOf } from './run/summary.ts';
import { readScenario, scenarioNames } from './scenario/catalogue.ts';
import { type Parsed, type Problem, parseScenario } from './scenario/parse.ts';
import type { Scenario } from './scenario/schema/schema.ts';
import { type Swept, sweep, type Variant } from './scenario/sweep.ts';
import { buildNetwork as build, type NetworkPlan } from './scenario/topology.ts';
import { runSeeds, type SeedRange } from './workers/run-seeds.ts';
import { createRunner } from './workers/runner.ts';
import { createStopper, type Stopper } from './workers/stopper.ts';
import type { StrategySource } from './workers/strategies-of.ts';
import { createRandomness } from './world/randomness.ts';

export type SimulationOptions = {
  /** A scenario from `parseScenario`, `sweep` or `mixScenario`, or the text of a scenario file. */
  scenario: Scenario | string;
  /** Decides all random numbers of the run; absent: the scenario's own seed. */
  seed?: number;
  onProgress?: (progress: Progress) => void;
  /** Stops the run, which then resolves with the results so far and the verdict "stopped". */
  signal?: AbortSignal;
  /** Runs in this thread, whose clock, timers, random numbers and `fetch` are then those of the simulated world. */
  isHere?: boolean;
  /**
   * What chosen nodes do as their owners would: a list with `isHere`, or the path of a module whose default export is a
   * list (from the current folder; or a URL), which each thread imports.
   */
  strategies?: readonly Strategy[] | string | URL;
  /** Called with the record of each payment when the run is over, in the order in which they ended. */
  onPayment?: (record: PaymentRecord) => void;
};

/** Throws when the text is no scenario, and when the simulator itself fails. */
export async function simulate(options: SimulationOptions): Promise<RunResult> {
  const { onProgress, onPayment, signal, isHere = false } = options;
  const scenario = scenarioOf(options.scenario);
  const seed = options.seed ?? scenario.seed;
  const runner = createRunner({ stopper: stopperOf(signal), isHere });
  const source = { kind: 'scenario', scenario } as const;
  const strategies = strategySource(options);
  const wanted = { isWhole: true, strategies, arePaymentsWanted: onPayment !== undefined };
  const order = { source, seed, commit: null, ...wanted, events: null };
  const { result, summary, payments } = await runner.run(order, onProgress);
  await runner.end();
  if (result === null) throw new Error(`the simulation failed: ${summary.violation?.text}`);
  for (const record of payments) onPayment?.(record);
  return result;
}

export type SeedsOptions = {
  scenario: Scenario | string;
  /** The first and the last seed, both included. */
  seeds: SeedRange;
  /** How many runs at the same time; absent: 1. */
  workers?: number;
  onProgress?: (done: number, all: number) => void;
  /** Called with the records of a run when it is over, whichever run that is. */
  onPayment?: (record: PaymentRecord, seed: number) => void;
} & Pick<SimulationOptions, 'isHere' | 'signal' | 'strategies'>;

/** One run with each seed, in their order. Throws as `simulate` does. */
export async function simulateSeeds(options: SeedsOptions): Promise<RunResult[]> {
  const { seeds, workers = 1, onProgress, onPayment, signal, isHere = false } = options;
  const outcomes = await runSeeds({
    source: { kind: 'scenario', scenario: scenarioOf(options.scenario) },
    seeds,
    workers,
    stopper: stopperOf(signal),
    isWhole: true,
    isHere,
    strategies: strategySource(options),
    ...(onPayment === undefined ? {} : { onPayment }),
    onProgress: ({ done, all }) => onProgress?.(done, all),
  });
  return outcomes.map(({ result, summary }) => {
    if (result !== null) return result;
    throw new Error(`the simulation failed with seed ${summary.seed}: ${summary.violation?.text}`);
  });
}

/** The nodes of a scenario and their channels with deposits, before anything happens. */
export function buildNetwork(scenario: Scenario, seed: number = scenario.seed): NetworkPlan {
  return build(scenario, createRandomness(seed));
}

function scenarioOf(given: Scenario | string): Scenario {
  if (typeof given !== 'string') return given;
  const parsed = parseScenario(given, 'scenario');
  if (parsed.ok) return parsed.scenario;
  const [problem] = parsed.problems;
  throw new Error(
    `this is no scenario: line ${problem?.line ?? '?'}: ${problem?.path} ${problem?.text}`,
  );
}

/** Functions do not cross threads. */
function strategySource({
  strategies = [],
  isHere = false,
}: Pick<SimulationOptions, 'isHere' | 'strategies'>): StrategySource {
  if (typeof strategies === 'string') return pathToFileURL(strategies).href;
  if (strategies instanceof URL) return strategies.href;
  if (strategies.length > 0 && !isHere)
    throw new Error(
      'strategies run in this thread (isHere: true), or come as the path of a module',
    );
  return strategies;
}

function stopperOf(signal: AbortSignal | undefined): Stopper {
  const stopper = createStopper();
  if (signal?.aborted === true) stopper.stop();
  signal?.addEventListener('abort', () => stopper.stop(), { once: true });
  return stopper;
}

export type {
  Answer,
  Estimate,
  Fees,
  FigureOf,
  Figures,
  NetworkPlan,
  NodePayment,
  OpenChannel,
  OwnChannel,
  OwnNode,
  PairedFigure,
  Parsed,
  PaymentRecord,
  Problem,
  Progress,
  Reactions,
  RunResult,
  Scenario,
  SeedRange,
  Strategy,
  Swept,
  Variant,
};
export {
  compareMany,
  estimate,
  estimateDifference,
  figuresOf,
  mixScenario,
  parseScenario,
  readScenario,
  scenarioNames,
  sweep,
  writeHtml,
  writeJson,
};
