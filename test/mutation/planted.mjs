// Which of the defects that are planted for simulations does `npm test` notice? Each in turn: first the test that its list
// names, then those of --also (a part of their paths; may be given again; `test/` means all) until one fails. Arguments: names
// of defects limit it to these.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { also: { type: 'string', multiple: true, default: [] } },
});
const list = './test/simulation/planted/list.ts';
const { PLANTED } = (await runnerImport(list, { configFile: false, logLevel: 'error' })).module;
const wanted = PLANTED.filter(({ id }) => positionals.length === 0 || positionals.includes(id));

const VITEST = [
  ...['vitest', 'run', '--config', 'test/mutation/planted.config.ts'],
  ...['--project', 'unit', '--project', 'quick'],
];

/** The file of the first test that fails with the defect; null: all pass, `missing`: it is not asked by `npm test`. */
function failing(id, files) {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', ...VITEST, ...files], {
    env: { ...process.env, SLUICE_PLANTED: id, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  if (status === 0) return null;
  if (/No test files found/.test(stdout + stderr)) return 'missing';
  return /FAIL +(?:\|\w+\| +)?(?:\w+ +)?(test\/\S+)/.exec(stdout + stderr)?.[1] ?? 'broken off';
}

function noticedIn({ id, noticedBy }) {
  const near = noticedBy === null ? null : failing(id, [`test/${noticedBy}`]);
  if (near !== null && near !== 'missing') return near;
  return values.also.length > 0 ? failing(id, values.also) : near;
}

let noticed = 0;
for (const bug of wanted) {
  const begun = performance.now();
  const test = noticedIn(bug);
  if (test !== null && test !== 'missing') noticed++;
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(
    `| ${bug.id} | ${bug.world === undefined ? '' : 'found'} | ${test ?? ''} | ${seconds} |`,
  );
}
console.log(`${noticed} of ${wanted.length} noticed`);
