/** `sluice simulate`, which runs networks of nodes in virtual time, and its subcommands. */
import { Argument, type Command } from 'commander';
import { PLAN_TEXTS, PLANS } from '../../simulation/scenario/schema/plans.ts';
import { actWith, usageError, type Values } from '../options/settings.ts';
import { act } from '../process/action.ts';
import { LateCommand } from '../process/late-command.ts';
import {
  ATTACK_OPTIONS,
  COMPARE_OPTIONS,
  EXPLORE_OPTIONS,
  IMPORT_OPTIONS,
  REPLAY_OPTIONS,
  RUN_OPTIONS,
  SHRINK_OPTIONS,
  SWEEP_OPTIONS,
} from './options.ts';

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
    return (await import('./scenario.ts')).runScenario(place, options, main);
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

const SCENARIO = ['<scenario>', 'a file, a name of "simulate list", or mix'] as const;

function listCommand(): Command {
  const command = new LateCommand('list').description(
    'name the scenarios that come with the program',
  );
  return act(command, async () => (await import('./catalogue.ts')).list());
}

function showCommand(): Command {
  const command = new LateCommand('show')
    .description('print a scenario that comes with the program, to be changed and run')
    .argument('<name>', 'as "simulate list" names it');
  return act(command, async (name: string) => (await import('./catalogue.ts')).show(name));
}

function replayCommand(): Command {
  const command = new LateCommand('replay')
    .description('run again and print the last events: time in milliseconds, who, what')
    .argument(...SCENARIO);
  return actWith(command, REPLAY_OPTIONS, async (options, place: string) => {
    const { fromStep, untilStep } = options;
    if (fromStep !== null && untilStep !== null && fromStep > untilStep)
      usageError(command, '--from-step must not be above --until-step');
    return (await import('./replay.ts')).runReplay(place, options);
  });
}

function shrinkCommand(): Command {
  const command = new LateCommand('shrink')
    .description('make a failing scenario smaller while it fails in the same way')
    .argument(...SCENARIO);
  return actWith(command, SHRINK_OPTIONS, async (options, place: string) =>
    (await import('./shrink.ts')).runShrink(place, options),
  );
}

function sweepCommand(): Command {
  const command = new LateCommand('sweep')
    .description('run a scenario with each of several values, in all combinations')
    .argument('<scenario>', 'a file, or a name of "simulate list"')
    .argument('<path=values...>', 'such as defaults.fees.imbalance_ppm=0,1000,3000');
  return actWith(command, SWEEP_OPTIONS, async (options, place: string, assignments: string[]) =>
    (await import('./sweep.ts')).runSweep(place, assignments, options),
  );
}

function compareCommand(): Command {
  const command = new LateCommand('compare')
    .description('compare two scenarios with the same seeds')
    .argument('<a>', SCENARIO[1])
    .argument('<b>', 'the same');
  return actWith(command, COMPARE_OPTIONS, async (options, a: string, b: string) =>
    (await import('./compare.ts')).runCompare([a, b], options),
  );
}

function attackCommand(): Command {
  const plans = PLANS.map((plan) => `  ${plan.padEnd(24)} ${PLAN_TEXTS[plan]}`).join('\n');
  const command = new LateCommand('attack')
    .description('let some nodes cheat, and print what they gain and what honest nodes lose')
    .addArgument(new Argument('<plan>', 'what they do').choices(PLANS))
    .addHelpText('after', `\nPlans:\n${plans}`);
  return actWith(command, ATTACK_OPTIONS, async (options, plan: string) =>
    (await import('./attack.ts')).runAttack(plan, options),
  );
}

function importCommand(): Command {
  const command = new LateCommand('import')
    .description('make a scenario of a channel graph: of Lightning, of the simulator CLoTH, or CSV')
    .argument(
      '<graph>',
      'what "lncli describegraph" printed (.json), channels (.csv), or a folder with CLoTH’s tables',
    );
  return actWith(command, IMPORT_OPTIONS, async (options, place: string) =>
    (await import('./import.ts')).runImport(place, options),
  );
}

function exploreCommand(): Command {
  const command = new LateCommand('explore').description(
    'look for defects in small worlds that are made of those which met something new',
  );
  return actWith(command, EXPLORE_OPTIONS, async (options) =>
    (await import('./explore.ts')).runExplore(options),
  );
}
