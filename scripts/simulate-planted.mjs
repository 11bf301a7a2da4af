// Plants each defect of test/simulation/planted in turn and says how soon a simulation finds it. Arguments: names of
// defects (R1a) or of classes (R1) limit it to these. --seeds N: how many seeds are tried; --world NAME: another world
// than the defect's own; --trace: prints all that happens; --write: writes the table to docs/simulation-defects.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const HEAD = `# Defects that simulations find

Made by \`npm run simulate:planted -- --write\`. Each line is a defect that is put back into the node's source while it is
loaded, so that the product has no switch for it: the class of the list of regressions and a letter, what the node then does
wrong, the world in which it shows (\`test/simulation/planted/worlds\`), the invariant that it breaks, and the seed. The seed
is the number of runs that it took. The same world passes without the defect.

`;
const FILE = 'docs/simulation-defects.md';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '10' },
    world: { type: 'string' },
    trace: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const load = async (path) =>
  (await runnerImport(path, { configFile: false, logLevel: 'error' })).module;
const { PLANTED, NOT_APPLICABLE } = await load('./test/simulation/planted/list.ts');
const { search } = await load('./test/simulation/planted/search.ts');
const { classOf } = await load('./test/simulation/planted/patch.ts');

const seeds = Number(values.seeds);
const onEvent = values.trace
  ? ({ virtualMs, who, what }) => console.log(`${(virtualMs / 1000).toFixed(2)} ${who}: ${what}`)
  : undefined;
const wanted = PLANTED.filter(
  (bug) =>
    positionals.length === 0 || positionals.includes(bug.id) || positionals.includes(classOf(bug)),
);

const found = [];
const open = [];
for (const bug of wanted) {
  const world = values.world ?? bug.world ?? null;
  const begun = performance.now();
  const finding = world === null ? null : await search(bug, world, seeds, onEvent);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (finding === null) open.push(bug);
  else found.push({ bug, world, finding, seconds });
  const told =
    finding === null
      ? reasonOf(bug)
      : `invariant ${finding.invariant}, seed ${finding.seed}, ${seconds} s: ${finding.text}`;
  console.log(`| ${bug.id} | ${bug.title} | ${world ?? ''} | ${told} |`);
}
if (values.world !== undefined) {
  const clean = await search(null, values.world, seeds, wanted.length === 0 ? onEvent : undefined);
  const told = clean === null ? 'nothing' : `${clean.invariant}: ${clean.text}`;
  console.log(`without a defect: ${told}`);
}
const classes = new Set(found.map(({ bug }) => classOf(bug))).size;
const total = `${found.length} of ${wanted.length} found, of ${classes} classes`;
console.log(total);
if (values.write) writeFileSync(FILE, page());

function reasonOf(bug) {
  if (bug.unseen !== undefined) return bug.unseen;
  return bug.expected === 'margin'
    ? 'One block off where another margin is larger, so that nothing comes of it.'
    : 'No world shows it yet.';
}

function page() {
  const lines = found.map(
    ({ bug, world, finding }) =>
      `| ${bug.id} | ${bug.title} | ${world} | ${finding.invariant} | ${finding.seed} |`,
  );
  const others = open.map((bug) => `| ${bug.id} | ${bug.title} | ${reasonOf(bug)} |`);
  const never = Object.entries(NOT_APPLICABLE).map(([name, why]) => `- ${name}: ${why}`);
  return [
    `${HEAD}**${total}.**\n`,
    '| defect | what the node does | world | invariant | seed |\n| --- | --- | --- | --- | --- |',
    `${lines.join('\n')}\n`,
    '## Not found\n',
    '| defect | what the node does | why |\n| --- | --- | --- |',
    `${others.join('\n')}\n`,
    '## Classes that no simulation can meet\n',
    `${never.join('\n')}\n`,
  ].join('\n');
}
