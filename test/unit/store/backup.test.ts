import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { backedUpAt, backUp } from '../../../src/store/durability/backup.ts';
import {
  ALICE,
  batchOf,
  hash,
  openedStore,
  proofOf,
  REGISTRY,
  stepOf,
  temporaryFolder,
} from '../../support/store.ts';

const now = new Date('2026-01-02T03:04:05.678Z');

function stored() {
  const folder = temporaryFolder();
  const url = `file:${join(folder, 'node.db')}`;
  const store = openedStore({ url });
  store.commit(
    batchOf({
      cursor: { block: 5n, hash: hash(5) },
      actors: [{ id: 'channel:1', kind: 'channel', version: 1, state: '{}' }],
      proofs: [proofOf({})],
      journal: [stepOf({})],
    }),
  );
  return { folder, url, store, output: join(folder, 'backup.db') };
}

describe('a backup', () => {
  it('is noted beside the database, for the node that says when the newest is old', () => {
    const { url, output, folder } = stored();
    const database = join(folder, 'node.db');
    expect(backedUpAt(database)).toBeNull();
    backUp({ url, output, now });
    expect(backedUpAt(database)).toBe(now.getTime());
    backUp({ url, output, now: new Date(0) });
    expect(backedUpAt(database)).toBe(now.getTime());
  });

  it('is one file for this user alone, with what it says is in it', () => {
    const { folder, url, output } = stored();
    const made = backUp({ url, output, now });
    const content = readFileSync(output);
    expect(made).toEqual({
      ok: true,
      value: {
        file: output,
        time: '2026-01-02T03:04:05.678Z',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        chainId: '31337',
        tokenNetworkRegistry: REGISTRY,
        ownAddress: ALICE,
        schema: expect.any(Number),
        block: '5',
        channels: 1,
        pending: 0,
        payments: 0,
        seq: 1,
      },
    });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const names = ['backup.db', 'node.db', 'node.db-shm', 'node.db-wal'];
    names.push('node.db.backed-up', 'node.db.lock');
    expect(readdirSync(folder).sort()).toEqual(names);
  });

  it('does not disturb the holder of the database', () => {
    const { url, output, store } = stored();
    expect(backUp({ url, output, now }).ok).toBe(true);
    store.commit(batchOf({ cursor: { block: 6n, hash: hash(6) } }));
    expect(store.cursor()?.block).toBe(6n);
  });

  it('never replaces a file', () => {
    const { url, output } = stored();
    writeFileSync(output, 'mine');
    const made = backUp({ url, output, now });
    expect(made).toMatchObject({ ok: false, message: expect.stringContaining('is there already') });
    expect(readFileSync(output, 'utf8')).toBe('mine');
  });

  it('leaves the unfinished file of another one alone', () => {
    const { url, output } = stored();
    writeFileSync(`${output}.unfinished`, 'of another');
    expect(backUp({ url, output, now }).ok).toBe(false);
    expect(existsSync(`${output}.unfinished`)).toBe(true);
    expect(existsSync(output)).toBe(false);
  });

  it.each([
    ['in memory', ':memory:', 'cannot be backed up'],
    ['on a server', 'libsql://db.example', 'supported are file:'],
    ['that is not there', 'file:/nowhere/node.db', 'there is no database /nowhere/node.db'],
  ])('is refused of a database %s', (_, url, message) => {
    const output = join(temporaryFolder(), 'backup.db');
    const made = backUp({ url, output, now });
    expect(made).toMatchObject({ ok: false, message: expect.stringContaining(message) });
    expect(existsSync(output)).toBe(false);
  });

  it('is refused of a file of another program, and of a damaged one', () => {
    const { folder, url, output, store } = stored();
    const other = new Libsql(join(folder, 'other.db'));
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    const foreign = backUp({ url: `file:${join(folder, 'other.db')}`, output, now });
    expect(foreign).toMatchObject({
      ok: false,
      message: expect.stringContaining('is not a database of sluice'),
    });
    store.close();
    const content = readFileSync(join(folder, 'node.db'));
    writeFileSync(join(folder, 'node.db'), content.fill(0xff, 4_096, 12_288));
    expect(backUp({ url, output, now }).ok).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
});
