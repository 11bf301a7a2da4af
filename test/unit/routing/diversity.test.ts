import { describe, expect, it } from 'vitest';
import { ask, type Line, networkOf, nodeAt } from './network-makers.ts';

/** Free channels with plenty, along the nodes. */
function along(...nodes: number[]): Line[] {
  const ends = nodes.map((node) => ({ node, capacity: 1_000n }));
  return ends.slice(1).map((end, at) => ({ ends: [ends[at] ?? end, end] }));
}

/** The shortest from 0 to 1 is over 2; a little longer over a part of it; longest without any of it. */
const networks: [part: string, lines: Line[], overlapping: number[]][] = [
  ['first', [...along(0, 2, 1), ...along(2, 3, 1)], [0, 2, 3, 1]],
  ['last', [...along(0, 2, 1), ...along(0, 3, 2)], [0, 3, 2, 1]],
];

describe.each(networks)('a path over the %s channel of a better one', (_, lines, overlapping) => {
  const network = networkOf([...lines, ...along(0, 4, 5, 6, 1)]);
  const secondWith = (diversityPenalty?: number) =>
    network.paths(
      ask({ maxPaths: 2, ...(diversityPenalty === undefined ? {} : { diversityPenalty }) }),
    )[1]?.path;

  it('comes after a longer one over other channels', () => {
    expect(secondWith()).toEqual([0, 4, 5, 6, 1].map(nodeAt));
  });

  it('comes first when it does not count that channels are used twice', () => {
    expect(secondWith(0)).toEqual(overlapping.map(nodeAt));
  });
});
