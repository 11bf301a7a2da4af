/** Each planted defect that has a world is found there, in the first run; without it nothing is found. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { walk } from '../support/walks.ts';
import { PLANTED } from './planted/list.ts';
import { classOf } from './planted/patch.ts';
import { search, worldNamed } from './planted/search.ts';
import { WORLDS } from './planted/worlds/list.ts';

const SEEN = PLANTED.flatMap((bug) => (bug.world === undefined ? [] : [{ bug, world: bug.world }]));

describe('a planted defect', () => {
  it.each(
    walk(SEEN, (_, index) => index % 16 === 0).map(
      ({ bug, world }) => [bug.id, bug.title, world, bug] as const,
    ),
  )(
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
  it.each(walk(Object.keys(WORLDS), (_, index) => index % 4 === 0))(
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
