/** Runs a scenario in the way that the options of `sluice simulate` choose. */
import type { Nothing, Values } from '../options/settings.ts';
import { readGiven } from './given.ts';
import { inspect } from './inspect.ts';
import { live } from './live.ts';
import type { RUN_OPTIONS } from './options.ts';
import { badUsage } from './output.ts';
import { runMany, runOne } from './run.ts';

/** The exit code. `main`: the file with which this program was started. */
export async function runScenario(
  place: string,
  options: Values<typeof RUN_OPTIONS>,
  main: string,
): Promise<number> {
  const { seed: chosen, seeds, port, at, isLive, blockTime, ...others } = options;
  const { out, isJson, workers, minutes, isStoppedByFailure, ...left } = others;
  left satisfies Nothing;
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const seed = chosen ?? given.seed;
  if (port !== null) return inspect(given, { seed, port, at: at ?? 0 });
  if (isLive) return live(given, { seed, out, blockTime, main });
  if (seeds === null) return runOne(given, seed, { out, isJson });
  return runMany(given, { seeds, out, isJson, workers, minutes, isStoppedByFailure });
}
