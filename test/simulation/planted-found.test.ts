/**
 * A planted defect of every fourth class is found in its world, in the first run; without it nothing is found. All of them:
 * `npm run simulate:planted`.
 */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { PLANTED } from './planted/list.ts';
import { classOf } from './planted/patch.ts';
import { search, worldNamed } from './planted/search.ts';
import { WORLDS } from './planted/worlds/list.ts';

const SEEN = PLANTED.flatMap((bug) => (bug.world === undefined ? [] : [{ bug, world: bug.world }]));
/** The first of its class. */
const FIRSTS = SEEN.filter(
  (one, at) => SEEN.findIndex(({ bug }) => classOf(bug) === classOf(one.bug)) === at,
).filter((_, at) => at % 4 === 0);

describe('a planted defect', () => {
  it.each(FIRSTS.map(({ bug, world }) => [bug.id, bug.title, world, bug] as const))(
    '%s is found: %s',
    async (_, _title, world, bug) => {
      const finding = await search(bug, world, 1);
      expect(finding).not.toBeNull();
      if (typeof bug.expected !== 'string') expect(bug.expected).toContain(finding?.invariant);
    },
    300_000,
  );

  it('is found of most classes of the regression list', () => {
    expect(new Set(SEEN.map(({ bug }) => classOf(bug))).size).toBeGreaterThanOrEqual(58);
    expect(SEEN.length).toBeGreaterThanOrEqual(143);
  });
});

describe('a world for planted defects', () => {
  it.each([...new Set(FIRSTS.map(({ world }) => world))])(
    'passes without a defect: %s',
    async (world) => {
      const { violation } = await simulate({ scenario: worldNamed(world), seed: 1 });
      expect(violation?.text ?? null).toBeNull();
    },
    300_000,
  );

  it.each(Object.keys(WORLDS))('shows a defect: %s', (world) => {
    expect(SEEN.filter((one) => one.world === world)).not.toEqual([]);
  });
});
