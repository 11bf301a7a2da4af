/** `sluice simulate`: runs networks of nodes in virtual time. */
import type { Command } from 'commander';
import { actWith, usageError, type Values } from './options/settings.ts';
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
import { RUN_OPTIONS } from './simulate/options.ts';

/** `main`: the file with which this program was started. */
export function simulateCommand(main: string): Command {
  const command = new LateCommand('simulate')
    .description('run a network of nodes in virtual time, from a scenario and a seed')
    .usage('[options] <scenario> | <command>')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix')
    // Options after the name of a subcommand belong to that subcommand.
    .enablePositionalOptions();
  actWith(command, RUN_OPTIONS, async (options, place: string) => {
    refuseTogether(command, options);
    const { runScenario } = await import('./simulate/scenario.ts');
    return runScenario(place, options, main);
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
function refuseTogether(command: Command, options: Values<typeof RUN_OPTIONS>): void {
  const { seed, seeds, out, isJson, isLive, minutes, port, at } = options;
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
}
