import { describe, expect, it } from 'vitest';
import { createBatchSize } from '../../../src/node/runtime/commits/batch-size.ts';

type Size = ReturnType<typeof createBatchSize>;

/** How many turns fill a batch. */
function turnsOf(size: Size): number {
  while (!size.isFull(0)) size.add();
  return size.close();
}

describe('the size of a batch', () => {
  it('is 64 turns, or 256 rows, at first', () => {
    const size = createBatchSize();
    expect(turnsOf(size)).toBe(64);
    expect([size.isFull(255), size.isFull(256)]).toEqual([false, true]);
  });

  it('doubles after a full batch that was written quickly, up to 256 turns and 1,024 rows', () => {
    const size = createBatchSize();
    size.note(64, 4);
    expect(turnsOf(size)).toBe(128);
    size.note(128, 0);
    size.note(256, 0);
    expect(turnsOf(size)).toBe(256);
    expect([size.isFull(1_023), size.isFull(1_024)]).toEqual([false, true]);
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

  it('grows while a round of the loop brings more than one turn, for some rounds', () => {
    const size = createBatchSize();
    const afterTurns = (turns: number) => {
      for (let n = 0; n < turns; n++) size.add();
      return size.isGrowing();
    };
    expect([afterTurns(1), afterTurns(2), afterTurns(2), afterTurns(1)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(size.close()).toBe(6);
    const rounds = Array.from({ length: 9 }, () => afterTurns(2));
    expect(rounds.filter((isGrowing) => isGrowing)).toHaveLength(2);
  });

  it('does not grow by the turns that waited for the disk', () => {
    const size = createBatchSize();
    for (let n = 0; n < 5; n++) size.add();
    size.hasWaited();
    expect(size.isGrowing()).toBe(false);
  });
});
