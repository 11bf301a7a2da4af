import { readFileSync, statSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readOrder } from './order.ts';

const order = readOrder();
const mutated = new Set(order.files);

/** They walk whole charts, or make thousands of cases, before their first test. */
const LONG = ['/channel-claims.test.ts', '/network-charts.test.ts', '/channel-chart.test.ts'];

/** A mutant is dead with the first test that fails: the nearest are asked first, and of those the short ones. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({
      file,
      far: LONG.some((name) => file.moduleId.endsWith(name)) ? order.tests.length : distance(file),
      size: statSync(file.moduleId).size,
    }));
    sized.sort((a, b) => a.far - b.far || a.size - b.size);
    return sized.map(({ file }) => file);
  }
}

function distance({ moduleId }: TestSpecification): number {
  return order.tests.findIndex((glob) => matchesGlob(relative(process.cwd(), moduleId), glob));
}

/** One process, which loads the mutated source instead of the source. */
export default defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load(id) {
        const file = relative(process.cwd(), id);
        return mutated.has(file) ? readFileSync(`${order.folder}/source/${file}`, 'utf8') : null;
      },
    },
  ],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    runner: 'test/mutation/runner.ts',
    setupFiles: ['test/support/seed.ts'],
    env: { SLUICE_CLAIM_RUNS: '200' },
    include: order.tests,
    exclude: order.over,
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    // A mutant may fail after its test is over.
    dangerouslyIgnoreUnhandledErrors: true,
    isolate: false,
    maxWorkers: 1,
    passWithNoTests: true,
  },
});
