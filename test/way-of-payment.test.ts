/**
 * ARCHITECTURE.md lists the files on the way of a direct payment, in the order of the way. Here one payment goes it, and
 * every function of the source that it runs is noted.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { beforeAll, expect, it } from 'vitest';
import { createCallTree, type Run, tracedSource } from './support/call-tree.ts';

const top = fileURLToPath(new URL('..', import.meta.url));
/** Where the way begins. */
const FIRST = 'src/http/server.ts';
const STEPS = 'machines/base/step.ts';
/** What has to be done for a payment until its first message leaves, beside the steps of machines. */
const DEEDS: Record<string, (run: Run) => boolean> = {
  'chooses the route': isRunOf('src/node/routing/usable-routes.ts', 'find'),
  'puts the message into the outbox': isRunOf('src/node/runtime/outbox/outbox.ts', 'add'),
  'writes the rows': isRunOf('src/store/commit.ts', 'writeBatch'),
  'waits for the disk': isRunOf('src/store/durability/durability.ts', 'whenDurable'),
  'signs the message': isRunOf('src/signer/signer.ts', 'sign'),
  'seals the payload': isRunOf('src/node/messaging/sealing.ts', 'seal'),
};

let runs: Run[];
let last: Run;

beforeAll(async () => {
  const tree = createCallTree(FIRST);
  type Driver = typeof import('./support/way-of-payment.ts');
  const { module } = await runnerImport<Driver>(join(top, 'test/support/way-of-payment.ts'), {
    root: top,
    configFile: false,
    logLevel: 'error',
    plugins: [tracedSource(top)],
  });
  last = await module.wayOfPayment(tree);
  runs = tree.runs;
});

it('lists the files on the way of a payment in the order of the way', () => {
  const missing = Object.keys(DEEDS).filter((deed) => !runs.some(DEEDS[deed] ?? (() => false)));
  expect(missing, 'nothing on the way does this: the names in DEEDS are of other days').toEqual([]);
  const way = filesOnTheWay();
  const listed = filesListed();
  const unlisted = way.filter((file) => !listed.includes(file));
  expect(unlisted, 'on the way, and not in the list of ARCHITECTURE.md').toEqual([]);
  const strange = listed.filter((file) => !way.includes(file));
  expect(strange, 'in the list of ARCHITECTURE.md, and not on the way').toEqual([]);
  expect(listed, 'the list of ARCHITECTURE.md is in another order than the way').toEqual(way);
});

function isRunOf(file: string, name: string): (run: Run) => boolean {
  return (run) => run.file === file && run.name === name;
}

/** A machine's file that changes its actor: called as a step, not as a check. */
const isStep = ({ file, parent }: Run): boolean =>
  file !== STEPS && parent?.file === STEPS && parent.name !== 'when';

/** The files of functions that had begun and not ended when a deed was done, in the order of their first run. */
function filesOnTheWay(): string[] {
  const isDeed = (run: Run) =>
    run === last || isStep(run) || Object.values(DEEDS).some((is) => is(run));
  const open = new Set(runs.filter(isDeed).flatMap((run) => withoutDetours(runsAbove(run))));
  const files = runs.filter((run) => open.has(run)).map(({ file }) => file);
  return [...new Set(files.flatMap((file) => [...chartOf(file), file]))];
}

/** From the first of the call to this one. */
function runsAbove(run: Run | null): Run[] {
  return run === null ? [] : [...runsAbove(run.parent), run];
}

/** Without what a file only has around its own function: who reads on reads on in the same file. */
function withoutDetours(way: readonly Run[]): Run[] {
  const kept: Run[] = [];
  for (const run of way) {
    const before = kept.findLastIndex(({ file }) => file === run.file);
    if (before >= 0) kept.length = before + 1;
    kept.push(run);
  }
  return kept;
}

/** The chart that says which step an actor takes; it has no functions of its own. */
function chartOf(file: string): string[] {
  const chart = `${dirname(file)}/chart.ts`;
  return file.startsWith('machines/') && existsSync(join(top, chart)) ? [chart] : [];
}

function filesListed(): string[] {
  const text = readFileSync(join(top, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = text.split('\n## The way of a payment\n');
  const [list = ''] = section.split('\n## ');
  return [...list.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}
