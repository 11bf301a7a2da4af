/** A node dies at every single point of a scenario. All of the scenarios: SLUICE_CRASHES=all. */
import { describe, expect, it } from 'vitest';
import { CRASH_SEED, crashesOf, crashPointsOf } from '../../src/simulation/run/crash-points.ts';
import { CRASH_SCENARIOS, crashScenario } from '../../src/simulation/run/crash-scenarios.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/schema.ts';
import { walk } from '../support/walks.ts';

/** Each kind of thing once. */
const USUAL = [
  'a payment',
  'a mediated payment',
  'an unlock that never comes',
  'a ghost in the payload',
  'two deposits',
  'withdrawals of both',
  'a channel that both fund',
  'a close by both',
  'a close with an old proof',
  'the end with payments under way',
];
const CHOSEN =
  process.env['SLUICE_CRASHES'] === 'all'
    ? CRASH_SCENARIOS
    : walk(USUAL, (name) => ['a payment', 'a mediated payment', 'two deposits'].includes(name));

describe('the scenarios in which nodes die', () => {
  it('are thirty, and pass when nobody does', async () => {
    const found: string[] = [];
    for (const name of walk(CRASH_SCENARIOS, (_, index) => index % 6 === 0)) {
      const { violation } = await simulate({ scenario: crashScenario(name), seed: 1 });
      if (violation !== null) found.push(`${name}: ${violation.text}`);
    }
    expect(found).toEqual([]);
    expect(CRASH_SCENARIOS).toHaveLength(30);
  }, 600_000);

  it('have as many runs with two deaths as there are pairs of points', () => {
    const points = ['commit.before', 'job.after'].map((point) => ({ index: 0, point, nth: 1 }));
    const pairs = [0, 1, 2, 3].map((n) => crashesOf(points, 2, n).map(({ point }) => point));
    expect(pairs).toEqual([
      ['commit.before', 'commit.before'],
      ['commit.before', 'job.after'],
      ['job.after', 'commit.before'],
      ['job.after', 'job.after'],
    ]);
  });

  it('have the points of commits, messages and transactions', async () => {
    const points = await crashPointsOf(crashScenario('the end of all channels'));
    const names = new Set(points.map(({ point }) => point));
    for (const name of ['commit.before', 'commit.after', 'publish.before', 'receive.after'])
      expect(names).toContain(name);
    for (const name of [
      'transaction.signed',
      'transaction.saved',
      'transaction.sent',
      'job.before',
    ])
      expect(names).toContain(name);
  });
});

/** The disk has each write at once, or so late that other messages come and go before. */
const DISKS = [
  ['at once', 0],
  ['later', 150],
] as const;

/** The scenario on disks that have each write so many milliseconds later. */
function onLateDisks(scenario: Scenario, ms: number): Scenario {
  if (ms === 0) return scenario;
  const when = { kind: 'once', atBlock: 1n, blocks: scenario.run.blocks } as const;
  const late = { kind: 'disk_late', nodes: [{ kind: 'all' } as const], when, ms } as const;
  return { ...scenario, faults: [...scenario.faults, late] };
}

describe('a node that dies at any point', () => {
  it.each(CHOSEN.flatMap((name) => DISKS.map(([when, ms]) => [name, when, ms] as const)))(
    'loses nothing, and ends what it began: %s, on a disk that has its writes %s',
    async (name, _, ms) => {
      const found: string[] = [];
      const scenario = onLateDisks(crashScenario(name), ms);
      const points = await crashPointsOf(scenario);
      for (const n of walk([...points.keys()], (_one, index) => index % 3 === 0)) {
        const crashes = crashesOf(points, 1, n);
        const result = await simulate({ scenario, seed: CRASH_SEED, crashes });
        const kills = result.nodes.reduce((sum, node) => sum + node.kills, 0);
        if (kills !== 1) found.push(`${JSON.stringify(crashes)}: ${kills} deaths`);
        if (result.violation !== null)
          found.push(`${JSON.stringify(crashes)}: ${result.violation.text}`);
      }
      expect(found).toEqual([]);
      expect(points.length).toBeGreaterThan(30);
    },
    600_000,
  );
});
