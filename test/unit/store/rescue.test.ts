/** An open database whose files are deleted or replaced is written anew, and nothing that it had is lost. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rescue } from '../../../src/store/durability/rescue.ts';
import type { RescueOptions } from '../../../src/store/durability/rescuer.ts';
import { batchOf, hash, openedStore, temporaryFolder } from '../../support/store.ts';

function begun(options: RescueOptions = {}) {
  const folder = join(temporaryFolder(), 'data');
  const path = join(folder, 'node.db');
  const store = openedStore({ url: `file:${path}`, ...options });
  const commit = (block: bigint) =>
    store.commit(batchOf({ cursor: { block, hash: hash(block) }, block }));
  commit(1n);
  return { folder, path, store, commit };
}

/** How far the database at the path has come. */
function blockAt(path: string): bigint | null {
  const store = openedStore({ url: `file:${path}` });
  const block = store.cursor()?.block ?? null;
  store.close();
  return block;
}

const others = (folder: string) => readdirSync(folder).filter((name) => /rescu/.test(name));
const put = (path: string, text = 'of somebody else') => {
  rmSync(path, { force: true });
  writeFileSync(path, text);
};

describe('a database whose file is deleted while it is open', () => {
  it('is written anew in its place with every commit, and takes no more', () => {
    const { folder, path, store, commit } = begun();
    expect(store.loss()).toBeNull();
    rmSync(path);
    expect(store.loss()).toEqual({ file: path, isMissing: true });
    commit(2n);
    expect(store.rescue()).toEqual({ ok: true, file: path, isInPlace: true });
    expect(() => commit(3n)).toThrow('written anew');
    expect(readdirSync(folder)).toEqual(['node.db', 'node.db.lock']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(store.loss()).toBeNull();
    store.close();
    expect(blockAt(path)).toBe(2n);
  });

  it('is written anew when it is closed, though nobody looked', () => {
    const outcomes: Rescue[] = [];
    const { path, store, commit } = begun({ onRescue: (outcome) => void outcomes.push(outcome) });
    rmSync(path);
    commit(2n);
    store.close();
    expect(outcomes).toEqual([{ ok: true, file: path, isInPlace: true }]);
    expect(blockAt(path)).toBe(2n);
  });

  it('is written anew with its folder', () => {
    const { folder, path, store, commit } = begun();
    rmSync(folder, { recursive: true });
    commit(2n);
    expect(store.rescue()).toMatchObject({ ok: true, isInPlace: true });
    store.close();
    expect(blockAt(path)).toBe(2n);
  });

  it('leaves what it had in the file that was moved away', () => {
    const { path, store, commit } = begun();
    commit(2n);
    const moved = join(temporaryFolder(), 'moved.db');
    renameSync(path, moved);
    store.rescue();
    store.close();
    expect(blockAt(moved)).toBe(2n);
  });

  it('makes no new file by its checkpoints', async () => {
    const { path, store, commit } = begun();
    rmSync(path);
    commit(2n);
    await store.checkpoint();
    expect(existsSync(path)).toBe(false);
  });

  it('counts as there when the same file is back', () => {
    const { path, store } = begun();
    renameSync(path, `${path}.away`);
    expect(store.loss()).not.toBeNull();
    renameSync(`${path}.away`, path);
    expect(store.loss()).toBeNull();
  });
});

describe('a database whose write-ahead log is deleted', () => {
  it('is written anew in its place', () => {
    const { path, store, commit } = begun();
    rmSync(`${path}-wal`);
    expect(store.loss()).toEqual({ file: `${path}-wal`, isMissing: true });
    commit(2n);
    expect(store.rescue()).toEqual({ ok: true, file: path, isInPlace: true });
    store.close();
    expect(blockAt(path)).toBe(2n);
  });
});

describe('a database in whose place lies something else', () => {
  it.each(['node.db', 'node.db-wal'])('is written beside %s, which stays as it is', (name) => {
    const { folder, path, store, commit } = begun();
    put(join(folder, name));
    expect(store.loss()).toEqual({ file: join(folder, name), isMissing: false });
    commit(2n);
    const outcome = store.rescue();
    const [rescued = ''] = others(folder);
    expect(rescued).toMatch(/^node\.db\.rescued-20[\d-]+T[\d.-]+Z$/);
    expect(outcome).toEqual({ ok: true, file: join(folder, rescued), isInPlace: false });
    store.close();
    expect(readFileSync(join(folder, name), 'utf8')).toBe('of somebody else');
    expect(blockAt(join(folder, rescued))).toBe(2n);
    expect(existsSync(path)).toBe(true);
  });

  it('takes its log away, which SQLite would read into the other one', () => {
    const { folder, path, store, commit } = begun();
    put(path);
    commit(2n);
    store.rescue();
    store.close();
    expect(readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  it('does not touch the log of the other database', () => {
    const { folder, path, store, commit } = begun();
    const copy = join(temporaryFolder(), 'copy.db');
    copyFileSync(path, copy);
    renameSync(copy, path);
    put(`${path}-wal`);
    commit(2n);
    store.close();
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('of somebody else');
    expect(others(folder)).toHaveLength(1);
  });
});

describe('a database that cannot be written into its folder', () => {
  /** Puts a file where the folder was. */
  const begunNowhere = (options?: RescueOptions) => {
    const all = begun(options);
    rmSync(all.folder, { recursive: true });
    put(all.folder);
    return all;
  };

  it('goes on, and can be written when there is room again', () => {
    const { folder, path, store, commit } = begunNowhere();
    const outcome = store.rescue();
    expect(outcome.ok ? '' : outcome.reason).toBe('EEXIST: file already exists');
    commit(2n);
    rmSync(folder);
    mkdirSync(folder);
    expect(store.rescue()).toMatchObject({ ok: true, isInPlace: true });
    store.close();
    expect(blockAt(path)).toBe(2n);
  });

  it('is written elsewhere', () => {
    const elsewhere = join(temporaryFolder(), 'state', 'name.db');
    const { store, commit } = begunNowhere({ elsewhere: [elsewhere] });
    commit(2n);
    const outcome = store.rescue();
    expect(outcome).toMatchObject({ ok: true, isInPlace: false });
    store.close();
    const file = outcome.ok ? outcome.file : '';
    expect(file.startsWith(`${elsewhere}.rescued-`)).toBe(true);
    expect(blockAt(file)).toBe(2n);
  });
});
