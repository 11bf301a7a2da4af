/** How many actors are read without standing in the way of everything else. */
import { describe, expect, it } from 'vitest';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { statesOf } from '../../../src/node/runtime/actors/walk.ts';
import { keeper } from '../../support/keeper-makers.ts';

const { snapshot } = keeper();
const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `keeper:${n}`);

/** The slices in which these are read when those are gone, and what each was read for. */
async function read(ids: readonly string[], gone: readonly string[] = []) {
  const stateOf = (id: string) => (gone.includes(id) ? null : stateFrom(id, snapshot));
  const slices: string[][] = [];
  for await (const slice of statesOf({ stateOf }, ids)) {
    for (const { id, state } of slice) expect(state).toEqual(stateFrom(id, snapshot));
    slices.push(slice.map(({ id }) => id));
  }
  return slices;
}

describe('a walk over actors', () => {
  it.each([
    [0, []],
    [1, [1]],
    [50, [50]],
    [51, [50, 1]],
    [120, [50, 50, 20]],
  ])('reads each of %i once, in order, 50 at a time', async (count, sizes) => {
    const slices = await read(idsOf(count));
    expect(slices.map(({ length }) => length)).toEqual(sizes);
    expect(slices.flat()).toEqual(idsOf(count));
  });

  it('leaves out those that are gone', async () => {
    expect(await read(idsOf(3), ['keeper:1'])).toEqual([['keeper:0', 'keeper:2']]);
  });

  it('lets other work in between, and begins at once', async () => {
    const done: string[] = [];
    setImmediate(() => void done.push('other work'));
    const stateOf = (id: string) => stateFrom(id, snapshot);
    for await (const [first] of statesOf({ stateOf }, idsOf(51))) done.push(first?.id ?? '');
    expect(done).toEqual(['keeper:0', 'other work', 'keeper:50']);
  });
});
