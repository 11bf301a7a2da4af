/** The options of `sluice simulate` and of its subcommands. */
import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import { PARALLEL } from '../../simulation/graphs/parallel.ts';
import { MOST_NODES } from '../../simulation/scenario/importing/importing.ts';
import type { SeedRange } from '../../simulation/workers/run-seeds.ts';
import { HIGHEST_SEED } from '../../simulation/world/seeds.ts';
import { defaulting, flag, optional, required } from '../options/settings.ts';
import { oneOf, portOr, text, wholeNumber } from '../options/values.ts';

const MOST_SEEDS = 1_000_000;

const seedRange: v.GenericSchema<string, SeedRange> = v.pipe(
  v.string(),
  v.regex(/^\d{1,10}\.\.\d{1,10}$/, 'must be two numbers such as 1..100, or 5..5 for one'),
  v.transform((given) => {
    const [from = 0, to = 0] = given.split('..').map(Number);
    return { from, to };
  }),
  v.check(
    ({ from, to }) => from <= to && to <= HIGHEST_SEED && to - from < MOST_SEEDS,
    `must go up, to at most ${HIGHEST_SEED}, and be at most ${MOST_SEEDS} seeds`,
  ),
);

const SEED = optional(
  '--seed <n>',
  'what chance follows from (default: the one of the scenario)',
  wholeNumber(0, HIGHEST_SEED),
);
const SEEDS = optional('--seeds <from..to>', 'one run with each of these seeds', seedRange);
const WORKERS = defaulting(
  '--workers <n>',
  'how many runs at the same time',
  wholeNumber(1, 256),
  String(availableParallelism()),
);
const MINUTES = optional('--minutes <n>', 'begin no run after so long', wholeNumber(1, 10_080));
const OUT = optional('--out <folder>', 'write reports into this folder', text);
const JSON_RESULT = flag('--json', 'print the result as JSON');

/** Those of `sluice simulate SCENARIO`. */
export const RUN_OPTIONS = {
  seed: SEED,
  seeds: SEEDS,
  minutes: MINUTES,
  workers: WORKERS,
  out: OUT,
  isJson: JSON_RESULT,
  isStoppedByFailure: flag('--stop-at-first', 'with --seeds: begin no run after one that failed'),
  port: optional(
    '--inspect [port]',
    'serve the inspector over the network on 127.0.0.1 (default: a free port) and let a person move time',
    portOr(0),
  ),
  at: optional(
    '--at <step>',
    'with --inspect: where to begin, as the line of a run that failed says',
    wholeNumber(0, 999_999_999_999),
  ),
  isLive: flag(
    '--live',
    'run it on a devnet of real processes, too, and compare: payments, steps, and faults of processes',
  ),
  blockTime: defaulting(
    '--block-time <seconds>',
    'with --live: time between two blocks, on both sides',
    // At least 1, because block timestamps are whole seconds: faster blocks would run ahead of the clock.
    wholeNumber(1, 3_600),
    '1',
  ),
};

const STEP = wholeNumber(0, 999_999_999_999);
export const REPLAY_OPTIONS = {
  seed: SEED,
  fromStep: optional('--from-step <n>', 'print all events from this step on', STEP),
  untilStep: optional('--until-step <n>', 'run to this step and no further', STEP),
};

export const SHRINK_OPTIONS = {
  seed: SEED,
  runs: defaulting('--runs <n>', 'most runs to try', wholeNumber(1, 100_000), '300'),
  minutes: defaulting('--minutes <n>', 'most time to take', wholeNumber(1, 1_440), '10'),
  out: OUT,
};

export const COMPARE_OPTIONS = { seed: SEED, seeds: SEEDS, workers: WORKERS };

export const SWEEP_OPTIONS = { ...COMPARE_OPTIONS, isJson: JSON_RESULT };

export const ATTACK_OPTIONS = {
  against: optional(
    '--against <scenario>',
    'whom it hits: a file or a name (default: the scenario that is made for this attack)',
    text,
  ),
  nodes: defaulting('--nodes <selection>', 'who attacks, with --against', text, 'random:1'),
  fromBlock: defaulting(
    '--from-block <n>',
    'when it begins, with --against',
    wholeNumber(0, 1_000_000_000),
    '20',
  ),
  seed: SEED,
};

export const IMPORT_OPTIONS = {
  out: required(
    '--out <file>',
    'the scenario to write, .yaml; its channels come into a .csv beside it',
    text,
  ),
  nodes: optional(
    '--nodes <n>',
    'choose so many that hang together, by a forest fire (default: all)',
    wholeNumber(2, MOST_NODES),
  ),
  seed: defaulting(
    '--seed <n>',
    'what the choice of nodes follows from',
    wholeNumber(0, HIGHEST_SEED),
    '1',
  ),
  parallel: defaulting(
    '--parallel <sum|largest>',
    'several channels of two nodes, who can have one: add them up, or take the largest',
    oneOf(PARALLEL),
    'sum',
  ),
};

export const EXPLORE_OPTIONS = {
  seed: SEED,
  runs: optional(
    '--runs <n>',
    'how many worlds (default: 300, or as many as fit into --minutes)',
    wholeNumber(1, 10_000_000),
  ),
  minutes: MINUTES,
  workers: WORKERS,
  isUnsteered: flag('--unsteered', 'draw each world anew, to compare with'),
  out: OUT,
  isJson: JSON_RESULT,
};
