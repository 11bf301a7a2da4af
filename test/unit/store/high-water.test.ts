import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/store/durability/backup.ts';
import { readHighWater, writeHighWater } from '../../../src/store/durability/high-water.ts';
import { type OpenRefusal, openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchOf, openedStore, STAMP, stepOf, temporaryFolder } from '../../support/store.ts';

const step = (block: bigint) => batchOf({ journal: [stepOf({ block })] });

/** A folder with a database at step 2 and a note of it; `copy` is of step 1. */
function noted() {
  const folder = temporaryFolder();
  const file = join(folder, 'state', 'node.high-water');
  const at = (name: string) => `file:${join(folder, name)}`;
  const store = openedStore({ url: at('node.db') });
  store.commit(step(1n));
  store.close();
  cpSync(join(folder, 'node.db'), join(folder, 'copy.db'));
  const later = openedStore({ url: at('node.db') });
  later.commit(step(2n));
  later.close();
  writeHighWater(file, later.highWater(), true);
  const open = (name: string, accepted: string | null = null) =>
    openStore({ url: at(name), stamp: STAMP, highWater: { file, accepted } });
  return { folder, file, at, open };
}

type Opening = ReturnType<typeof openStore>;

function refusal(opened: Opening): OpenRefusal {
  if (!opened.ok) return opened;
  opened.store.close();
  throw new Error('opened');
}

function taken(opened: Opening): Store {
  if (!opened.ok) throw new Error(opened.message);
  return opened.store;
}

const codeIn = ({ message }: OpenRefusal) =>
  /--accept-database ([0-9a-f]{8})"/.exec(message)?.[1] ?? '';

describe('the note of how far a database had come', () => {
  it('is whole, for this user alone, and leaves nothing beside it', () => {
    const { file, folder } = noted();
    const mark = { instance: 'i', seq: 7 };
    writeHighWater(file, mark, false);
    expect(readHighWater(file)).toEqual(mark);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'state'))).toEqual(['node.high-water']);
  });

  it.each(['', '{"instance":1}', 'rubbish'])('counts for nothing when it holds "%s"', (text) => {
    const { file, open } = noted();
    writeFileSync(file, text);
    const opened = open('copy.db');
    expect(opened).toMatchObject({ ok: true, doubt: null, isUnmarked: true });
    taken(opened).close();
  });

  it('lets the database that it was made of open, also when that has gone on', () => {
    const { open } = noted();
    const store = taken(open('node.db'));
    store.commit(step(3n));
    store.close();
    const again = open('node.db');
    expect(again).toMatchObject({ ok: true, doubt: null, isUnmarked: false });
    taken(again).close();
  });

  it('is not missed by a new database, nor by one in memory', () => {
    const file = join(temporaryFolder(), 'none');
    const opened = openStore({
      url: ':memory:',
      stamp: STAMP,
      highWater: { file, accepted: null },
    });
    expect(opened).toMatchObject({ ok: true, doubt: null, isUnmarked: false });
    expect(taken(opened).file).toBeNull();
    expect(existsSync(file)).toBe(false);
  });

  it('refuses an older copy, and says where both stand', () => {
    const refused = refusal(noted().open('copy.db'));
    expect(refused.problem).toBe('old_copy');
    expect(refused.message).toContain('it ends at step 1, and this key has been at step 2');
    expect(refused.message).toContain('Start with the newest database');
  });

  it.each([
    ['another database', 'other.db', 'another one'],
    ['a new database', 'new.db', 'new: it knows of no payment'],
    ['a database in memory', ':memory:', 'new: it knows of no payment'],
  ])('refuses %s in place of its own', (_, name, words) => {
    const { at, file } = noted();
    openedStore({ url: at('other.db') }).close();
    const url = name === ':memory:' ? name : at(name);
    const refused = refusal(openStore({ url, stamp: STAMP, highWater: { file, accepted: null } }));
    expect(refused.problem).toBe('old_copy');
    expect(refused.message).toContain(words);
  });

  it('changes nothing in what it refuses', () => {
    const { folder, open } = noted();
    const before = stamps(join(folder, 'copy.db'));
    refusal(open('copy.db'));
    expect(stamps(join(folder, 'copy.db'))).toEqual(before);
  });

  it('is overruled by the code of the refusal, and by no other', () => {
    const { open } = noted();
    const code = codeIn(refusal(open('copy.db')));
    expect(refusal(open('copy.db', '00000000')).problem).toBe('old_copy');
    const opened = open('copy.db', code);
    expect(opened).toMatchObject({ ok: true, doubt: { kind: 'older', code } });
    taken(opened).close();
  });

  it('refuses the original once a copy has taken its place, whatever was accepted', () => {
    const { file, open } = noted();
    const code = codeIn(refusal(open('copy.db')));
    const store = taken(open('copy.db', code));
    store.acceptCopy();
    writeHighWater(file, store.highWater(), true);
    store.close();
    taken(open('copy.db', code)).close();
    const refused = refusal(open('node.db', code));
    expect(refused.message).toContain('another one');
  });
});

describe('a backup', () => {
  it('is refused on every machine, until its code is given', () => {
    const { folder, at } = noted();
    const output = join(folder, 'backup.db');
    const now = new Date(0);
    expect(backUp({ url: at('node.db'), output, now })).toMatchObject({ ok: true });
    const highWater = { file: join(folder, 'elsewhere'), accepted: null };
    const refused = refusal(openStore({ url: at('backup.db'), stamp: STAMP, highWater }));
    expect(refused.message).toContain('a backup of 1970-01-01T00:00:00.000Z');
    const accepted = { ...highWater, accepted: codeIn(refused) };
    const store = taken(openStore({ url: at('backup.db'), stamp: STAMP, highWater: accepted }));
    store.acceptCopy();
    store.close();
    taken(openStore({ url: at('backup.db'), stamp: STAMP, highWater })).close();
  });
});

function stamps(path: string): unknown[] {
  const reader = new Libsql(path);
  const rows = reader.prepare('SELECT * FROM meta ORDER BY key').all();
  reader.close();
  return rows;
}
