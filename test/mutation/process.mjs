// Starts the processes that run the tests of one part of the mutants, until each test has met each of its mutants.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';

/** So long may a process say nothing: while it loads, and while a test runs with a mutant. */
const QUIET_MS = 60_000;
const HANGING_MS = 20_000;

/** Most mutants die of a test that takes a millisecond: the long ones are left for those that do not. */
const ROUNDS = [30, 300, null];

/** Tries the mutants with these ids; says of each which test files meet it, and how it ended. */
export async function tryMutants(part) {
  const all = {
    ends: new Map(),
    met: new Map(),
    loaded: new Map(),
    fixed: new Set(),
    tests: new Map(),
  };
  const order = orderOf(part);
  for (const quickMs of ROUNDS) {
    const later = [...all.tests].filter(([test]) => !order.tested.includes(test));
    order.quickMs = quickMs;
    if (quickMs !== ROUNDS[0]) order.tests = [...new Set(later.map(([, file]) => file))];
    order.over = [];
    if (order.tests.length > 0) await finishRound(part, order, all);
  }
  return all;
}

/** One process after another. */
async function finishRound(part, order, all) {
  for (;;) {
    order.alive = part.ids.filter((id) => !all.ends.has(id));
    if (order.alive.length === 0) return;
    const { seen, exit } = await runTests(part, order);
    note(all, seen);
    const tries = seen.filter(({ kind }) => kind === 'try');
    const broken = seen.find(({ kind }) => kind === 'broken');
    if (broken !== undefined) throw new Error(`${broken.name} fails as it is`);
    if (exit === 'failed') throw new Error(`the tests fail as they are: ${part.folder}/vitest.log`);
    if (exit === 'quiet') {
      if (tries.length === 0) throw new Error(`no test went on for ${QUIET_MS / 1000} s`);
      all.ends.set(tries.at(-1).mutant, { how: 'timeout', test: tries.at(-1).test });
    }
    const once = seen.filter(({ kind }) => kind === 'once');
    for (const { name } of once) console.log(`judges nothing, since it passes only once: ${name}`);
    order.tested.push(...once.map(({ test }) => test));
    order.tested.push(...seen.filter(({ kind }) => kind === 'tested').map(({ test }) => test));
    if (exit === 'over') return;
    const files = seen.filter(({ kind }) => kind === 'loaded').map(({ file }) => file);
    order.over.push(...files.slice(0, -1));
    order.tried.push(...tries.map(({ mutant, test }) => ({ mutant, test })));
    order.unsure = seen.find(({ kind }) => kind === 'unsure') ?? null;
  }
}

/** Whether the tests of these files pass with the mutant switched on from the start to the end. */
export async function passesWith(part, mutant, tests) {
  const { exit } = await runTests(part, { ...orderOf(part), tests, always: mutant });
  return exit === 'over' ? 'passes' : exit === 'quiet' ? 'timeout' : 'failure';
}

function orderOf({ files, tests }) {
  return {
    files,
    tests,
    alive: [],
    over: [],
    tested: [],
    tried: [],
    unsure: null,
    always: null,
    quickMs: null,
  };
}

function note(all, seen) {
  for (const one of seen) {
    if (one.kind === 'static') for (const id of one.mutants) all.fixed.add(id);
    if (one.kind === 'killed') all.ends.set(one.mutant, { how: one.how, test: one.test });
    if (one.kind === 'met') all.tests.set(one.test, one.file);
    if (one.kind !== 'loaded' && one.kind !== 'met') continue;
    for (const id of one.mutants) {
      const files = all[one.kind].get(id) ?? new Set();
      all[one.kind].set(id, files.add(one.file));
    }
  }
}

/** `over` when all tests passed, `failed`, `restart` when the process asks for another, `quiet` when nothing happens. */
function runTests({ folder }, order) {
  const notes = `${folder}/seen.jsonl`;
  writeFileSync(`${folder}/order.json`, JSON.stringify(order));
  writeFileSync(notes, '');
  const log = openSync(`${folder}/vitest.log`, 'w');
  const config = 'test/mutation/vitest.config.ts';
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--silent'];
  if (order.always !== null) args.push('--bail=1');
  const env = { ...process.env, SLUICE_MUTATION_FOLDER: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const kill = () => child.exitCode === null && process.kill(-child.pid, 'SIGKILL');
  process.once('exit', kill);
  return new Promise((resolve) => {
    let length = 0;
    let heard = Date.now();
    const end = (exit) => {
      clearInterval(timer);
      process.off('exit', kill);
      const lines = readFileSync(notes, 'utf8').split('\n').slice(0, -1);
      resolve({ exit, seen: lines.map((line) => JSON.parse(line)) });
    };
    const timer = setInterval(() => {
      const text = readFileSync(notes, 'utf8');
      if (text.length > length) heard = Date.now();
      length = text.length;
      const asked = /\{"kind":"(restart|over)"\}\n$/.exec(text)?.[1];
      const limit = text.includes('"try"') ? HANGING_MS : QUIET_MS;
      if (asked === undefined && Date.now() - heard < limit) return;
      child.removeAllListeners('close');
      child.once('close', () => end(asked ?? 'quiet'));
      kill();
    }, 250);
    child.once('close', (code) => end(code === 0 ? 'over' : 'failed'));
  });
}
