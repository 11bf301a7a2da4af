/** `sluice simulate`: runs networks of nodes in virtual time. */
import { Command } from 'commander';
import {
  declare,
  defaulting,
  flag,
  optional,
  readerOf,
  type Setting,
  usageError,
} from './settings.ts';
import { attackCommand } from './simulate/attack.ts';
import { listCommand, showCommand } from './simulate/catalogue.ts';
import { compareCommand } from './simulate/compare.ts';
import { exploreCommand } from './simulate/explore.ts';
import { readGiven } from './simulate/given.ts';
import { inspect } from './simulate/inspect.ts';
import { live } from './simulate/live.ts';
import { badUsage, endWithReader } from './simulate/output.ts';
import { replayCommand } from './simulate/replay.ts';
import { runMany, runOne } from './simulate/run.ts';
import { JSON_RESULT, MINUTES, OUT, SEED, SEEDS, WORKERS } from './simulate/settings.ts';
import { shrinkCommand } from './simulate/shrink.ts';
import { sweepCommand } from './simulate/sweep.ts';
import { portOr, wholeNumber } from './values.ts';

const STOP_AT_FIRST = flag('--stop-at-first', 'with --seeds: begin no run after one that failed');
const INSPECT = optional(
  '--inspect [port]',
  'serve the inspector over the network on 127.0.0.1 (default: a free port) and let a person move time',
  portOr(0),
);
const AT = optional(
  '--at <step>',
  'with --inspect: where to begin, as the line of a run that failed says',
  wholeNumber(0, 999_999_999_999),
);
const LIVE = flag(
  '--live',
  'run it on a devnet of real processes, too, and compare: payments, steps, and faults of processes',
);
const BLOCK_TIME = defaulting(
  '--block-time <seconds>',
  'with --live: time between two blocks, on both sides',
  // At least 1, because block timestamps are whole seconds: faster blocks would run ahead of the clock.
  wholeNumber(1, 3_600),
  '1',
);
const SETTINGS: Setting<unknown>[] = [
  SEED,
  SEEDS,
  MINUTES,
  WORKERS,
  OUT,
  JSON_RESULT,
  STOP_AT_FIRST,
  INSPECT,
  AT,
  LIVE,
  BLOCK_TIME,
];

/** `main`: the file with which this program was started. */
export function simulateCommand(main: string): Command {
  const command = new Command('simulate')
    .description('run a network of nodes in virtual time, from a scenario and a seed')
    .usage('[options] <scenario> | <command>')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix')
    // Options after the name of a subcommand belong to that subcommand.
    .enablePositionalOptions()
    .hook('preAction', endWithReader);
  declare(command, SETTINGS).action(async (place: string) => {
    process.exit(await runScenario(command, place, main));
  });
  const commands = [
    listCommand(),
    showCommand(),
    replayCommand(),
    shrinkCommand(),
    sweepCommand(),
    compareCommand(),
    attackCommand(),
    exploreCommand(),
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}

/** The exit code. */
async function runScenario(command: Command, place: string, main: string): Promise<number> {
  const read = readerOf(command);
  const seed = read(SEED);
  const seeds = read(SEEDS);
  const choices = { out: read(OUT), isJson: read(JSON_RESULT) };
  const isLive = read(LIVE);
  const blockTime = read(BLOCK_TIME);
  const isStoppedByFailure = read(STOP_AT_FIRST);
  const workers = read(WORKERS);
  const minutes = read(MINUTES);
  const port = read(INSPECT);
  const at = read(AT);
  if (at !== null && port === null) usageError(command, '--at needs --inspect');
  if (port !== null && (seeds !== null || choices.isJson || choices.out !== null))
    usageError(
      command,
      '--inspect shows one run, and has no report: leave out --seeds, --json and --out',
    );
  if (isLive && (seeds !== null || choices.isJson || port !== null))
    usageError(
      command,
      '--live runs one seed and compares: leave out --seeds, --json and --inspect',
    );
  if (minutes !== null && seeds === null) usageError(command, '--minutes needs --seeds');
  if (seed !== null && seeds !== null) usageError(command, 'give --seed or --seeds, not both');
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  if (port !== null) return inspect(given, { seed: seed ?? given.seed, port, at: at ?? 0 });
  if (isLive) return live(given, { seed: seed ?? given.seed, out: choices.out, blockTime, main });
  return seeds === null
    ? runOne(given, seed ?? given.seed, choices)
    : runMany(given, { ...choices, seeds, workers, minutes, isStoppedByFailure });
}
