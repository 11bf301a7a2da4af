/** Runs a scenario in the way that the options of `sluice simulate` choose. */
import type { SeedRange } from '../../simulation/workers/run-seeds.ts';
import { readGiven } from './given.ts';
import { inspect } from './inspect.ts';
import { live } from './live.ts';
import { badUsage } from './output.ts';
import { runMany, runOne } from './run.ts';

type Choices = {
  seed: number | null;
  seeds: SeedRange | null;
  out: string | null;
  isJson: boolean;
  isLive: boolean;
  blockTime: number;
  isStoppedByFailure: boolean;
  workers: number;
  minutes: number | null;
  port: number | null;
  at: number | null;
};

/** The exit code. `main`: the file with which this program was started. */
export async function runScenario(place: string, choices: Choices, main: string): Promise<number> {
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const { seeds, port, at, out, blockTime } = choices;
  const seed = choices.seed ?? given.seed;
  if (port !== null) return inspect(given, { seed, port, at: at ?? 0 });
  if (choices.isLive) return live(given, { seed, out, blockTime, main });
  return seeds === null ? runOne(given, seed, choices) : runMany(given, { ...choices, seeds });
}
