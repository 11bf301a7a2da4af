// Writes docs/simulation-nightly.md: a table for each kind of long run, the newest line first.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../docs/simulation-nightly.md', import.meta.url));
const BEGINNING = `# Long runs of the simulation

What takes too long for each check: \`npm run simulate:nightly\` adds lines to these tables. \`-- --minutes 5\` gives each of
its parts five minutes instead of an hour, and the names of parts run these alone: \`seeds\`, \`crashes\`, \`pairs\`,
\`contracts\`, \`explore\`. The last one takes as long as all others together.
`;
const PARTS = {
  seeds: {
    text: `## Seeds

\`sluice simulate mix\` with as many seeds as there is time for; the next night goes on where the last one ended. Each is a
small world of its own with faults and cheats, and can be run again with the same commit: \`sluice simulate mix --seed N\`.
`,
    head: ['date', 'commit', 'seeds', 'steps', 'payments', 'faults', 'violations'],
  },
  explore: {
    text: `## Explored

\`sluice simulate explore\` with another seed each night. What failed is kept in a folder that the run names; the worlds that met
most are in each check once \`npm run simulate:keep\` has made them anew (\`test/simulation/kept\`).
`,
    head: ['date', 'commit', 'seed', 'runs', 'pairs met', 'outcomes', 'worlds kept', 'violations'],
  },
  crashes: {
    text: `## Deaths

One run for each single point at which a node can die in the scenarios of \`test/simulation/crash-scenarios.ts\`, and one
for each pair of points in six of them.
`,
    head: ['date', 'commit', 'deaths', 'scenarios', 'points', 'runs', 'violations'],
  },
  contracts: {
    text: `## Contracts

Random sequences of calls, made to the contracts on anvil and to those of the simulation, which have to do the same.
`,
    head: ['date', 'commit', 'sequences', 'calls of each', 'seed', 'differences'],
  },
};

const rowOf = (cells) => `| ${cells.join(' | ')} |\n`;
const headOf = ({ head }) => `${rowOf(head)}${rowOf(head.map(() => '---'))}`;

/** The rows of a part's table, the newest first, each with its line end. */
export function knownRows(part) {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const [, rest = ''] = text.split(headOf(PARTS[part]));
  return (rest.match(/^(\|.*\n)*/)?.[0] ?? '').match(/.*\n/g) ?? [];
}

/** Adds a row to a part's table: today's date, the commit, and these cells. */
export function addRow(part, cells) {
  const today = new Date().toISOString().slice(0, 10);
  const row = [today, commit(), ...cells].map((cell) => String(cell).replaceAll(/[|\n]/g, ' '));
  const texts = Object.entries(PARTS).map(([name, known]) => {
    const rows = [...(name === part ? [rowOf(row)] : []), ...knownRows(name)];
    return `\n${known.text}\n${headOf(known)}${rows.join('')}`;
  });
  writeFileSync(FILE, [BEGINNING, ...texts].join(''));
  console.log(`${row.join(', ')}: written to docs/simulation-nightly.md`);
}

/** The first failures by name, as one cell. */
export function violationsOf(summaries, nameOf) {
  const NAMED = 10;
  const bad = summaries.filter(({ verdict }) => verdict === 'failed');
  if (bad.length === 0) return 'none';
  const named = bad
    .slice(0, NAMED)
    .map((one) => `${nameOf(one)}: ${one.violation?.invariant ?? ''}`);
  return `${bad.length}: ${named.join('; ')}${bad.length > NAMED ? '; …' : ''}`;
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
