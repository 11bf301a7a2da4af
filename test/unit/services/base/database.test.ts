import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  openServiceDatabase,
  type ServiceDatabase,
} from '../../../../src/services/base/database.ts';
import { createServiceWriter } from '../../../../src/services/base/writer.ts';
import { openStore } from '../../../../src/store/open.ts';
import { BOB, STAMP, temporaryFolder } from '../../../support/store.ts';

const SERVICE = { ...STAMP, service: 'pathfinding' } as const;

function opened(url = ':memory:'): ServiceDatabase {
  const result = openServiceDatabase(url, SERVICE);
  if (!result.ok) throw new Error(result.message);
  onTestFinished(result.database.close);
  return result.database;
}

function refusal(url: string, stamp: Parameters<typeof openServiceDatabase>[1]): string {
  const result = openServiceDatabase(url, stamp);
  if (result.ok) throw new Error('it was opened');
  return result.message;
}

describe('the database of a service', () => {
  it('is a file and a folder of this user alone', () => {
    const path = join(temporaryFolder(), 'services', 'pathfinding.db');
    opened(`file:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('keeps what was written when it is opened again', () => {
    const url = `file:${join(temporaryFolder(), 'pathfinding.db')}`;
    const first = opened(url);
    first.write(() => first.meta.set('cursorBlock', '7'));
    first.close();
    expect(opened(url).meta.get('cursorBlock')).toBe('7');
  });

  it('is for one process, one chain, one registry, one key and one service', () => {
    const path = join(temporaryFolder(), 'pathfinding.db');
    const url = `file:${path}`;
    const first = opened(url);
    expect(refusal(url, SERVICE)).toContain('another process uses');
    first.close();
    expect(refusal(url, { ...SERVICE, chainId: 1n })).toContain('belongs to chain id 31337');
    expect(refusal(url, { ...SERVICE, tokenNetworkRegistry: BOB })).toContain('registry');
    expect(refusal(url, { ...SERVICE, ownAddress: BOB })).toContain('belongs to node address');
    const asNode = openStore({ url, stamp: STAMP });
    expect(asNode).toMatchObject({ ok: false, problem: 'foreign_file' });
    expect(existsSync(`${path}.lock`)).toBe(true);
    expect(opened(url).meta.get('service')).toBe('pathfinding');
  });

  it('is not opened over the database of a node', () => {
    const url = `file:${join(temporaryFolder(), 'node.db')}`;
    const node = openStore({ url, stamp: STAMP });
    if (node.ok) node.store.close();
    expect(refusal(url, SERVICE)).toContain('tables of another program');
  });
});

describe('the writer', () => {
  it('commits together what came in one turn, and answers after the commit', async () => {
    const database = opened();
    const commits: string[] = [];
    const counting = {
      write(work: () => void) {
        commits.push('begin');
        database.write(work);
        commits.push('end');
      },
    };
    const writer = createServiceWriter(counting, () => {});
    const first = writer.add(() => database.meta.set('cursorBlock', '1'));
    const second = writer.add(() => database.meta.set('cursorHash', '2'));
    expect(commits).toEqual([]);
    await Promise.all([first, second]);
    expect(commits).toEqual(['begin', 'end']);
    expect(database.meta.get('cursorHash')).toBe('2');
  });

  it('writes nothing of a turn in which one write fails, and nothing after it', () => {
    const database = opened();
    const failures: unknown[] = [];
    const writer = createServiceWriter(database, (error) => failures.push(error));
    void writer.add(() => database.meta.set('cursorBlock', '1'));
    void writer.add(() => {
      throw new Error('the disk is full');
    });
    writer.flush();
    void writer.add(() => database.meta.set('cursorBlock', '2'));
    writer.flush();
    expect(failures).toHaveLength(1);
    expect(database.meta.get('cursorBlock')).toBeNull();
  });
});
