import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backedUpAt, backUp } from '../../../src/store/durability/backup.ts';
import { openStore } from '../../../src/store/open.ts';
import { STAMP } from '../../support/store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-note-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('never takes the place of a backup', () => {
  const path = join(folder, 'node.db');
  const opened = openStore({ url: `file:${path}`, stamp: STAMP });
  if (!opened.ok) throw new Error('no store');
  opened.store.close();
  const url = `file:${path}`;
  const first = `${path}.backed-up`;
  const one = backUp({ url, output: first, now: new Date(0) });
  expect(one.ok).toBe(true);
  backUp({ url, output: join(folder, 'other'), now: new Date(1) });
  expect(readFileSync(first).subarray(0, 15).toString()).toBe('SQLite format 3');
  expect(statSync(first).size).toBeGreaterThan(1_000);
  expect(backedUpAt(path)).toBeNull();
});
