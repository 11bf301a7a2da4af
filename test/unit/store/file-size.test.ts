import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compact } from '../../../src/store/file-size.ts';
import type { Store } from '../../../src/store/store.ts';
import { olderDatabase } from '../../support/older-database.ts';
import { batchOf, openedStore, temporaryFolder } from '../../support/store.ts';

const actor = (n: number) => {
  return { id: `channel:${n}`, kind: 'channel', version: 1, state: 'x'.repeat(40_000) };
};
const NUMBERS = Array.from({ length: 600 }, (_, n) => n);

/** Writes 24 MB and deletes them, and with that leaves so much free room in the file. */
function writeAndDelete(store: Store): void {
  store.commit(batchOf({ actors: NUMBERS.map(actor) }));
  store.commit(batchOf({ retired: NUMBERS.map((n) => `channel:${n}`) }));
}

function swept(store: Store): number {
  let slices = 0;
  while (store.sweep(2_048)) slices += 1;
  return slices;
}

/** Megabytes of a database whose store is closed. */
const megabytes = (file: string) => Math.round(statSync(file).size / 1e6);

describe('free room in the file', () => {
  it('is given back in slices, but for what is kept for what comes next', () => {
    const file = join(temporaryFolder(), 'node.db');
    const store = openedStore({ url: `file:${file}` });
    writeAndDelete(store);
    expect(swept(store)).toBeGreaterThan(10);
    store.close();
    expect(megabytes(file)).toBeGreaterThan(15);
    expect(megabytes(file)).toBeLessThan(19);
  });

  it('stays in a file of an older version, until it is written anew', () => {
    const file = olderDatabase(8, []);
    const url = `file:${file}`;
    const older = openedStore({ url });
    writeAndDelete(older);
    expect(swept(older)).toBe(0);
    older.close();
    expect(megabytes(file)).toBeGreaterThan(22);
    expect(compact(url)).toMatchObject({ ok: true });
    expect(megabytes(file)).toBe(0);
    const newer = openedStore({ url });
    writeAndDelete(newer);
    expect(swept(newer)).toBeGreaterThan(10);
    expect(newer.loadActors()).toEqual([]);
  });

  it('is not touched while a node has the file, in a file of others, and where there is none', () => {
    const url = `file:${join(temporaryFolder(), 'node.db')}`;
    const store = openedStore({ url });
    expect(compact(url)).toMatchObject({ ok: false, problem: 'in_use' });
    store.close();
    expect(compact('file:/nowhere/node.db')).toMatchObject({ ok: false });
    expect(compact(':memory:')).toMatchObject({ ok: false });
    expect(compact(url)).toMatchObject({ ok: true });
  });
});
