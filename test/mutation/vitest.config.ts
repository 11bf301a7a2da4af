import { defineConfig } from 'vitest/config';

/** The tests that a mutant is tried against: those that take seconds, each file's libraries loaded once. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/support/seed.ts'],
    include: [
      'test/unit/{machines,protocol,node,routing}/**/*.test.ts',
      'test/charts/**/*.test.ts',
    ],
    testTimeout: 60_000,
    isolate: false,
  },
});
