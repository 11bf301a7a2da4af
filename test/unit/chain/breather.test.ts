import { describe, expect, it } from 'vitest';
import { createBreather } from '../../../src/basics/breather.ts';
import { turnsOfOthers } from '../../support/turns.ts';

/** How many turns others have while so many items are gone through, with a pause after each three of them. */
async function turnsDuring(items: number): Promise<number> {
  const pause = createBreather(3);
  const others = turnsOfOthers();
  for (let item = 0; item < items; item++) await pause();
  return others.end();
}

describe('a loop that others make long', () => {
  it('lets everything else have its turn after every few items', async () => {
    expect(await turnsDuring(2)).toBe(0);
    expect(await turnsDuring(3)).toBe(1);
    expect(await turnsDuring(30)).toBe(10);
  });
});
