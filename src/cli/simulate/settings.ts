/** Options that several commands of the simulation share. */
import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import type { SeedRange } from '../../simulation/workers/run-seeds.ts';
import { HIGHEST_SEED } from '../../simulation/world/seeds.ts';
import { defaulting, flag, optional } from '../options/settings.ts';
import { text, wholeNumber } from '../options/values.ts';

const MOST_SEEDS = 1_000_000;

const seedRange: v.GenericSchema<string, SeedRange> = v.pipe(
  v.string(),
  v.regex(/^\d{1,10}\.\.\d{1,10}$/, 'must be two numbers such as 1..100'),
  v.transform((given) => {
    const [from = 0, to = 0] = given.split('..').map(Number);
    return { from, to };
  }),
  v.check(
    ({ from, to }) => from <= to && to <= HIGHEST_SEED && to - from < MOST_SEEDS,
    `must go up, to at most ${HIGHEST_SEED}, and be at most ${MOST_SEEDS} seeds`,
  ),
);

export const SEED = optional(
  '--seed <n>',
  'what chance follows from (default: the one of the scenario)',
  wholeNumber(0, HIGHEST_SEED),
);
export const SEEDS = optional('--seeds <from..to>', 'one run with each of these seeds', seedRange);
export const WORKERS = defaulting(
  '--workers <n>',
  'how many runs at the same time',
  wholeNumber(1, 256),
  String(availableParallelism()),
);
export const MINUTES = optional(
  '--minutes <n>',
  'begin no run after so long',
  wholeNumber(1, 10_080),
);
export const OUT = optional('--out <folder>', 'write reports into this folder', text);
export const JSON_RESULT = flag('--json', 'print the result as JSON');
