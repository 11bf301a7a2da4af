/** One run: a scenario and a seed in, all that is known of it out. The same in, the same out. */
import type { RunResult } from '../report/result.ts';
import type { Scenario } from '../scenario/schema.ts';
import { installGlobals } from '../world/globals.ts';
import { createRandomness } from '../world/randomness.ts';
import { createScheduler } from '../world/scheduler.ts';
import { build } from './build.ts';
import { type PlayOptions, play } from './play.ts';
import { resultOf } from './result-of.ts';

export type SimulateOptions = PlayOptions & {
  scenario: Scenario;
  seed: number;
  /** Of the program, for the report. */
  commit?: string | null;
  /** Told of each point at which a node could die, from the scenario's first block on. */
  onPoint?: (index: number, point: string) => void;
};

/** When the simulated world begins: any moment, the same for all runs. */
const BEGIN = Date.UTC(2030, 0, 1);

/** Runs the scenario; resolves with its result, also when an invariant was violated or it was stopped. */
export async function simulate(options: SimulateOptions): Promise<RunResult> {
  const scheduler = createScheduler(BEGIN);
  const randomness = createRandomness(options.seed);
  const restore = installGlobals({
    scheduler,
    draw: randomness.of('libraries'),
    fetch: () => Promise.reject(new TypeError('there is no such server')),
  });
  try {
    const run = build(options, scheduler, randomness);
    const isStopped = await play(run, options);
    return await resultOf(run, { isStopped, commit: options.commit ?? null });
  } finally {
    restore();
  }
}
