import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { batchOf, openedStore, temporaryFolder } from '../../support/store.ts';

const actor = (n: number) => {
  return { id: `channel:${n}`, kind: 'channel', version: 1, state: 'x'.repeat(40_000) };
};
const NUMBERS = Array.from({ length: 600 }, (_, n) => n);

/** Writes 24 MB and deletes them, and with that leaves so much free room in the file. */
function writeAndDelete(store: Store): void {
  store.commit(batchOf({ actors: NUMBERS.map(actor) }));
  bringIn(store);
  store.commit(batchOf({ retired: NUMBERS.map((n) => `channel:${n}`) }));
  bringIn(store);
}

/** So many commits that what they changed is in its table. */
function bringIn(store: Store): void {
  for (let n = 0; n < 70; n++) store.commit(batchOf({ actors: [actor(601)] }));
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
});
