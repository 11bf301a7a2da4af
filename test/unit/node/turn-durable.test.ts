import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { ignored, onDisk, slowDisk } from '../../support/engine.ts';

const answerTo = (requestId: string): Effect => ({
  type: 'reply.error',
  requestId,
  code: 'no_route',
  detail: '',
});

/** A node with a disk that takes its time, and the turns that it is given. */
function onSlowDisk() {
  const disk = slowDisk();
  /** `whilePerforming`: called when a batch is performed, before anybody is answered. */
  const world = { whilePerforming() {} };
  const node = onDisk({ disk, onPerform: () => world.whilePerforming() });
  node.answers.length = 0;
  return {
    ...node,
    disk,
    world,
    /** A turn that answers a caller. */
    answer(requestId = 'request:1') {
      node.collect('node', answerTo(requestId));
      node.turn([ignored]);
    },
  };
}

describe('a node whose disk takes its time', () => {
  it('answers nobody before the disk has the batch that says so', async () => {
    const { answer, answers, batches, disk } = onSlowDisk();
    answer();
    await nextTick();
    expect(batches).toHaveLength(1);
    expect(answers).toEqual([]);
    disk.arrive();
    expect(answers).toEqual(['reply.error']);
  });

  it('goes on meanwhile, and writes what came in one batch when the disk is free', async () => {
    const { answer, answers, batches, disk } = onSlowDisk();
    answer();
    await nextTick();
    answer();
    answer();
    await nextTick();
    expect(batches).toHaveLength(1);
    disk.arrive();
    await nextTick();
    expect(batches).toHaveLength(2);
    disk.arrive();
    expect(answers).toHaveLength(3);
  });

  it('writes a burst that takes several rounds of the loop in one batch', async () => {
    const { answer, batches, disk } = onSlowDisk();
    for (let round = 0; round < 2; round++) {
      answer();
      answer();
      await nextTick();
    }
    expect(batches).toEqual([]);
    await nextTick();
    expect(batches).toHaveLength(1);
    disk.arrive();
  });

  it('lets no burst keep a batch for long', async () => {
    const { answer, batches } = onSlowDisk();
    let rounds = 0;
    for (; batches.length === 0; rounds++) {
      answer();
      answer();
      await nextTick();
    }
    expect(rounds).toBeLessThan(5);
  });

  it('writes a large batch though the disk is busy, and answers in the order of the batches', async () => {
    const { answer, answers, batches, disk } = onSlowDisk();
    answer();
    await nextTick();
    for (let n = 0; n < 64; n++) answer();
    expect(batches).toHaveLength(1);
    await nextTick();
    expect(batches).toHaveLength(2);
    disk.arrive(1);
    expect(answers).toHaveLength(1);
    disk.arrive(1);
    expect(answers).toHaveLength(65);
  });

  it('stands still rather than having many batches under way', () => {
    const { answer, answers, batches } = onSlowDisk();
    const untilBatch = (count: number) => {
      while (batches.length < count) answer();
    };
    untilBatch(4);
    expect(answers).toEqual([]);
    untilBatch(5);
    expect(answers.length).toBeGreaterThan(4 * 64);
  });

  it('has everything on disk when it was flushed', async () => {
    const { answer, answers, flush } = onSlowDisk();
    answer();
    await nextTick();
    answer();
    flush();
    expect(answers).toHaveLength(2);
  });

  it('has on disk what was written when it was settled, and the rest later', async () => {
    const { answer, answers, batches, settle } = onSlowDisk();
    answer();
    await nextTick();
    answer();
    settle();
    expect(answers).toHaveLength(1);
    expect(batches).toHaveLength(1);
  });

  it('does nothing of what was on its way once it is broken', async () => {
    const { answer, answers, batches, turn, disk, isBroken } = onSlowDisk();
    answer();
    await nextTick();
    const fail = () =>
      turn([], () => {
        throw new Error('a bug');
      });
    expect(fail).toThrow('a bug');
    disk.arrive();
    expect(isBroken()).toBe(true);
    expect(batches).toHaveLength(1);
    expect(answers).toEqual([]);
  });

  it('does all that a batch asks for before it begins with the next', () => {
    const { answer, flush, answers, world } = onSlowDisk();
    let asked = 0;
    world.whilePerforming = () => {
      asked += 1;
      if (asked > 1) return;
      answer('request:2');
      flush();
      expect(answers).toEqual([]);
    };
    answer();
    flush();
    expect(asked).toBe(2);
    expect(answers).toHaveLength(2);
  });

  it('ends when the disk fails, and does nothing of what was on its way', () => {
    const errors: unknown[] = [];
    const fails: ((error: unknown) => void)[] = [];
    const disk = {
      whenDurable: (_: () => void, fail: (error: unknown) => void) => void fails.push(fail),
      sync() {},
    };
    const node = onDisk({ disk, onFatal: (error) => void errors.push(error) });
    const [fail] = fails;
    fail?.('EIO');
    expect(errors).toEqual(['EIO']);
    expect(node.isBroken()).toBe(true);
    expect(node.answers).toEqual([]);
  });
});
