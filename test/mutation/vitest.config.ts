import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a change of a machine or of a rule breaks first: the tests of the same room, and of those the short ones. */
const NEAREST = [
  'unit/machines',
  'unit/protocol',
  'unit/routing',
  'charts',
  'unit/node',
  'unit/store',
];
/** They walk whole charts, or make thousands of cases, before their first test. */
const LONG = ['/channel-claims.test.ts', '/network-charts.test.ts', '/channel-chart.test.ts'];

function distance({ moduleId }: TestSpecification): number {
  if (LONG.some((name) => moduleId.endsWith(name))) return NEAREST.length;
  return NEAREST.findIndex((room) => moduleId.includes(`/test/${room}/`));
}

/** A mutant is dead with the first test that fails: the quick ones are asked before those that load a whole node. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({ file, size: statSync(file.moduleId).size }));
    sized.sort((a, b) => distance(a.file) - distance(b.file) || a.size - b.size);
    return sized.map(({ file }) => file);
  }
}

/** The tests that a mutant is tried against: those that take seconds, each file's libraries loaded once. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/support/seed.ts'],
    env: { SLUICE_CLAIM_RUNS: '1000' },
    include: [
      'test/unit/{machines,protocol,node,routing}/**/*.test.ts',
      // Of its room, the one that needs no database file.
      'test/unit/store/durability.test.ts',
      'test/charts/**/*.test.ts',
    ],
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    isolate: false,
  },
});
