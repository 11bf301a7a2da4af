import { describe, expect, it } from 'vitest';
import { createBatchSize } from '../../../src/node/runtime/commits/batch-size.ts';

/** How many turns fill a batch. */
function turnsOf({ isFull }: ReturnType<typeof createBatchSize>): number {
  let turns = 1;
  while (!isFull(turns, 0)) turns += 1;
  return turns;
}

describe('the size of a batch', () => {
  it('is 64 turns, or 256 rows, at first', () => {
    const size = createBatchSize();
    expect(turnsOf(size)).toBe(64);
    expect([size.isFull(1, 255), size.isFull(1, 256)]).toEqual([false, true]);
  });

  it('doubles after a full batch that was written quickly, up to 256 turns and 1,024 rows', () => {
    const size = createBatchSize();
    size.note(64, 4);
    expect(turnsOf(size)).toBe(128);
    size.note(128, 0);
    size.note(256, 0);
    expect(turnsOf(size)).toBe(256);
    expect([size.isFull(1, 1_023), size.isFull(1, 1_024)]).toEqual([false, true]);
  });

  it('stays after a small batch, and after one that took its time', () => {
    const size = createBatchSize();
    size.note(63, 0);
    size.note(64, 5);
    size.note(64, 15);
    expect(turnsOf(size)).toBe(64);
  });

  it('halves after a slow commit of any size, down to 64 turns', () => {
    const size = createBatchSize();
    size.note(64, 0);
    size.note(128, 0);
    size.note(1, 16);
    expect(turnsOf(size)).toBe(128);
    size.note(1, 16);
    size.note(1, 16);
    expect(turnsOf(size)).toBe(64);
  });
});
