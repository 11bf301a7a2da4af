// Changes the code in one place at a time, and tries the tests that take seconds. Arguments: files or globs limit it to
// these; --workers N: processes at once (2); --quick: of the survivors, only those that a test file meets while it is
// loaded are tried once more alone. Writes results.json and survivors.md to dist/mutation, where the results
// of other files stay.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { plantMutants } from './mutants.mjs';
import { passesWith, tryMutants } from './process.mjs';
import { grouped, isAlive, lineOf, totalOf, writeReport } from './report.mjs';

/** The code that is changed, and the tests that it is tried against: the nearest first. */
const ROOMS = {
  machines: ['machines', 'charts', 'node'],
  'src/basics': ['protocol', 'machines', 'chain', 'node'],
  'src/protocol': ['protocol', 'machines', 'routing', 'charts'],
  'src/node/runtime': ['node', 'store'],
};
const TESTS = {
  machines: 'test/unit/machines/*.test.ts',
  protocol: 'test/unit/protocol/*.test.ts',
  routing: 'test/unit/routing/*.test.ts',
  chain: 'test/unit/chain/*.test.ts',
  node: 'test/unit/node/*.test.ts',
  // Of its room, the one that needs no database file.
  store: 'test/unit/store/durability.test.ts',
  charts: 'test/charts/*.test.ts',
};
/** Of the test files that meet a mutant, so many run once more with it: those of its own room come first. */
const ONCE_MORE = 6;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { workers: { type: 'string', default: '2' }, quick: { type: 'boolean' } },
});

// What this process started ends with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

function wantedFiles(room) {
  const all = readdirSync(room, { recursive: true })
    .map((name) => `${room}/${name}`)
    .filter((file) => file.endsWith('.ts'));
  if (positionals.length === 0) return all;
  return all.filter((file) => positionals.some((glob) => file === glob || matchesGlob(file, glob)));
}

/** Neighbours differ in size: so each worker gets every so manieth file. */
function partsOf(room) {
  const files = wantedFiles(room);
  const workers = Math.min(Number(values.workers), files.length);
  return Array.from({ length: workers }, (_, at) => ({
    folder: `dist/mutation/${room.replaceAll('/', '-')}-${at}`,
    files: files.filter((_file, index) => index % workers === at),
    tests: ROOMS[room].map((name) => TESTS[name]),
  }));
}

async function measure(part) {
  rmSync(part.folder, { recursive: true, force: true });
  mkdirSync(part.folder, { recursive: true });
  const mutants = await plantMutants(part.files, `${part.folder}/source`);
  const tried = await tryMutants({ ...part, ids: mutants.map(({ id }) => id) });
  const filesOf = (id) => [...(tried.loaded.get(id) ?? []), ...(tried.met.get(id) ?? [])];
  const endOf = ({ id }) => {
    if (tried.ends.has(id)) return tried.ends.get(id);
    if (filesOf(id).length > 0) return { how: 'survived' };
    return { how: tried.fixed.has(id) ? 'static' : 'unmet' };
  };
  const ended = mutants.map((mutant) => ({
    ...mutant,
    end: endOf(mutant).how,
    test: endOf(mutant).test,
  }));
  const alive = ended.filter(
    ({ id, end }) => end === 'survived' && (values.quick !== true || tried.loaded.has(id)),
  );
  console.log(
    `${part.folder}: ${mutants.length - alive.length} of ${mutants.length} done; the rest once more, alone`,
  );
  await tryAlone(part, alive, filesOf);
  return ended;
}

/** What was kept from before a mutant was switched on may have hidden it, and what a test file does while it is loaded. */
async function tryAlone(part, alive, filesOf) {
  const testsOf = ({ id }) => [...new Set(filesOf(id))].slice(0, ONCE_MORE);
  const used = [...new Set(alive.flatMap(testsOf))];
  if (used.length > 0 && (await passesWith(part, 'none', used)) !== 'passes') {
    throw new Error('the tests do not pass as they are');
  }
  for (const mutant of alive) {
    const how = await passesWith(part, mutant.id, testsOf(mutant));
    if (how !== 'passes') mutant.end = how;
  }
}

const measured = [];
for (const room of Object.keys(ROOMS)) {
  const ended = (await Promise.all(partsOf(room).map(measure))).flat();
  for (const [file, mutants] of Object.entries(grouped(ended, ({ file }) => file))) {
    console.log(totalOf(file, mutants));
    for (const one of mutants.filter(isAlive)) console.log(`  ${lineOf(one)}`);
  }
  measured.push(...ended);
  if (ended.length > 0) writeReport(measured);
}
console.log(totalOf('all', measured));
