// Runs what takes too long for each check, on all cores: seeds of the mix, deaths at single points and at pairs of
// them, and the contracts of the simulation against the real ones. Ends with code 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { runSeeds } from '../dist/src/simulation/workers/run-seeds.js';
import { createStopper } from '../dist/src/simulation/workers/stopper.js';
import { addRow, knownRows, violationsOf } from './nightly-report.mjs';

const { CORE_SCENARIOS, CRASH_SCENARIOS, crashPointsOf, crashScenario } = (
  await runnerImport(new URL('../test/simulation/crash-scenarios.ts', import.meta.url).pathname, {
    configFile: false,
    logLevel: 'error',
  })
).module;

const MOST_SEEDS = 10_000_000;
const SEQUENCES = Number(process.env.SLUICE_SEQUENCES ?? 20_000);
const CALLS = 14;

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '60' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
const PARTS = {
  seeds,
  crashes: () => deaths(CRASH_SCENARIOS, 1),
  pairs: () => deaths(CORE_SCENARIOS, 2),
  contracts,
  explore,
};
const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
if (!(minutes > 0 && minutes <= 1_440) || unknown !== undefined) {
  console.error(
    unknown === undefined
      ? '--minutes must be a number above 0, of at most 1440'
      : `"${unknown}" is no part; there are ${Object.keys(PARTS).join(', ')}`,
  );
  process.exit(2);
}

const begun = performance.now();
let hasFailed = false;
let stopper = createStopper();
let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
  stopper.stop();
});
const names = positionals.length === 0 ? Object.keys(PARTS) : positionals;
for (const name of names) if (!isInterrupted) await inTime(PARTS[name]);
process.exit(hasFailed ? 1 : 0);

/** Runs a part for at most `minutes`. */
async function inTime(part) {
  stopper = createStopper();
  const timer = setTimeout(stopper.stop, minutes * 60_000);
  await part();
  clearTimeout(timer);
}

async function run(source, range, nameOf) {
  const outcomes = await runSeeds({
    source,
    seeds: range,
    workers: availableParallelism(),
    stopper,
    onProgress({ done, failed, last }) {
      if (last.verdict === 'failed') console.error(`${nameOf(last)}: ${last.violation?.text}`);
      if (done % 1_000 === 0) console.error(`${done} runs, ${failed} failed`);
    },
  });
  const summaries = outcomes.map(({ summary }) => summary);
  hasFailed ||= summaries.some(({ verdict }) => verdict === 'failed');
  return summaries;
}

async function seeds() {
  const ends = knownRows('seeds').map((row) => Number(/ \d+\.\.(\d+) /.exec(row)?.[1] ?? 0));
  const from = 1 + Math.max(0, ...ends);
  const nameOf = ({ seed }) => `seed ${seed}`;
  const summaries = await run({ kind: 'mix' }, { from, to: from + MOST_SEEDS }, nameOf);
  const sum = (of) => summaries.reduce((all, one) => all + of(one), 0).toLocaleString('en-US');
  const last = Math.max(from, ...summaries.map(({ seed }) => seed));
  addRow('seeds', [
    `${from}..${last} (${summaries.length})`,
    ...[sum(({ steps }) => steps), sum(({ payments }) => payments), sum(({ faults }) => faults)],
    violationsOf(summaries, nameOf),
  ]);
}

async function deaths(scenarios, count) {
  const all = [];
  let places = 0;
  let done = 0;
  for (const name of scenarios) {
    if (stopper.isStopped()) break;
    const scenario = crashScenario(name);
    const points = await crashPointsOf(scenario);
    const runs = points.length ** count;
    console.error(`${name}: ${points.length} points, ${runs} runs`);
    const nameOf = ({ seed }) => `${name}, run ${seed}`;
    const source = { kind: 'crashes', scenario, points, deaths: count };
    const summaries = await run(source, { from: 0, to: runs - 1 }, nameOf);
    places += points.length;
    if (summaries.length === runs) done += 1;
    all.push(...summaries.map((one) => ({ ...one, name: nameOf(one) })));
  }
  const whole = done === scenarios.length ? `${done}` : `${done} of ${scenarios.length}`;
  const what = count === 1 ? 'one' : 'two';
  const violations = violationsOf(all, ({ name }) => name);
  addRow('crashes', [what, whole, places, all.length.toLocaleString('en-US'), violations]);
}

/** Takes as long as what ran before it. */
function explore() {
  const passed = (performance.now() - begun) / 60_000;
  const time = Math.max(minutes, Math.ceil(passed));
  const out = join(mkdtempSync(join(tmpdir(), 'sluice-explored-')), 'found');
  const seed = 1 + Math.max(0, ...knownRows('explore').map((row) => Number(row.split(' | ')[2])));
  const program = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
  const options = ['--minutes', String(time), '--seed', String(seed), '--out', out];
  const { status } = spawnSync(
    'node',
    [program, 'simulate', 'explore', ...options, '--workers', String(availableParallelism())],
    { stdio: 'inherit' },
  );
  hasFailed ||= status !== 0;
  if (status !== 0 && status !== 1) return;
  const coverage = JSON.parse(readFileSync(join(out, 'coverage.json'), 'utf8'));
  const { runs, pairs, outcomes, corpus, failures } = coverage;
  const met = pairs.filter((pair) => pair.runs > 0).length;
  const named = failures.map(({ failure, file }) => `${failure} (${file})`);
  if (named.length > 0) console.log(`what failed is in ${out}`);
  const cells = [seed, runs, `${met} of ${pairs.length}`, outcomes, corpus];
  addRow('explore', [...cells, named.length === 0 ? 'none' : named.join('; ')]);
}

function contracts() {
  const report = join(tmpdir(), `sluice-contracts-${process.pid}.json`);
  const seed = 1 + (Date.now() % 1_000_000_000);
  const { status } = spawnSync(
    'npx',
    [
      '--no-install',
      'vitest',
      'run',
      '--config',
      'test/vitest.config.ts',
      'test/simulation/chain-differential.test.ts',
      ...['--reporter=json', `--outputFile=${report}`],
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SLUICE_SEQUENCES: String(SEQUENCES), SLUICE_SEED: String(seed) },
    },
  );
  const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  );
  const bad = tests.filter((test) => test.status === 'failed').map(({ title }) => title);
  if (status === 0) rmSync(report);
  else console.log(`what failed is in ${report}`);
  hasFailed ||= status !== 0;
  const differences = status === 0 ? 'none' : bad.join('; ');
  addRow('contracts', [SEQUENCES.toLocaleString('en-US'), CALLS, seed, differences]);
}
