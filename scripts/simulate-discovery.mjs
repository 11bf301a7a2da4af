// How many defects that nobody has thought of do the small random worlds find, and how soon? StrykerJS changes the node's
// source in thousands of places; of these some are drawn, and each is switched on while worlds run, until one is
// violated. Counted are those that change what happens at all. --mutants N: how many are drawn (200); --seed N: which;
// --minutes N: CPU minutes for each (1, 3, 10 or 30; default 10); --workers N: processes at once (2); --worlds FOLDER: first
// the worlds that `sluice simulate explore --out FOLDER` wrote; --write: adds a row to docs/simulation-discovery.md. What was
// not found is listed in dist/discovery/survivors.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plantMutants } from '../test/mutation/mutants.mjs';
import { lineOf } from '../test/mutation/report.mjs';
import { curveOf, MINUTES, rowOf, withRow } from './discovery-report.mjs';

const ROOMS = [
  'machines',
  'src/basics',
  'src/protocol',
  'src/node/runtime',
  'src/node/messaging',
  'src/node/chain',
  'src/replica',
];
const FOLDER = 'dist/discovery';
const DOCUMENT = 'docs/simulation-discovery.md';
/** A process that says nothing for so long is in a loop that no switch ends. */
const QUIET_MS = 180_000;

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    workers: { type: 'string', default: '2' },
    worlds: { type: 'string' },
    write: { type: 'boolean' },
  },
});
const [wanted, seed, minutes, workers] = ['mutants', 'seed', 'minutes', 'workers'].map((name) =>
  Number(values[name]),
);

if (!MINUTES.includes(minutes)) {
  console.error(`--minutes must be one of ${MINUTES.join(', ')}: the columns of the table`);
  process.exit(2);
}
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const files = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true })
    .map((name) => `${room}/${name}`)
    .filter((file) => file.endsWith('.ts')),
);
const all = await plantMutants(files, `${FOLDER}/source`);
const drawn = drawnOf(all, wanted, seed);
console.log(`${drawn.length} of ${all.length} changes, ${minutes} CPU minutes for each`);

const left = [...drawn];
const ends = [];
const budgetMs = minutes * 60_000;
await Promise.all(Array.from({ length: workers }, (_, n) => prepare(n + 1)));
await Promise.all(Array.from({ length: workers }, work));
const judged = ends.filter(({ end }) => end !== 'static' && end !== 'same');
const curve = curveOf(judged, minutes);
for (const [after, share] of curve) console.log(`found after ${after} CPU minutes: ${share}`);
writeFileSync(
  `${FOLDER}/survivors.md`,
  judged
    .filter(({ end }) => end === 'survived')
    .map((one) => `- ${lineOf(one)}\n`)
    .join(''),
);
if (values.write) {
  const text = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '';
  writeFileSync(
    DOCUMENT,
    withRow(
      text,
      rowOf({
        drawn,
        judged,
        curve,
        minutes,
        seed,
        worlds: values.worlds === undefined ? 'mix' : 'explore, then mix',
      }),
    ),
  );
}

/** The same for the same seed: each change by the hash of its number. */
function drawnOf(mutants, count, from) {
  const keyOf = (index) => Math.imul(index * 2 + 1 + from * 7_919, 2_654_435_761) >>> 0;
  return mutants
    .map((mutant, index) => ({ mutant, key: keyOf(index) }))
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** Makes a part of the worlds as they are, in a process that has not known any change. */
async function prepare(first) {
  const { end, text } = await asked({ first, step: workers, budgetMs });
  if (end !== 'prepared') throw new Error(`the worlds cannot be made as they are: ${text}`);
}

/** Gives each change a process of its own. */
async function work() {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const said = await asked({ id: mutant.id, budgetMs });
    ends.push({ ...mutant, ...said });
    const told = said.text === undefined ? '' : `: ${said.text}`;
    console.log(`${lineOf({ ...mutant, end: '' })} | ${said.end} after ${said.runs} runs${told}`);
  }
}

/** A process that has loaded the changed source. */
async function start() {
  const worker = fileURLToPath(new URL('discovery-worker.mjs', import.meta.url));
  const child = fork(worker, [
    `${FOLDER}/source`,
    drawn.map(({ id }) => id).join(),
    ...(values.worlds === undefined ? [] : [values.worlds]),
  ]);
  const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof said === 'object') return child;
  throw new Error(`a process ended with ${said} before it was ready`);
}

/** What became of it in a process of its own. */
async function asked(order) {
  const child = await start();
  return new Promise((resolve) => {
    let timer = setTimeout(hangs, QUIET_MS);
    const done = (said) => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.kill('SIGKILL');
      resolve(said);
    };
    function hangs() {
      done({ end: 'found', cpuMs: 0, runs: 0, text: 'the process hangs' });
    }
    child.on('message', (said) => {
      if (said.end !== undefined) return done(said);
      clearTimeout(timer);
      timer = setTimeout(hangs, QUIET_MS);
    });
    child.once('exit', () => done({ end: 'found', cpuMs: 0, runs: 0, text: 'the process ends' }));
    child.send(order);
  });
}
