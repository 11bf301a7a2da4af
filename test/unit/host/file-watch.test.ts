/** What the watch over a node's files says and does, second by second. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileWatch } from '../../../src/host/database/file-watch.ts';
import { createOtherFiles } from '../../../src/host/database/other-files.ts';
import type { Loss } from '../../../src/store/durability/place.ts';
import type { Rescue } from '../../../src/store/durability/rescue.ts';
import { temporaryFolder } from '../../support/store.ts';

const GONE: Loss = { file: '/data/node.db', isMissing: true };
const FULL: Rescue = { ok: false, reason: 'database or disk is full' };
const BACK: Rescue = { ok: true, file: '/data/node.db', isInPlace: true };
const BESIDE: Rescue = { ok: true, file: '/data/node.db.rescued-1', isInPlace: false };

function watched() {
  const state = {
    loss: null as Loss | null,
    outcome: FULL as Rescue,
    missing: null as string | null,
  };
  const said: string[] = [];
  const told: (string | null)[] = [];
  const rescues: number[] = [];
  const ends: boolean[] = [];
  let seconds = 0;
  let tick = () => {};
  const watch = createFileWatch({
    store: {
      file: '/data/node.db',
      loss: () => state.loss,
      rescue() {
        rescues.push(seconds);
        return state.outcome;
      },
    },
    others: { missing: () => state.missing },
    clock: {
      now: () => 0,
      elapsed: () => seconds * 1_000,
      every(_, work) {
        tick = work;
        return () => {};
      },
    },
    log: {
      info: (_, text) => void said.push(text),
      warn() {},
      error: (_, text) => void said.push(text),
    },
    onRescued: ({ isInPlace }) => void ends.push(isInPlace),
  });
  watch.listen(() => void told.push(watch.database.trouble()));
  const end = watch.start();
  const pass = (count: number) => {
    for (let second = 0; second < count; second += 1) {
      seconds += 1;
      tick();
    }
  };
  return { state, said, told, rescues, ends, watch, pass, end };
}

describe('the watch over the database', () => {
  it('tells of the loss before it writes the database anew, and ends the node after', () => {
    const { state, told, ends, watch, pass } = watched();
    pass(2);
    expect([watch.database.trouble(), told]).toEqual([null, []]);
    state.loss = GONE;
    state.outcome = BACK;
    pass(1);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('node.db was deleted or moved');
    expect(ends).toEqual([true]);
    expect([watch.isOver(), watch.movedTo()]).toEqual([true, null]);
    expect(watch.database.trouble()).toContain('nothing is lost');
    pass(3);
    expect(ends).toHaveLength(1);
  });

  it('says where the database lies when something else is in its place', () => {
    const { state, ends, watch, pass } = watched();
    state.loss = { ...GONE, isMissing: false };
    state.outcome = BESIDE;
    pass(1);
    expect(ends).toEqual([false]);
    expect(watch.movedTo()).toBe('file:///data/node.db.rescued-1');
    expect(watch.database.trouble()).toContain('beside it, in node.db.rescued-1');
  });

  it('tries again with growing pauses, and repeats itself each minute', () => {
    const { state, said, rescues, ends, pass, watch } = watched();
    state.loss = GONE;
    pass(130);
    expect(rescues).toEqual([1, 2, 4, 8, 16, 32, 64, 124]);
    // Once that it is lost, and from then on why it is not written anew.
    expect(said).toHaveLength(4);
    expect(watch.database.trouble()).toContain('database or disk is full');
    state.outcome = BACK;
    pass(60);
    expect(ends).toEqual([true]);
  });

  it('is content when the same file is back', () => {
    const { state, told, watch, pass } = watched();
    state.loss = GONE;
    pass(1);
    state.loss = null;
    pass(1);
    expect([watch.database.trouble(), told.at(-1), told.length]).toEqual([null, null, 2]);
  });

  it('looks for the last time when it is ended', () => {
    const { state, rescues, end, pass } = watched();
    state.loss = GONE;
    pass(5);
    end();
    expect(rescues).toEqual([1, 2, 4, 5]);
  });
});

describe('the watch over the other files', () => {
  it('tells of what is missing, and of its return, and refuses nothing', () => {
    const { state, told, said, watch, pass } = watched();
    state.missing = 'a file is missing';
    pass(10);
    expect([watch.others.trouble(), watch.database.trouble()]).toEqual(['a file is missing', null]);
    state.missing = null;
    pass(1);
    expect(told).toHaveLength(2);
    expect(said).toEqual(['a file is missing', 'all files that the next start needs are there']);
  });

  it('names the file or folder, and the lock of the key', () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at('contracts.json'), '{}');
    writeFileSync(at('key.lock'), '');
    mkdirSync(at('data'));
    const named = [
      { what: 'The file of --contracts', path: at('contracts.json') },
      { what: 'The folder of the data', path: at('data') },
    ];
    const files = createOtherFiles(named, at('key.lock'));
    expect(files.missing()).toBeNull();
    rmSync(at('contracts.json'));
    expect(files.missing()).toContain('The file of --contracts (contracts.json)');
    rmSync(at('data'), { recursive: true });
    expect(files.missing()).toContain('The folder of the data');
    writeFileSync(at('other'), '');
    renameSync(at('other'), at('key.lock'));
    expect(files.missing()).toContain('The lock of the key (key.lock)');
  });
});
