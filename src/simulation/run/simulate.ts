/** Runs a scenario with a seed and returns the result. The same scenario and seed always give the same result. */
import type { Batch } from '../../store/base/batch.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { createGateway } from '../services/gateway.ts';
import { installGlobals } from '../world/globals.ts';
import { createRandomness } from '../world/randomness.ts';
import { createScheduler } from '../world/scheduler.ts';
import { build, type Run, type RunEvent, WORLD_BEGINS } from './build.ts';
import { type PlayOptions, play } from './play.ts';
import { resultOf } from './result-of.ts';

export type SimulateOptions = PlayOptions & {
  scenario: Scenario;
  seed: number;
  /** Commit of the program, for the report. */
  commit?: string | null;
  /** Called with everything that goes into the trace. */
  onEvent?: (event: RunEvent) => void;
  /** Called with the world that was built, before anything happens in it. */
  onBuilt?: (run: Run) => void;
  /** Called with each batch that is written to the disk of a node, in order. */
  onCommit?: (index: number, batch: Batch) => void;
  /** Called with the record of each payment, in the order in which they end. */
  onPayment?: (record: PaymentRecord) => void;
  /** Called at each point at which a node could die, from the scenario's first block on. */
  onPoint?: (index: number, point: string) => void;
};

/** Runs the scenario; resolves with its result, also when an invariant was violated or the run was stopped. */
export async function simulate(options: SimulateOptions): Promise<RunResult> {
  const scheduler = createScheduler(WORLD_BEGINS);
  const randomness = createRandomness(options.seed);
  const gateway = createGateway({ scheduler, draw: randomness.of('gateway') });
  const draw = randomness.of('libraries');
  const restore = installGlobals({ scheduler, draw, fetch: gateway.fetch });
  try {
    const run = build({ ...options, gateway }, scheduler, randomness);
    try {
      options.onBuilt?.(run);
      const isStopped = await play(run, options);
      run.payments.end();
      return await resultOf(run, { isStopped, commit: options.commit ?? null });
    } finally {
      run.end();
    }
  } finally {
    restore();
  }
}
