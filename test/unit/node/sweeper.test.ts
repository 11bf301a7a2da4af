import { describe, expect, it } from 'vitest';
import { createSweeper, rowsAfter } from '../../../src/node/runtime/knowledge/sweeper.ts';

const isMoney = () => false;

/** A sweeper over so many rows; `tick` lets a pause pass. */
function sweeping(left: number, failing = new Set<number>(), keepMs: number | null = null) {
  const asked: number[] = [];
  const kept: unknown[] = [];
  const done: string[] = [];
  const ticks = new Set<() => void>();
  let isBroken = false;
  let isClockRight = true;
  const sweeper = createSweeper({
    store: {
      async checkpoint() {
        done.push('checkpoint');
      },
      sweep(rows, keep) {
        asked.push(rows);
        kept.push(keep);
        if (failing.has(asked.length)) throw new Error('the disk is full');
        left = Math.max(0, left - rows);
        return left > 0;
      },
    },
    clock: {
      now: () => 50_000,
      elapsed: () => 50_000,
      every(_, work) {
        ticks.add(work);
        return () => void ticks.delete(work);
      },
    },
    log: { info() {}, warn: (_, text) => void done.push(text), error() {} },
    keepMs,
    isMoney,
    isClockRight: () => isClockRight,
    engine: { isBroken: () => isBroken },
    fault: (point) => void done.push(point),
  });
  return {
    ...sweeper,
    asked,
    kept,
    done,
    isWaiting: () => ticks.size > 0,
    tick() {
      for (const work of ticks) work();
    },
    breakDown: () => {
      isBroken = true;
    },
    setClock: (isRight: boolean) => {
      isClockRight = isRight;
    },
  };
}

describe('what is not needed any more', () => {
  it('is deleted one slice after each pause, until nothing is left', () => {
    const { begin, tick, isWaiting, asked } = sweeping(300);
    begin();
    begin();
    expect(asked).toEqual([]);
    while (isWaiting()) tick();
    expect(asked).toEqual([64, 128, 256]);
  });

  it('waits while the log is brought into the file, now and then', async () => {
    const { begin, tick, asked, done } = sweeping(100_000);
    begin();
    while (!done.includes('checkpoint')) tick();
    const before = asked.length;
    tick();
    expect(asked).toHaveLength(before);
    expect(done.filter((one) => one === 'checkpoint')).toHaveLength(1);
    await Promise.resolve();
    await Promise.resolve();
    tick();
    expect(asked).toHaveLength(before + 1);
  });

  it('is looked for again when another channel is gone', () => {
    const { begin, tick, isWaiting, asked } = sweeping(0);
    for (const _ of [1, 2]) {
      begin();
      tick();
      expect(isWaiting()).toBe(false);
    }
    expect(asked).toHaveLength(2);
  });

  it('stays, and the node goes on, when the disk refuses: it is tried again later', () => {
    const { begin, tick, isWaiting, done } = sweeping(1_000, new Set([2]));
    begin();
    tick();
    tick();
    expect(isWaiting()).toBe(false);
    expect(done).toContain('nothing could be deleted: it is tried again later');
    begin();
    tick();
    expect(isWaiting()).toBe(true);
  });

  it('stays once a commit has failed, and when the node has ended', () => {
    const broken = sweeping(1_000);
    broken.begin();
    broken.breakDown();
    broken.tick();
    expect([broken.asked, broken.isWaiting()]).toEqual([[], false]);
    const ended = sweeping(1_000);
    ended.begin();
    ended.end();
    expect(ended.isWaiting()).toBe(false);
  });

  it('is history of a certain age if the operator says so, and is looked for again and again', () => {
    const { start, tick, end, kept, isWaiting } = sweeping(0, new Set(), 20_000);
    start();
    tick();
    expect(kept[0]).toMatchObject({ history: { from: 30_000, now: 50_000 } });
    expect(isWaiting()).toBe(true);
    end();
    expect(isWaiting()).toBe(false);
    const forEver = sweeping(0);
    forEver.start();
    forEver.tick();
    expect(forEver.kept[0]).toMatchObject({ history: null });
  });

  it('is the answer to a call of a day ago, a redemption of two, and worthless payments of thirty days, however much history is kept', () => {
    const { start, tick, kept, isWaiting } = sweeping(0);
    start();
    tick();
    expect(kept[0]).toEqual({
      history: null,
      callsFrom: 50_000 - 86_400_000,
      redemptionsFrom: 50_000 - 2 * 86_400_000,
      worthless: { from: 50_000 - 30 * 86_400_000, newest: 100_000, isMoney },
    });
    expect(isWaiting()).toBe(true);
  });

  it('is neither history nor an answer while the clock does not agree with the newest block', () => {
    const { start, tick, kept, setClock } = sweeping(1_000, new Set(), 20_000);
    setClock(false);
    start();
    tick();
    setClock(true);
    tick();
    expect(kept).toMatchObject([
      { history: null, callsFrom: null, redemptionsFrom: null },
      { history: { from: 30_000, now: 50_000 } },
    ]);
  });

  it('goes in smaller slices while they take long, and in larger ones while they are short', () => {
    expect(rowsAfter(64, 0.2)).toBe(128);
    expect(rowsAfter(64, 2)).toBe(64);
    expect(rowsAfter(64, 9)).toBe(32);
    expect([rowsAfter(16, 99), rowsAfter(1_024, 0)]).toEqual([16, 1_024]);
  });
});
