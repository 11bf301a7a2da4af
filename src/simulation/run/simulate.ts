/** Runs a scenario with a seed and returns the result. The same scenario and seed always give the same result. */
import type { Batch } from '../../store/base/batch.ts';
import type { Seat } from '../parts/meeting.ts';
import { addUp, type Partial, withOthers } from '../parts/partial.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { createGateway } from '../services/gateway.ts';
import { installGlobals } from '../world/globals.ts';
import { createRandomness } from '../world/randomness.ts';
import { createScheduler } from '../world/scheduler.ts';
import { build, type Run, type RunEvent, WORLD_BEGINS } from './build.ts';
import type { Disks } from './disks.ts';
import { type PlayOptions, pay, play } from './play.ts';
import { resultOf } from './result-of.ts';
import { createPlayers, type Players } from './strategies/players.ts';
import type { Strategy } from './strategies/strategy.ts';

export type SimulateOptions = Omit<PlayOptions, 'players'> & {
  scenario: Scenario;
  seed: number;
  /** What chosen nodes do as their owners would; what one throws is thrown. */
  strategies?: readonly Strategy[];
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
  /** The nodes' disks; absent: those of the scenario. */
  disks?: Disks;
};

/**
 * Runs the scenario in this thread, or with a seat only one part of it; resolves with its result, also when an invariant was
 * violated or the run was stopped. `others`: what the other parts have found in the end; they count in the result.
 */
export function simulate(
  options: SimulateOptions & { seat?: Seat },
  others: () => Promise<readonly Partial[]> = async () => [],
): Promise<RunResult> {
  return perform(options, async (run, isStopped) => {
    const partials = await others();
    addUp(run, partials);
    const commit = options.commit ?? null;
    return withOthers(await resultOf(run, { isStopped, commit }), partials);
  });
}

/** Runs one part of the scenario, for whoever runs the first. */
export function simulatePart(options: SimulateOptions & { seat: Seat }): Promise<Partial> {
  return perform(options, async (run, isStopped) => ({
    index: options.seat.index,
    head: run.world.chain.head().hash,
    tally: run.tally.raw(),
    result: await resultOf(run, { isStopped, commit: null }),
    payments: [],
  }));
}

/** Builds the world and plays the run; `end` makes of it what is wanted, while the globals are those of the world. */
async function perform<T>(
  options: SimulateOptions & { seat?: Seat },
  end: (run: Run, isStopped: boolean) => Promise<T>,
): Promise<T> {
  const scheduler = createScheduler(WORLD_BEGINS);
  const randomness = createRandomness(options.seed);
  const gateway = createGateway({ scheduler, draw: randomness.of('gateway') });
  const draw = randomness.of('libraries');
  const restore = installGlobals({ scheduler, draw, fetch: gateway.fetch });
  try {
    let players: Players | null = null;
    const onCommit = (index: number, batch: Batch) => {
      options.onCommit?.(index, batch);
      players?.commit(index, batch);
    };
    const run = build({ ...options, gateway, onCommit }, scheduler, randomness);
    players = playersOf(run, options.strategies ?? []);
    try {
      options.onBuilt?.(run);
      const isStopped = await play(run, { ...options, players });
      run.gate?.leave();
      run.payments.end();
      return await end(run, isStopped);
    } finally {
      run.end();
    }
  } finally {
    restore();
  }
}

/** The strategies of the run, each of which acts for its nodes. */
function playersOf(run: Run, strategies: readonly Strategy[]): Players {
  const { world, scheduler, plan, randomness, channels, scenario, trace, indexOf } = run;
  return createPlayers({
    ...{ strategies, world, scheduler, randomness, channels, indexOf },
    nodes: plan.nodes,
    blockMs: scenario.chain.blockTime * 1000,
    block: () => Number(world.chain.head().number) - run.firstBlock,
    begun: () => run.begun,
    pay: (order, onEnd) => pay(run, { ...order, lockTimeout: null }, onEnd),
    note: (who, text) => trace.note(who, text),
    soon: (work) => void scheduler.after(0, work),
  });
}
