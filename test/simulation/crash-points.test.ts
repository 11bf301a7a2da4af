/** A node dies at points of a scenario. All points of all scenarios: SLUICE_CRASHES=all, or `npm run simulate:nightly`. */
import { describe, expect, it } from 'vitest';
import { CRASH_SEED, crashesOf } from '../../src/simulation/run/crash-points.ts';
import type { Crash } from '../../src/simulation/run/play.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { CRASH_SCENARIOS, crashPointsOf, crashScenario } from './crash-scenarios.ts';

/** Each kind of thing once. */
const USUAL = [
  'a payment',
  'a mediated payment',
  'a payment to oneself',
  'an unlock that never comes',
  'a ghost in the payload',
  'two deposits',
  'withdrawals of both',
  'a channel that both fund',
  'a close by both',
  'a close with an old proof',
  'the end with payments under way',
];
const isWhole = process.env['SLUICE_CRASHES'] === 'all';
const CHOSEN = isWhole ? CRASH_SCENARIOS : USUAL;
/** Of so many points one; each scenario has others, and one of the two disks. */
const SHARE = isWhole ? 1 : 25;

describe('the scenarios in which nodes die', () => {
  it('are thirty-one, and those that are tried pass when nobody does', async () => {
    const found: string[] = [];
    for (const name of CHOSEN) {
      const { violation } = await simulate({ scenario: crashScenario(name), seed: 1 });
      if (violation !== null) found.push(`${name}: ${violation.text}`);
    }
    expect(found).toEqual([]);
    expect(CRASH_SCENARIOS).toHaveLength(31);
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

/** What was wrong in the run in which nodes die so. */
async function wrongIn(scenario: Scenario, crashes: readonly Crash[]): Promise<string[]> {
  const { nodes, violation } = await simulate({ scenario, seed: CRASH_SEED, crashes });
  const kills = nodes.reduce((sum, node) => sum + node.kills, 0);
  return [
    ...(kills === crashes.length ? [] : [`${JSON.stringify(crashes)}: ${kills} deaths`]),
    ...(violation === null ? [] : [`${JSON.stringify(crashes)}: ${violation.text}`]),
  ];
}

describe('a node that dies', () => {
  const walks = CHOSEN.flatMap((name, at) =>
    DISKS.filter((_, disk) => isWhole || disk === at % 2).map(
      ([when, ms]) => [name, when, ms] as const,
    ),
  );
  it.each(walks.map((one, at) => [...one, at] as const))(
    'at any point loses nothing, and ends what it began: %s, on a disk that has its writes %s',
    async (name, _, ms, at) => {
      const found: string[] = [];
      const scenario = onLateDisks(crashScenario(name), ms);
      const points = await crashPointsOf(scenario);
      for (const n of points.keys())
        if (n % SHARE === at % SHARE)
          found.push(...(await wrongIn(scenario, crashesOf(points, 1, n))));
      expect(found).toEqual([]);
      expect(points.length).toBeGreaterThan(30);
    },
    600_000,
  );

  it('after a commit of a payment, and again after one of its recovery, ends it once', async () => {
    const scenario = crashScenario('a payment');
    const points = await crashPointsOf(scenario);
    const commits = points.filter(({ point }) => point === 'commit.after');
    const found: string[] = [];
    for (const first of commits)
      for (const nth of [1, 2])
        found.push(...(await wrongIn(scenario, [first, { ...first, nth }])));
    expect(found).toEqual([]);
    expect(commits.length).toBeGreaterThan(8);
  }, 600_000);
});
