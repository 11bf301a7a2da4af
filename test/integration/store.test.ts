import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lockKey } from '../../src/store/durability/lock.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { hash, openedStore, STAMP, temporaryFolder } from '../support/store.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** The child and what it imports, as one file: it starts in a third of the time. */
const program = at('dist/test/integration/store-child.mjs');

type Child = { process: ChildProcess; lines: string[]; line(count: number): Promise<string> };

/** Starts the child; `line(n)` waits for its n-th line. */
function start(...args: string[]): Child {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (text) => lines.push(text));
  const line = async (count: number): Promise<string> => {
    while (lines.length < count) await once(output, 'line');
    return lines[count - 1] ?? '';
  };
  return { process: child, lines, line };
}

/** Ends it as a power switch would, and waits until nothing more comes out of it. */
async function kill(child: Child): Promise<void> {
  const closed = once(child.process, 'close');
  child.process.kill('SIGKILL');
  await closed;
}

const problemOf = (url: string) => {
  const opened = openStore({ url, stamp: STAMP });
  if (opened.ok) opened.store.close();
  return opened.ok ? null : opened.problem;
};

/** The number of the last batch in the store; fails when a batch is there in part. */
function lastBatch(store: Store): number {
  const last = Number(store.cursor()?.block ?? 0n);
  const rows = Array.from({ length: 20 }, (_, index) => `${last * 20 + index}`);
  expect(store.loadActors()[0]?.state).toContain(`"turn":${last},`);
  expect(store.loadOutbox().map(({ key }) => key)).toEqual(rows);
  const all = { token: null, partner: null, offset: 0, limit: null };
  const times = Array.from({ length: last }, (_, index) => index + 1);
  expect([...store.payments(all)].flat().map(({ time }) => time)).toEqual(times);
  expect(store.journal.ofActor('counter', last + 1, last).map(({ time }) => time)).toEqual(times);
  expect(store.latestProofs('channel:1').own?.nonce).toBe(BigInt(last));
  expect(times.every((time) => store.isSecrethashUsed(hash(time)))).toBe(true);
  expect(store.isSecrethashUsed(`${hash(last + 1)}`)).toBe(false);
  return last;
}

beforeAll(async () => {
  if (!existsSync(at('dist/src/store/open.js')))
    throw new Error('run `npm run build` first: the child runs from dist/');
  const external = ['libsql'];
  const bundle = await rolldown({
    input: at('test/support/store-child.mjs'),
    platform: 'node',
    external,
  });
  await bundle.write({ file: program });
  await bundle.close();
});

describe('a database with a living holder', () => {
  it('is refused to other processes at once, and free as soon as the holder is killed', async () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const holder = start('hold', url);
    expect(await holder.line(1)).toBe('open');
    expect(problemOf(url)).toBe('in_use');
    expect(await start('hold', url).line(1)).toBe('in_use');
    await kill(holder);
    expect(problemOf(url)).toBeNull();
    const next = start('hold', url);
    expect(await next.line(1)).toBe('open');
    expect(problemOf(url)).toBe('in_use');
    await kill(next);
  });

  it('is refused to other processes while this one holds it', async () => {
    const url = `file:${temporaryFolder()}/node.db`;
    const store = openedStore({ url });
    expect(problemOf(url)).toBe('in_use');
    expect(await start('hold', url).line(1)).toBe('in_use');
    store.close();
    expect(await start('hold', url).line(1)).toBe('open');
  });

  it('opens once when several processes start together on a new file', async () => {
    const url = `file:${join(temporaryFolder(), 'new', 'node.db')}`;
    const children = [1, 2, 3].map(() => start('hold', url));
    const lines = await Promise.all(children.map((child) => child.line(1)));
    expect(lines.sort()).toEqual(['in_use', 'in_use', 'open']);
  });
});

describe('a key with a living holder', () => {
  it('is refused to other processes until the holder is killed', async () => {
    const folder = join(temporaryFolder(), 'keys');
    const name = '31337-0xabc';
    const holder = start('key', folder, name);
    expect(await holder.line(1)).toBe('locked');
    expect(lockKey({ folder, name }).ok).toBe(false);
    expect(await start('key', folder, name).line(1)).toBe('in_use');
    expect(await start('key', folder, '1-0xabc').line(1)).toBe('locked');
    await kill(holder);
    const lock = lockKey({ folder, name });
    expect(lock.ok).toBe(true);
    if (lock.ok) lock.release();
  });
});

describe('a process killed in the middle of its commits', () => {
  it('loses no batch that it had committed, and leaves none in part', async () => {
    const url = `file:${temporaryFolder()}/node.db`;
    let known = 0;
    for (let round = 0; round < 8; round++) {
      const child = start('commit', url);
      expect(await child.line(1)).toBe('open');
      await child.line(2 + Math.floor(Math.random() * 40));
      await kill(child);
      const said = Number(child.lines.at(-1));
      expect(said).toBeGreaterThan(known);
      const store = openedStore({ url });
      known = lastBatch(store);
      store.close();
      // The last commit may have been on disk before it could be told.
      expect([said, said + 1]).toContain(known);
    }
  });
});
