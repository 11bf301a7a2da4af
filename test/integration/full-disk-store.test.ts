import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReserve } from '../../src/store/durability/reserve.ts';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { canMount, needsMount, smallDisk } from '../support/small-disk.ts';
import { batchOf, hash, STAMP, stepOf, temporaryFolder } from '../support/store.ts';

const MB = 2 ** 20;

function opened(url: string, options: Partial<StoreOptions> = {}): Store {
  const result = openStore({ url, stamp: STAMP, ...options });
  if (!result.ok) throw new Error(result.message);
  return result.store;
}

/** A block with 20 KB of rows, one of which the feed tells. */
const blockOf = (block: number) =>
  batchOf({
    cursor: { block: BigInt(block), hash: hash(block) },
    time: block,
    actors: [{ id: `a${block}`, kind: 'channel', version: 1, state: 'x'.repeat(20_000) }],
    journal: [stepOf({ time: block })],
    notifications: [{ id: 'low_rdn', summary: `block ${block}`, body: '', urgency: 'normal' }],
  });

/** Commits until the disk refuses; the first block that is not written. */
function commitUntilFull(store: Store, first: number): number {
  for (let block = first; block < first + 10_000; block += 1) {
    try {
      store.commit(blockOf(block));
    } catch (error) {
      expect(String(error)).toContain('full');
      return block;
    }
  }
  throw new Error('the disk was never full');
}

describe.skipIf(!canMount)(`a database on a full disk${needsMount}`, () => {
  function prepared() {
    const disk = smallDisk(6 * MB);
    onTestFinished(disk.end);
    const path = `${disk.folder}/node.db`;
    const url = `file:${path}`;
    let freed = 0;
    const reserve = createReserve(path, MB, () => {
      freed += 1;
    });
    return { disk, url, reserve, freed: () => freed };
  }

  it('closes without complaint, and opens again as soon as there is room', () => {
    const { disk, url } = prepared();
    const store = opened(url);
    disk.fill();
    const lost = commitUntilFull(store, 1);
    expect(() => store.close()).not.toThrow();
    disk.empty();
    const again = opened(url);
    expect(again.cursor()?.block ?? 0n).toBe(BigInt(lost - 1));
    again.commit(blockOf(lost));
    again.close();
  });

  it('frees its reserve for a commit that finds no room, and writes all of the commit', () => {
    const { disk, url, reserve, freed } = prepared();
    const store = opened(url, { reserve });
    expect(reserve.fill()).toBe(true);
    disk.fill();
    const written = Array.from({ length: 10 }, (_, index) => index + 1);
    for (const block of written) store.commit(blockOf(block));
    expect(freed()).toBe(1);
    expect(store.cursor()?.block).toBe(10n);
    // The one that was tried twice has left no gap and told its news once.
    expect(store.journal.after(0, 100).map(({ seq }) => seq)).toEqual(written);
    expect(store.feed.after(0, 100).map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'notification'],
    ]);
    store.close();
  });

  it('opens by freeing its reserve when the disk was full at its last close', () => {
    const { disk, url, reserve, freed } = prepared();
    const store = opened(url);
    expect(reserve.fill()).toBe(true);
    disk.fill();
    const lost = commitUntilFull(store, 1);
    store.close();
    disk.fill();
    const without = openStore({ url, stamp: STAMP });
    expect(without).toMatchObject({ ok: false });
    const again = opened(url, { reserve });
    expect(freed()).toBe(1);
    again.commit(blockOf(lost));
    expect(again.cursor()?.block).toBe(BigInt(lost));
    again.close();
  });

  it('is read into memory where there is no room for a single write, and stays as it was', () => {
    const { disk, url } = prepared();
    const store = opened(url);
    for (const block of [1, 2, 3]) store.commit(blockOf(block));
    disk.fill();
    const last = BigInt(commitUntilFull(store, 4) - 1);
    store.close();
    disk.fill();
    expect(openStore({ url, stamp: STAMP })).toMatchObject({ ok: false, problem: 'disk_full' });
    const copy = opened(url, { isCopy: true });
    expect(openStore({ url, stamp: STAMP })).toMatchObject({ ok: false, problem: 'in_use' });
    expect(copy.cursor()?.block ?? 0n).toBe(last);
    copy.commit(blockOf(Number(last) + 1));
    expect(copy.cursor()?.block).toBe(last + 1n);
    expect(copy.file).toBeNull();
    copy.close();
    disk.empty();
    const again = opened(url);
    expect(again.cursor()?.block ?? 0n).toBe(last);
    again.close();
  });

  it('keeps no part of a reserve where there is no room for a whole one', () => {
    const { disk, url, reserve } = prepared();
    opened(url).close();
    disk.fill(MB / 2);
    expect(reserve.fill()).toBe(false);
    expect(disk.freeBytes()).toBeGreaterThanOrEqual(MB / 2);
    expect(reserve.free()).toBe(false);
  });
});

describe('a database into which another program writes for eight seconds', () => {
  it('makes a commit wait for it', { timeout: 30_000 }, async () => {
    const path = `${temporaryFolder()}/node.db`;
    const store = opened(`file:${path}`);
    const holder = spawn(process.execPath, ['-e', HOLD, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(createInterface({ input: holder.stdout }), 'line');
    const begun = performance.now();
    store.commit(blockOf(1));
    expect(performance.now() - begun).toBeGreaterThan(5_000);
    expect(store.cursor()?.block).toBe(1n);
    store.close();
  });
});

/** Holds the write lock of the database, says so, and gives it back after eight seconds. */
const HOLD = `
  const client = new (require('libsql'))(process.argv[1]);
  client.exec('BEGIN IMMEDIATE');
  console.log('held');
  setTimeout(() => client.exec('COMMIT'), 8_000);
`;
