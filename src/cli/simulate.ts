/** `sluice simulate`: networks of nodes in virtual time. */
import { Command } from 'commander';
import { declare, flag, readerOf, type Setting, usageError } from './settings.ts';
import { attackCommand } from './simulate/attack.ts';
import { listCommand, showCommand } from './simulate/catalogue.ts';
import { compareCommand } from './simulate/compare.ts';
import { readGiven } from './simulate/given.ts';
import { badUsage, endWithReader } from './simulate/output.ts';
import { replayCommand } from './simulate/replay.ts';
import { runMany, runOne } from './simulate/run.ts';
import { JSON_RESULT, OUT, SEED, SEEDS, WORKERS } from './simulate/settings.ts';
import { shrinkCommand } from './simulate/shrink.ts';
import { sweepCommand } from './simulate/sweep.ts';

const STOP_AT_FIRST = flag('--stop-at-first', 'with --seeds: begin no run after one that failed');
const SETTINGS: Setting<unknown>[] = [SEED, SEEDS, WORKERS, OUT, JSON_RESULT, STOP_AT_FIRST];

export function simulateCommand(): Command {
  const command = new Command('simulate')
    .description('run a network of nodes in virtual time, from a scenario and a seed')
    .usage('[options] <scenario> | <command>')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix')
    // The options of a command of it are that command's own.
    .enablePositionalOptions()
    .hook('preAction', endWithReader);
  declare(command, SETTINGS).action(async (place: string) => {
    process.exit(await runScenario(command, place));
  });
  const commands = [
    ...[listCommand(), showCommand(), replayCommand(), shrinkCommand()],
    ...[sweepCommand(), compareCommand(), attackCommand()],
  ];
  for (const one of commands) command.addCommand(strict(one));
  return strict(command);
}

/** 1 says that a run failed: whatever the command line is refused for ends with 2. */
function strict(command: Command): Command {
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

/** The exit code. */
async function runScenario(command: Command, place: string): Promise<number> {
  const read = readerOf(command);
  const seed = read(SEED);
  const seeds = read(SEEDS);
  const choices = { out: read(OUT), isJson: read(JSON_RESULT) };
  const isStoppedByFailure = read(STOP_AT_FIRST);
  const workers = read(WORKERS);
  if (seed !== null && seeds !== null) usageError(command, 'give --seed or --seeds, not both');
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  return seeds === null
    ? runOne(given, seed ?? given.seed, choices)
    : runMany(given, { ...choices, seeds, workers, isStoppedByFailure });
}
