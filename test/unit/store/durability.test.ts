import { closeSync, fdatasync, fdatasyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createDurability, type Disk } from '../../../src/store/durability/durability.ts';
import { temporaryFolder } from '../../support/store.ts';

/** A disk that takes `ms` milliseconds, and fails as long as it has an `error`. */
function fallible() {
  let now = 0;
  const disk: Disk & { error: Error | null; ms: number } = {
    error: null,
    ms: 0,
    now: () => now,
    fdatasync: (handle, done) => (disk.error === null ? fdatasync(handle, done) : done(disk.error)),
    fdatasyncSync(handle) {
      if (disk.error !== null) throw disk.error;
      now += disk.ms;
      fdatasyncSync(handle);
    },
  };
  return disk;
}
const BROKEN = new Error('EIO');

/** A log, and what those who wait for it hear, in order. */
function log(mayStandStill = () => true) {
  const path = join(temporaryFolder(), 'node.db-wal');
  writeFileSync(path, '');
  const disk = fallible();
  const durability = createDurability(path, disk, mayStandStill);
  const heard: string[] = [];
  return {
    ...durability,
    disk,
    heard,
    wait: (name: string) =>
      durability.whenDurable(
        () => void heard.push(name),
        (error) => void heard.push(`${name}: ${String(error)}`),
      ),
  };
}

/** One whose disk was waited for on the spot, and was slow. */
function slowLog() {
  const slow = log();
  slow.disk.ms = 100;
  slow.noteWritten();
  slow.force();
  return slow;
}

/** Resolves when a later write of another file is on the disk. */
function laterWrite(): Promise<void> {
  const handle = openSync(join(temporaryFolder(), 'other'), 'w');
  return new Promise((resolve) =>
    fdatasync(handle, () => {
      closeSync(handle);
      resolve();
    }),
  );
}

describe('who waits for a commit', () => {
  it('hears at once when everything is on the disk', () => {
    const { wait, heard } = log();
    wait('first');
    expect(heard).toEqual(['first']);
  });

  it('hears before it goes on when the disk is quick', () => {
    const { noteWritten, wait, heard } = log();
    noteWritten();
    wait('first');
    expect(heard).toEqual(['first']);
  });

  it('does not stand still for a quick disk while what follows waits for a replica', async () => {
    let isWaitedFor = true;
    const { noteWritten, wait, heard } = log(() => !isWaitedFor);
    noteWritten();
    wait('first');
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(['first']));
    isWaitedFor = false;
    noteWritten();
    wait('second');
    expect(heard).toEqual(['first', 'second']);
  });

  it('hears before it goes on again when a slow disk has become quick', async () => {
    const { noteWritten, wait, heard, disk } = slowLog();
    disk.ms = 0;
    const isHeardAtOnce = async () => {
      heard.length = 0;
      noteWritten();
      wait('next');
      if (heard.length > 0) return true;
      await vi.waitFor(() => expect(heard).toEqual(['next']), { interval: 1 });
      return false;
    };
    let count = 0;
    while (!(await isHeardAtOnce())) count += 1;
    expect(count).toBe(100);
  });

  it('hears later, in order, when the disk has it', async () => {
    const { noteWritten, wait, heard } = slowLog();
    noteWritten();
    wait('first');
    noteWritten();
    wait('second');
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second']));
  });

  it('hears at once when the process waits for the disk', () => {
    const { noteWritten, wait, sync, heard } = slowLog();
    noteWritten();
    wait('first');
    sync();
    expect(heard).toEqual(['first']);
  });

  it('hears in a turn of its own when somebody else waits for the disk', async () => {
    const { noteWritten, wait, force, heard } = slowLog();
    noteWritten();
    wait('first');
    force();
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(['first']));
  });

  it('may write and wait again while it hears', async () => {
    const { noteWritten, wait, whenDurable, heard } = slowLog();
    noteWritten();
    whenDurable(
      () => {
        heard.push('first');
        noteWritten();
        wait('second');
      },
      () => {},
    );
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second']));
  });

  it('hears that the disk failed, and so does everybody after it', async () => {
    const { noteWritten, wait, sync, force, heard, disk } = slowLog();
    disk.error = BROKEN;
    noteWritten();
    wait('first');
    disk.error = null;
    noteWritten();
    wait('second');
    expect(heard).toEqual(['first: Error: EIO', 'second: Error: EIO']);
    expect(sync).toThrow('EIO');
    expect(force).toThrow('EIO');
  });

  it('hears of a failure even when somebody else was waiting for the disk', () => {
    const { noteWritten, wait, force, heard, disk } = log();
    noteWritten();
    disk.error = BROKEN;
    expect(force).toThrow('EIO');
    disk.error = null;
    wait('first');
    expect(heard).toEqual(['first: Error: EIO']);
  });

  it('hears of a failure that somebody else met meanwhile', async () => {
    const { noteWritten, wait, force, heard, disk } = slowLog();
    noteWritten();
    wait('first');
    disk.error = BROKEN;
    expect(force).toThrow('EIO');
    await vi.waitFor(() => expect(heard).toEqual(['first: Error: EIO']));
  });

  it('hears nothing once the log is closed', async () => {
    const { noteWritten, wait, close, heard } = slowLog();
    noteWritten();
    wait('first');
    close();
    close();
    await laterWrite();
    expect(heard).toEqual([]);
  });

  it('hears at once of a database in memory, which has no disk', () => {
    const heard: string[] = [];
    const { noteWritten, whenDurable } = createDurability(null);
    noteWritten();
    whenDurable(
      () => void heard.push('first'),
      () => {},
    );
    expect(heard).toEqual(['first']);
  });
});
