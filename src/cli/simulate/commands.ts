/** The subcommands of `sluice simulate`. */
import { Argument, type Command } from 'commander';
import { PLAN_TEXTS, PLANS } from '../../simulation/scenario/schema/plans.ts';
import { actWith, usageError } from '../options/settings.ts';
import { act } from '../process/action.ts';
import { LateCommand } from '../process/late-command.ts';
import {
  ATTACK_OPTIONS,
  COMPARE_OPTIONS,
  EXPLORE_OPTIONS,
  IMPORT_OPTIONS,
  REPLAY_OPTIONS,
  SHRINK_OPTIONS,
  SWEEP_OPTIONS,
} from './options.ts';

const SCENARIO = ['<scenario>', 'a file, a name of "simulate list", or mix'] as const;

export function listCommand(): Command {
  const command = new LateCommand('list').description(
    'name the scenarios that come with the program',
  );
  return act(command, async () => {
    const { list } = await import('./catalogue.ts');
    return list();
  });
}

export function showCommand(): Command {
  const command = new LateCommand('show')
    .description('print a scenario that comes with the program, to be changed and run')
    .argument('<name>', 'as "simulate list" names it');
  return act(command, async (name: string) => {
    const { show } = await import('./catalogue.ts');
    return show(name);
  });
}

export function replayCommand(): Command {
  const command = new LateCommand('replay')
    .description('run again and print the last events: time in milliseconds, who, what')
    .argument(...SCENARIO);
  return actWith(command, REPLAY_OPTIONS, async (options, place: string) => {
    const { fromStep, untilStep } = options;
    if (fromStep !== null && untilStep !== null && fromStep > untilStep)
      usageError(command, '--from-step must not be above --until-step');
    const { runReplay } = await import('./replay.ts');
    return runReplay(place, options);
  });
}

export function shrinkCommand(): Command {
  const command = new LateCommand('shrink')
    .description('make a failing scenario smaller while it fails in the same way')
    .argument(...SCENARIO);
  return actWith(command, SHRINK_OPTIONS, async (options, place: string) => {
    const { runShrink } = await import('./shrink.ts');
    return runShrink(place, options);
  });
}

export function sweepCommand(): Command {
  const command = new LateCommand('sweep')
    .description('run a scenario with each of several values, in all combinations')
    .argument('<scenario>', 'a file, or a name of "simulate list"')
    .argument('<path=values...>', 'such as defaults.fees.imbalance_ppm=0,1000,3000');
  return actWith(command, SWEEP_OPTIONS, async (options, place: string, assignments: string[]) => {
    const { runSweep } = await import('./sweep.ts');
    return runSweep(place, assignments, options);
  });
}

export function compareCommand(): Command {
  const command = new LateCommand('compare')
    .description('compare two scenarios with the same seeds')
    .argument('<a>', SCENARIO[1])
    .argument('<b>', 'the same');
  return actWith(command, COMPARE_OPTIONS, async (options, a: string, b: string) => {
    const { runCompare } = await import('./compare.ts');
    return runCompare([a, b], options);
  });
}

export function attackCommand(): Command {
  const plans = PLANS.map((plan) => `  ${plan.padEnd(24)} ${PLAN_TEXTS[plan]}`).join('\n');
  const command = new LateCommand('attack')
    .description('let some nodes cheat, and print what they gain and what honest nodes lose')
    .addArgument(new Argument('<plan>', 'what they do').choices(PLANS))
    .addHelpText('after', `\nPlans:\n${plans}`);
  return actWith(command, ATTACK_OPTIONS, async (options, plan: string) => {
    const { runAttack } = await import('./attack.ts');
    return runAttack(plan, options);
  });
}

export function importCommand(): Command {
  const command = new LateCommand('import')
    .description('make a scenario of a channel graph: of Lightning, of the simulator CLoTH, or CSV')
    .argument(
      '<graph>',
      'what "lncli describegraph" printed (.json), channels (.csv), or a folder with CLoTH’s tables',
    );
  return actWith(command, IMPORT_OPTIONS, async (options, place: string) => {
    const { runImport } = await import('./import.ts');
    return runImport(place, options);
  });
}

export function exploreCommand(): Command {
  const command = new LateCommand('explore').description(
    'look for defects in small worlds that are made of those which met something new',
  );
  return actWith(command, EXPLORE_OPTIONS, async (options) => {
    const { runExplore } = await import('./explore.ts');
    return runExplore(options);
  });
}
