import { closeSync, fdatasync, fdatasyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createDurability, type Disk } from '../../../src/store/durability.ts';
import { temporaryFolder } from '../../support/store.ts';

/** A disk that fails as long as it has an `error`. */
function fallible() {
  const disk: Disk & { error: Error | null } = {
    error: null,
    fdatasync: (handle, done) => (disk.error === null ? fdatasync(handle, done) : done(disk.error)),
    fdatasyncSync(handle) {
      if (disk.error !== null) throw disk.error;
      fdatasyncSync(handle);
    },
  };
  return disk;
}
const BROKEN = new Error('EIO');

/** A log, and what those who wait for it hear, in order. */
function log() {
  const path = join(temporaryFolder(), 'node.db-wal');
  writeFileSync(path, '');
  const disk = fallible();
  const durability = createDurability(path, disk);
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

  it('hears later, in order, when the disk has it', async () => {
    const { noteWritten, wait, heard } = log();
    noteWritten();
    wait('first');
    noteWritten();
    wait('second');
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second']));
  });

  it('hears at once when the process waits for the disk', () => {
    const { noteWritten, wait, sync, heard } = log();
    noteWritten();
    wait('first');
    sync();
    expect(heard).toEqual(['first']);
  });

  it('hears in a turn of its own when somebody else waits for the disk', async () => {
    const { noteWritten, wait, force, heard } = log();
    noteWritten();
    wait('first');
    force();
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(['first']));
  });

  it('may write and wait again while it hears', async () => {
    const { noteWritten, wait, whenDurable, heard } = log();
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
    const { noteWritten, wait, sync, force, heard, disk } = log();
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

  it('hears nothing once the log is closed', async () => {
    const { noteWritten, wait, close, heard } = log();
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
