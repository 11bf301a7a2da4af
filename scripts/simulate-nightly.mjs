// Runs the small worlds of "mix", a new seed each, on all cores for an hour or as long as --minutes says, and notes
// what came of it in docs/simulation-nightly.md, the newest first. Ends with 1 when anything failed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runSeeds } from '../dist/src/simulation/workers/run-seeds.js';
import { createStopper } from '../dist/src/simulation/workers/stopper.js';

const FILE = fileURLToPath(new URL('../docs/simulation-nightly.md', import.meta.url));
const HEAD = `# Runs of the simulation at night

\`npm run simulate:nightly\` runs \`sluice simulate mix\` with as many seeds as fit into an hour (\`-- --minutes 5\`: into
five minutes), and adds a line here. Each seed is a small world of its own with faults and cheats. What failed can be run
again: \`sluice simulate mix --seed N\` with the same commit.

| date | commit | seeds | steps | payments | faults | violations |
| --- | --- | --- | --- | --- | --- | --- |
`;
const MOST_SEEDS = 10_000_000;
/** Failing seeds that are named. */
const NAMED = 10;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 1_440)) {
  console.error('--minutes must be a number above 0, of at most 1440');
  process.exit(2);
}

const known = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const rows = known.startsWith(HEAD) ? known.slice(HEAD.length) : '';
// The next night goes on where this one ends.
const from =
  1 + Math.max(0, ...[...rows.matchAll(/ (\d+)\.\.(\d+) /g)].map((row) => Number(row[2])));
const stopper = createStopper();
setTimeout(stopper.stop, minutes * 60_000).unref();
process.once('SIGINT', stopper.stop);
const outcomes = await runSeeds({
  source: { kind: 'mix' },
  seeds: { from, to: from + MOST_SEEDS },
  ...{ workers: availableParallelism(), stopper },
  onProgress({ done, failed, last }) {
    if (last.verdict === 'failed') console.error(`seed ${last.seed}: ${last.violation?.text}`);
    if (done % 100 === 0) console.error(`${done} seeds, ${failed} failed`);
  },
});

const summaries = outcomes.map(({ summary }) => summary);
const sum = (of) => summaries.reduce((all, one) => all + of(one), 0).toLocaleString('en-US');
const bad = summaries.filter(({ verdict }) => verdict === 'failed');
const named = bad
  .slice(0, NAMED)
  .map(({ seed, violation }) => `seed ${seed}: ${violation?.invariant ?? ''}`);
const violations =
  bad.length === 0
    ? 'none'
    : `${bad.length}: ${named.join('; ')}${bad.length > NAMED ? '; …' : ''}`;
const last = Math.max(from, ...summaries.map(({ seed }) => seed));
const cells = [
  new Date().toISOString().slice(0, 10),
  commit(),
  `${from}..${last} (${summaries.length})`,
  ...[sum(({ steps }) => steps), sum(({ payments }) => payments), sum(({ faults }) => faults)],
  violations.replaceAll(/[|\n]/g, ' '),
];
writeFileSync(FILE, `${HEAD}| ${cells.join(' | ')} |\n${rows}`);
console.log(`${cells.join(', ')}: written to docs/simulation-nightly.md`);
process.exit(bad.length > 0 ? 1 : 0);

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
