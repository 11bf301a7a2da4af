// Plants each defect of test/simulation/planted in turn and says how soon a simulation finds it. Names on the command
// line: only these (R1a), or only those of a class (R1). --seeds N: how many seeds are tried; --trace: what happens.
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '10' },
    world: { type: 'string' },
    trace: { type: 'boolean' },
  },
});
const load = async (path) =>
  (await runnerImport(path, { configFile: false, logLevel: 'error' })).module;
const { PLANTED } = await load('./test/simulation/planted/list.ts');
const { search } = await load('./test/simulation/planted/search.ts');
const { classOf } = await load('./test/simulation/planted/patch.ts');

const wanted = PLANTED.filter(
  (bug) =>
    positionals.length === 0 || positionals.includes(bug.id) || positionals.includes(classOf(bug)),
);
const onEvent = values.trace
  ? ({ virtualMs, who, what }) => console.log(`${(virtualMs / 1000).toFixed(2)} ${who}: ${what}`)
  : undefined;
let found = 0;
for (const bug of wanted) {
  const world = values.world ?? bug.world ?? null;
  const begun = performance.now();
  const finding = world === null ? null : await search(bug, world, Number(values.seeds), onEvent);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (finding !== null) found += 1;
  const told =
    finding === null
      ? (bug.unseen ?? 'not found')
      : `invariant ${finding.invariant}, seed ${finding.seed}, ${seconds} s: ${finding.text}`;
  console.log(`| ${bug.id} | ${bug.title} | ${world ?? ''} | ${told.slice(0, 160)} |`);
}
if (values.world !== undefined) {
  const clean = await search(
    null,
    values.world,
    Number(values.seeds),
    wanted.length === 0 ? onEvent : undefined,
  );
  console.log(
    `without a defect: ${clean === null ? 'nothing' : `${clean.invariant}: ${clean.text}`}`,
  );
}
console.log(`${found} of ${wanted.length} found`);
