import { configDefaults, defineConfig } from 'vitest/config';

const UNIT = 'test/unit/**/*.test.ts';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      // They leave nothing behind, and to load every library anew for each of them takes longer than they do.
      { extends: true, test: { name: 'unit', include: [UNIT], isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, UNIT],
        },
      },
    ],
  },
});
