import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { connect, makeDurable } from '../../../src/store/base/connection.ts';
import type { Stamp } from '../../../src/store/base/stamp.ts';
import { parseLocation } from '../../../src/store/durability/location.ts';
import { lockKey } from '../../../src/store/durability/lock.ts';
import { openStore } from '../../../src/store/open.ts';
import {
  ALICE,
  BOB,
  batchOf,
  hash,
  openedStore,
  proofOf,
  STAMP,
  temporaryFolder,
} from '../../support/store.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;
const refusal = (url: string, stamp: Stamp = STAMP) => {
  const opened = openStore({ url, stamp });
  if (opened.ok) {
    opened.store.close();
    throw new Error('opened');
  }
  return opened;
};
const cursor = { block: 5n, hash: hash(5) };

describe('the place of a database', () => {
  it.each([
    [':memory:', { kind: 'memory' }],
    ['file::memory:', { kind: 'memory' }],
    ['file:/a/b c%20.db', { kind: 'file', path: '/a/b c%20.db' }],
    ['file:///a/b%20c.db', { kind: 'file', path: '/a/b c.db' }],
    ['file:node.db', { kind: 'file', path: join(process.cwd(), 'node.db') }],
  ])('is understood in %s', (url, location) => {
    expect(parseLocation(url)).toEqual(location);
  });

  it.each([
    'libsql://db.example.org',
    'https://db.example.org',
    'postgres://localhost/x',
    'node.db',
    '/a/node.db',
    '',
    'file:',
    'file:/a/',
    'file:/a.db?mode=memory',
    'file://server/a.db',
  ])('is refused in "%s", with what is supported', (url) => {
    const refused = refusal(url);
    expect(refused.problem).toBe('unsupported_url');
    expect(refused.message).toContain('file:/path/to/sluice.db and :memory:');
  });
});

describe('the files of a database', () => {
  it('and new folders above them are for this user alone', () => {
    const top = temporaryFolder();
    const umask = process.umask(0);
    try {
      const store = openedStore({ url: `file:${top}/new/deep/node.db` });
      store.commit(batchOf({ cursor }));
      const files = readdirSync(`${top}/new/deep`).sort();
      expect(files).toEqual(['node.db', 'node.db-shm', 'node.db-wal', 'node.db.lock']);
      expect(files.map((file) => modeOf(`${top}/new/deep/${file}`))).toEqual(Array(4).fill(0o600));
      expect([modeOf(`${top}/new`), modeOf(`${top}/new/deep`)]).toEqual([0o700, 0o700]);
    } finally {
      process.umask(umask);
    }
  });

  it('that were open to others are closed to them', () => {
    const path = join(temporaryFolder(), 'node.db');
    openedStore({ url: `file:${path}` }).close();
    for (const file of [path, `${path}.lock`]) chmodSync(file, 0o644);
    writeFileSync(`${path}-wal`, '', { mode: 0o644 });
    openedStore({ url: `file:${path}` });
    const files = [path, `${path}.lock`, `${path}-wal`, `${path}-shm`];
    expect(files.map(modeOf)).toEqual(Array(4).fill(0o600));
  });

  it('are durable: WAL, full sync, foreign keys, and a wait for a reader', () => {
    const path = join(temporaryFolder(), 'node.db');
    const connection = connect(path);
    makeDurable(connection, path);
    const pragma = (name: string) => connection.client.pragma(name);
    expect(pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    expect(pragma('busy_timeout')).toEqual([{ timeout: 5_000 }]);
    connection.client.close();
  });

  it('hold after closing what was committed, and may be closed twice', () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const first = openedStore({ url });
    first.commit(batchOf({ cursor, proofs: [proofOf({})] }));
    first.close();
    first.close();
    const second = openedStore({ url });
    expect(second.cursor()).toEqual(cursor);
    expect(second.latestProofs('channel:1').own?.nonce).toBe(1n);
  });

  it('are never a folder', () => {
    const folder = join(temporaryFolder(), 'folder');
    mkdirSync(folder, { mode: 0o755 });
    expect(refusal(`file:${folder}`)).toMatchObject({ problem: 'unusable' });
    expect(modeOf(folder)).toBe(0o755);
  });

  it('that are no database are refused as they are', () => {
    const path = join(temporaryFolder(), 'notes.txt');
    writeFileSync(path, 'not a database. '.repeat(100));
    expect(refusal(`file:${path}`)).toMatchObject({ problem: 'unusable' });
    expect(statSync(path).size).toBe(1_600);
  });

  it('of another program are refused and keep their tables', () => {
    const path = join(temporaryFolder(), 'other.db');
    const other = new Libsql(path);
    other.exec('CREATE TABLE meta (key TEXT, value TEXT)');
    expect(refusal(`file:${path}`)).toMatchObject({ problem: 'foreign_file' });
    expect(other.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'meta' }]);
    other.close();
  });
});

describe('the stamp', () => {
  const stamped = () => {
    const path = join(temporaryFolder(), 'node.db');
    openedStore({ url: `file:${path}` }).close();
    return path;
  };

  it.each<[string, Partial<Stamp>, RegExp]>([
    ['chain', { chainId: 1n }, /chain id 31337, not 1: .*RPC endpoint/],
    ['registry', { tokenNetworkRegistry: BOB }, /registry 0xCf7.*, not 0xe7f.*: .*contracts/],
    ['node', { ownAddress: BOB }, /node address 0x5Fb.*, not 0xe7f.*: .*key/],
  ])('of another %s is refused with what to do', (_, other, message) => {
    const refused = refusal(`file:${stamped()}`, { ...STAMP, ...other });
    expect(refused.problem).toBe('other_node');
    expect(refused.message).toMatch(message);
  });

  it('lets its own node open again, also after others were refused', () => {
    const path = stamped();
    refusal(`file:${path}`, { ...STAMP, ownAddress: BOB });
    expect(openedStore({ url: `file:${path}` }).cursor()).toBeNull();
  });

  it('keeps the instance of the first open', () => {
    const path = stamped();
    const instance = () => {
      const reader = new Libsql(path);
      const row = reader.prepare(`SELECT value FROM meta WHERE key = 'instance'`).all();
      reader.close();
      return row;
    };
    const first = instance();
    expect(first).toEqual([{ value: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    openedStore({ url: `file:${path}` }).close();
    expect(instance()).toEqual(first);
  });

  it('of a newer schema is refused', () => {
    const path = stamped();
    const newer = new Libsql(path);
    newer.exec(`UPDATE meta SET value = '999' WHERE key = 'schema'`);
    newer.close();
    const refused = refusal(`file:${path}`);
    expect(refused.problem).toBe('newer_schema');
    expect(refused.message).toMatch(/newer version \(schema 999, .*install/);
  });

  it('that a draft wrote is refused in one sentence', () => {
    const path = stamped();
    const draft = new Libsql(path);
    draft.exec(`UPDATE __drizzle_migrations SET hash = 'of a draft'`);
    draft.close();
    expect(refusal(`file:${path}`)).toMatchObject({
      problem: 'draft',
      message:
        'the database was written by a draft of sluice, before its first release: choose a new one',
    });
  });
});

describe('the lock', () => {
  it('refuses a second open in the same process, also through a link', () => {
    const folder = temporaryFolder();
    const store = openedStore({ url: `file:${folder}/node.db` });
    symlinkSync(join(folder, 'node.db'), join(folder, 'link.db'));
    for (const name of ['node.db', 'link.db', 'node.db']) {
      expect(refusal(`file:${folder}/${name}`).problem).toBe('in_use');
    }
    store.commit(batchOf({ cursor }));
    store.close();
    expect(openedStore({ url: `file:${folder}/link.db` }).cursor()).toEqual(cursor);
  });

  it('is not there for databases in memory', () => {
    openedStore().commit(batchOf({ cursor }));
    expect(openedStore({ url: 'file::memory:' }).cursor()).toBeNull();
  });

  it('that somebody removes leaves the database to the last who opened it', () => {
    const folder = temporaryFolder();
    const first = openedStore({ url: `file:${folder}/node.db` });
    rmSync(join(folder, 'node.db.lock'));
    const second = openedStore({ url: `file:${folder}/node.db` });
    expect(() => first.commit(batchOf({ cursor }))).toThrow(/another process/);
    expect(() => first.transactions.drop('job')).toThrow(/another process/);
    expect(second.cursor()).toBeNull();
    second.commit(batchOf({ cursor }));
    expect(second.cursor()).toEqual(cursor);
  });

  it('of a key is held once, and free after its release', () => {
    const folder = join(temporaryFolder(), 'keys');
    const name = `31337-${ALICE}`;
    const first = lockKey({ folder, name });
    if (!first.ok) throw new Error('not locked');
    expect(lockKey({ folder, name }).ok).toBe(false);
    expect(lockKey({ folder, name: `1-${ALICE}` }).ok).toBe(true);
    expect([modeOf(folder), modeOf(join(folder, `${name}.lock`))]).toEqual([0o700, 0o600]);
    first.release();
    first.release();
    const again = lockKey({ folder, name });
    expect(again.ok).toBe(true);
    if (again.ok) again.release();
  });

  it.each(['../x', 'a/b', '', '.', '..', 'a..b'])(
    'of a key is refused under the name "%s"',
    (name) => {
      const folder = temporaryFolder();
      expect(() => lockKey({ folder, name })).toThrow(/no name/);
      expect(existsSync(join(folder, `${name}.lock`))).toBe(false);
    },
  );
});
