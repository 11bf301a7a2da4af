import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Book, type BookReplica, openBook } from '../../../src/tabs/book.ts';
import type { Tab } from '../../../src/tabs/tab.ts';
import { newWindow } from '../../../src/tabs/window.ts';
import { until } from '../../support/until.ts';
import { ASSET, PAYER, SELLER } from '../../support/x402-market.ts';

const SHOP = { chainId: 1n, payTo: SELLER } as const;
let folder: string;
/** How many statements each commit has had. */
let commits: number[];
/** Tells of what the stream has. */
let acknowledge: (() => void)[];
let isAway: boolean;
let taken: AbortController;
let book: Book;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tabs-'));
  commits = [];
  acknowledge = [];
  isAway = false;
  taken = new AbortController();
  book = opened({
    replica: {
      seal(writes) {
        commits.push(writes.length);
        return `place ${commits.length}`;
      },
      committed() {},
      isWaitedFor: () => true,
      whenAcknowledged: (done) => void acknowledge.push(done),
    },
    isAway: () => isAway,
    taken: taken.signal,
  });
});
afterEach(() => {
  book.close();
  rmSync(folder, { recursive: true });
});

function opened(replica: BookReplica | null): Book {
  const found = openBook(join(folder, 'tabs.db'), SHOP, replica);
  if (!found.ok) throw new Error(found.message);
  return found.book;
}

const tab = (charged: bigint): Tab => ({
  ...{ id: `0x${'01'.repeat(32)}`, key: `0x${'02'.repeat(32)}` },
  ...{ payer: PAYER, token: ASSET, received: 100n, lumps: 0, charged, usedAt: 1 },
  ...{ window: newWindow(), ending: null },
});

/** Whether it is resolved, `done`, or rejected, with what; null: it waits. */
function followed(promise: Promise<void>): { is: string | null } {
  const found: { is: string | null } = { is: null };
  promise.then(
    () => {
      found.is = 'done';
    },
    (error: unknown) => {
      found.is = String(error);
    },
  );
  return found;
}

it('tells nobody of a commit before the replica has it', async () => {
  book.note(tab(1n));
  const first = followed(book.written());
  await until(() => acknowledge.length === 1, 'it is on the disk');
  expect(first.is).toBeNull();
  acknowledge[0]?.();
  await until(() => first.is === 'done', 'it is told');
});

it('takes what comes while one commit is under way into the next', async () => {
  book.note(tab(1n));
  const first = followed(book.written());
  await until(() => acknowledge.length === 1, 'it is on the disk');
  const others = [2n, 3n].map((charged) => {
    book.note(tab(charged));
    return followed(book.written());
  });
  acknowledge[0]?.();
  await until(() => acknowledge.length === 2, 'the next is on the disk');
  expect([first.is, ...others.map(({ is }) => is)]).toEqual(['done', null, null]);
  acknowledge[1]?.();
  await until(() => others.every(({ is }) => is === 'done'), 'they are told');
  expect(commits).toEqual([1, 1]);
});

it('tells everybody that nothing came of it when another process has taken the stream', async () => {
  book.note(tab(1n));
  const first = followed(book.written());
  await until(() => acknowledge.length === 1, 'it is on the disk');
  const second = followed(book.written());
  taken.abort(new Error('taken'));
  acknowledge[0]?.();
  const third = followed(book.written());
  await until(() => third.is !== null, 'the last is told');
  expect([first, second, third].map(({ is }) => is)).toEqual(Array(3).fill('Error: taken'));
  expect(book.isBroken()).toBe(true);
});

it('begins nothing while the stream is away', () => {
  isAway = true;
  expect(book.isBroken()).toBe(true);
  isAway = false;
  expect(book.isBroken()).toBe(false);
});

it('is not opened without its stream, in which another process may have gone on', async () => {
  book.note(tab(1n));
  void book.written().catch(() => {});
  await until(() => acknowledge.length === 1, 'it is on the disk');
  book.close();
  expect(() => opened(null)).toThrow('are replicated');
});
