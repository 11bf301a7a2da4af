import { configDefaults, defineConfig } from 'vitest/config';

/** Units that take many seconds each: they open key files of others, walk a whole chart, make thousands of claims. */
const LONG_UNITS = [
  'test/unit/{devnet/anvil,machines/channel-claims,signer/keystore}.test.ts',
  'test/charts/channel-chart.test.ts',
];
const UNIT = ['test/{unit,charts}/**/*.test.ts', 'test/house*.test.ts'];
/** What `npm test` asks besides the units: contracts, documents, rows of the API, stories in virtual time, a smoke. */
const QUICK = [
  ...LONG_UNITS,
  'test/{pages,regressions,way-of-payment}.test.ts',
  'test/conformance/**/*.test.ts',
  // All but what asks the compiler for all contracts, and anvil.
  'test/contracts/!(generated|evm).test.ts',
  'test/simulation/{chain,chain-contracts,chain-endpoint,chain-node,chain-terms}.test.ts',
  'test/simulation/{costs,disk,disk-kept,disk-marks,lines,mix,network}.test.ts',
  'test/simulation/{network-faults,planted,processor,regressions,scenario-!(import),signed-end}.test.ts',
  'test/simulation/{report-files,report-html,report-numbers,shared-batches,signer}.test.ts',
  // The others attack with hundreds of keys, or break what services need on a real chain.
  'test/stories/!(gas-*|*-needs).test.ts',
  'test/stories/gas-{new-seller,prices,reorganised,restart,restart-prices,tokens,waiting}.test.ts',
  'test/integration/{life,ports}.test.ts',
];
/**
 * What takes long, and says less of the money of nodes than what it would leave no time for, comes last: on a slow machine it
 * is first to be left out, see `support/deadline.ts`.
 */
const SLOWEST = [
  'test/full/**/*.test.ts',
  'test/browser/{*-figures,simulation-*}.test.ts',
  'test/contracts/generated.test.ts',
  'test/integration/{crash-chain,openapi,packaging-keys,packaging-leaf,packaging-standby}.test.ts',
  'test/simulation/{chain-differential,crash-points,disk-differential,disks-of-runs,examples}.test.ts',
  'test/simulation/{inspect,pairs,planted-found,ready-scenarios,replica,report-figures,runs}.test.ts',
  'test/simulation/{services-of-runs,shrink}.test.ts',
  'test/stories/gas-{dearer,displaced,jamming}.test.ts',
];
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    setupFiles: ['test/support/seed.ts', 'test/support/deadline.ts'],
    // Simulated networks make much garbage that is young: with room for it a run takes 6 to 9 % less.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // More than a small machine has cores: most of its time a test waits for blocks, timers and processes.
    maxWorkers: 3,
    projects: [
      // No file leaves anything behind in its process, and to load every library anew for each would be a seventh of all work.
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          exclude: [...configDefaults.exclude, ...LONG_UNITS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'quick', include: QUICK, isolate: false } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...UNIT, ...QUICK, ...SLOWEST],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slowest',
          include: SLOWEST,
          isolate: false,
        },
      },
    ],
  },
});
