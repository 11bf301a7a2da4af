import { describe, expect, it } from 'vitest';
import { createDiskWatch } from '../../../src/node/runtime/knowledge/disk-watch.ts';
import type { LockQuestion } from '../../../src/node/runtime/knowledge/lock-gate.ts';

const log = { info() {}, warn() {}, error() {} };

function watchOf(figures: (number | null)[]) {
  let tick = () => {};
  const clock = {
    now: () => 0,
    elapsed: () => 0,
    every(_: number, work: () => void) {
      tick = work;
      return () => {};
    },
  };
  const disk = { leastBytes: 100, free: async () => figures.shift() ?? null };
  const watch = createDiskWatch({ disk, clock, log });
  let changes = 0;
  watch.listen(() => {
    changes += 1;
  });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const asked: LockQuestion = {
    kind: 'own',
    channel: 'channel:1',
  };
  return {
    async begin() {
      watch.start(() => {});
      await settle();
    },
    async look() {
      tick();
      await settle();
    },
    lack: watch.lack,
    refusal: () => watch.rule(asked),
    changes: () => changes,
  };
}

describe('the room on the disk', () => {
  it('refuses locks below the floor, and tells of it once', async () => {
    const watch = watchOf([100, 99, 98, 100]);
    await watch.begin();
    expect([watch.refusal(), watch.lack(), watch.changes()]).toEqual([null, null, 0]);
    await watch.look();
    expect(watch.refusal()).toBe('disk_full');
    await watch.look();
    expect(watch.lack()).toEqual({ left: 98, least: 100 });
    expect(watch.changes()).toBe(1);
    await watch.look();
    expect([watch.refusal(), watch.lack(), watch.changes()]).toEqual([null, null, 2]);
  });

  it('refuses nothing where nothing is known of the disk', async () => {
    const watch = watchOf([]);
    await watch.begin();
    expect(watch.refusal()).toBeNull();
  });
});
