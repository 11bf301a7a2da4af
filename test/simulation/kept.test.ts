/** Worlds that `sluice simulate explore` kept, since together they met most: `npm run simulate:keep` makes them anew. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';

const FOLDER = new URL('kept', import.meta.url).pathname;

it.each(readdirSync(FOLDER))('%s passes', { timeout: 60_000 }, async (file) => {
  const parsed = parseScenario(readFileSync(join(FOLDER, file), 'utf8'), 'kept');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const { scenario } = parsed;
  const { verdict, violation } = await simulate({ scenario, seed: scenario.seed });
  expect([verdict, violation?.text ?? null]).toEqual(['passed', null]);
});
