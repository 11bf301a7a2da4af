/** The subcommands of `sluice simulate` and their options. */
import { Argument, type Command } from 'commander';
import { PARALLEL } from '../../simulation/graphs/parallel.ts';
import { MOST_NODES } from '../../simulation/scenario/importing/importing.ts';
import { PLAN_TEXTS, PLANS } from '../../simulation/scenario/schema/plans.ts';
import { HIGHEST_SEED } from '../../simulation/world/seeds.ts';
import {
  declare,
  defaulting,
  flag,
  optional,
  readerOf,
  required,
  usageError,
} from '../options/settings.ts';
import { oneOf, text, wholeNumber } from '../options/values.ts';
import { act } from '../process/action.ts';
import { LateCommand } from '../process/late-command.ts';
import { JSON_RESULT, MINUTES, OUT, SEED, SEEDS, WORKERS } from './settings.ts';

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

const STEP = wholeNumber(0, 999_999_999_999);
const FROM_STEP = optional('--from-step <n>', 'print all events from this step on', STEP);
const UNTIL_STEP = optional('--until-step <n>', 'run to this step and no further', STEP);

export function replayCommand(): Command {
  const command = new LateCommand('replay')
    .description('run again and print the last events: time in milliseconds, who, what')
    .argument(...SCENARIO);
  return act(declare(command, [SEED, FROM_STEP, UNTIL_STEP]), async (place: string) => {
    const read = readerOf(command);
    const [fromStep, untilStep] = [read(FROM_STEP), read(UNTIL_STEP)];
    if (fromStep !== null && untilStep !== null && fromStep > untilStep)
      usageError(command, '--from-step must not be above --until-step');
    const seed = read(SEED);
    const { runReplay } = await import('./replay.ts');
    return runReplay(place, { seed, fromStep, untilStep });
  });
}

const SHRINK_RUNS = defaulting('--runs <n>', 'most runs to try', wholeNumber(1, 100_000), '300');
const SHRINK_MINUTES = defaulting(
  '--minutes <n>',
  'most time to take',
  wholeNumber(1, 1_440),
  '10',
);

export function shrinkCommand(): Command {
  const command = new LateCommand('shrink')
    .description('make a failing scenario smaller while it fails in the same way')
    .argument(...SCENARIO);
  return act(declare(command, [SEED, SHRINK_RUNS, SHRINK_MINUTES, OUT]), async (place: string) => {
    const read = readerOf(command);
    const limits = { runs: read(SHRINK_RUNS), minutes: read(SHRINK_MINUTES), out: read(OUT) };
    const seed = read(SEED);
    const { runShrink } = await import('./shrink.ts');
    return runShrink(place, seed, limits);
  });
}

export function sweepCommand(): Command {
  const command = new LateCommand('sweep')
    .description('run a scenario with each of several values, in all combinations')
    .argument('<scenario>', 'a file, or a name of "simulate list"')
    .argument('<path=values...>', 'such as defaults.fees.imbalance_ppm=0,1000,3000');
  declare(command, [SEED, SEEDS, WORKERS, JSON_RESULT]);
  return act(command, async (place: string, assignments: string[]) => {
    const read = readerOf(command);
    const choices = {
      seed: read(SEED),
      seeds: read(SEEDS),
      workers: read(WORKERS),
      isJson: read(JSON_RESULT),
    };
    const { runSweep } = await import('./sweep.ts');
    return runSweep(place, assignments, choices);
  });
}

export function compareCommand(): Command {
  const command = new LateCommand('compare')
    .description('compare two scenarios with the same seeds')
    .argument('<a>', SCENARIO[1])
    .argument('<b>', 'the same');
  declare(command, [SEED, SEEDS, WORKERS]);
  return act(command, async (a: string, b: string) => {
    const read = readerOf(command);
    const choices = { seed: read(SEED), seeds: read(SEEDS), workers: read(WORKERS) };
    const { runCompare } = await import('./compare.ts');
    return runCompare([a, b], choices);
  });
}

const AGAINST = optional(
  '--against <scenario>',
  'whom it hits: a file or a name (default: the scenario that is made for this attack)',
  text,
);
const NODES = defaulting('--nodes <selection>', 'who attacks, with --against', text, 'random:1');
const FROM = defaulting(
  '--from-block <n>',
  'when it begins, with --against',
  wholeNumber(0, 1_000_000_000),
  '20',
);

export function attackCommand(): Command {
  const plans = PLANS.map((plan) => `  ${plan.padEnd(24)} ${PLAN_TEXTS[plan]}`).join('\n');
  const command = new LateCommand('attack')
    .description('let some nodes cheat, and print what they gain and what honest nodes lose')
    .addArgument(new Argument('<plan>', 'what they do').choices(PLANS))
    .addHelpText('after', `\nPlans:\n${plans}`);
  return act(declare(command, [AGAINST, NODES, FROM, SEED]), async (plan: string) => {
    const read = readerOf(command);
    const choices = {
      against: read(AGAINST),
      nodes: read(NODES),
      fromBlock: read(FROM),
      seed: read(SEED),
    };
    const { runAttack } = await import('./attack.ts');
    return runAttack(plan, choices);
  });
}

const SCENARIO_OUT = required(
  '--out <file>',
  'the scenario to write, .yaml; its channels come into a .csv beside it',
  text,
);
const SAMPLE = optional(
  '--nodes <n>',
  'choose so many that hang together, by a forest fire (default: all)',
  wholeNumber(2, MOST_NODES),
);
const SAMPLE_SEED = defaulting(
  '--seed <n>',
  'what the choice of nodes follows from',
  wholeNumber(0, HIGHEST_SEED),
  '1',
);
const PARALLEL_CHANNELS = defaulting(
  '--parallel <sum|largest>',
  'several channels of two nodes, who can have one: add them up, or take the largest',
  oneOf(PARALLEL),
  'sum',
);

export function importCommand(): Command {
  const command = new LateCommand('import')
    .description('make a scenario of a channel graph: of Lightning, of the simulator CLoTH, or CSV')
    .argument(
      '<graph>',
      'what "lncli describegraph" printed (.json), channels (.csv), or a folder with CLoTH’s tables',
    );
  declare(command, [SCENARIO_OUT, SAMPLE, SAMPLE_SEED, PARALLEL_CHANNELS]);
  return act(command, async (place: string) => {
    const read = readerOf(command);
    const choices = {
      out: read(SCENARIO_OUT),
      nodes: read(SAMPLE),
      seed: read(SAMPLE_SEED),
      parallel: read(PARALLEL_CHANNELS),
    };
    const { runImport } = await import('./import.ts');
    return runImport(place, choices);
  });
}

const EXPLORE_RUNS = optional(
  '--runs <n>',
  'how many worlds (default: 300, or as many as fit into --minutes)',
  wholeNumber(1, 10_000_000),
);
const UNSTEERED = flag('--unsteered', 'draw each world anew, to compare with');

export function exploreCommand(): Command {
  const command = new LateCommand('explore').description(
    'look for defects in small worlds that are made of those which met something new',
  );
  declare(command, [SEED, EXPLORE_RUNS, MINUTES, WORKERS, UNSTEERED, OUT, JSON_RESULT]);
  return act(command, async () => {
    const read = readerOf(command);
    const choices = {
      seed: read(SEED),
      runs: read(EXPLORE_RUNS),
      minutes: read(MINUTES),
      workers: read(WORKERS),
      isSteered: !read(UNSTEERED),
      out: read(OUT),
      isJson: read(JSON_RESULT),
    };
    const { runExplore } = await import('./explore.ts');
    return runExplore(choices);
  });
}
