/** `sluice simulate`: runs networks of nodes in virtual time. */
import type { Command } from 'commander';
import {
  declare,
  defaulting,
  flag,
  optional,
  readerOf,
  type Setting,
  usageError,
} from './options/settings.ts';
import { portOr, wholeNumber } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import {
  attackCommand,
  compareCommand,
  exploreCommand,
  importCommand,
  listCommand,
  replayCommand,
  showCommand,
  shrinkCommand,
  sweepCommand,
} from './simulate/commands.ts';
import { JSON_RESULT, MINUTES, OUT, SEED, SEEDS, WORKERS } from './simulate/settings.ts';

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
  const command = new LateCommand('simulate')
    .description('run a network of nodes in virtual time, from a scenario and a seed')
    .usage('[options] <scenario> | <command>')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix')
    // Options after the name of a subcommand belong to that subcommand.
    .enablePositionalOptions();
  act(declare(command, SETTINGS), async (place: string) => {
    const choices = choicesOf(command);
    const { runScenario } = await import('./simulate/scenario.ts');
    return runScenario(place, choices, main);
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
    importCommand(),
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}

/** Options that do not belong together end the command with a usage error. */
function choicesOf(command: Command) {
  const read = readerOf(command);
  const choices = {
    seed: read(SEED),
    seeds: read(SEEDS),
    out: read(OUT),
    isJson: read(JSON_RESULT),
    isLive: read(LIVE),
    blockTime: read(BLOCK_TIME),
    isStoppedByFailure: read(STOP_AT_FIRST),
    workers: read(WORKERS),
    minutes: read(MINUTES),
    port: read(INSPECT),
    at: read(AT),
  };
  const { seed, seeds, out, isJson, isLive, minutes, port, at } = choices;
  if (at !== null && port === null) usageError(command, '--at needs --inspect');
  if (port !== null && (seeds !== null || isJson || out !== null))
    usageError(
      command,
      '--inspect shows one run, and has no report: leave out --seeds, --json and --out',
    );
  if (isLive && (seeds !== null || isJson || port !== null))
    usageError(
      command,
      '--live runs one seed and compares: leave out --seeds, --json and --inspect',
    );
  if (minutes !== null && seeds === null) usageError(command, '--minutes needs --seeds');
  if (seed !== null && seeds !== null) usageError(command, 'give --seed or --seeds, not both');
  return choices;
}
