/** A database file for one process alone: its lock, its modes, and writes that notice another holder. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { atomically, type Connection } from '../base/connection.ts';
import type { Meta } from '../base/meta.ts';
import { parseLocation } from './location.ts';
import { createPrivateFile, createPrivateFolder, lockFile } from './lock.ts';
import type { Replication } from './replication.ts';
import { type Reserve, withRoom } from './reserve.ts';

/** `path`: as SQLite opens it. `release` is to be called after the database was closed. */
export type ClaimedFile = { ok: true; path: string; isOnDisk: boolean; release(): void };
export type ClaimRefusal = {
  ok: false;
  problem: 'unsupported_url' | 'in_use';
  /** For the operator. */
  message: string;
};

/** Takes the database that the URL names for this process; throws when its folder cannot be written. */
export function claimFile(url: string): ClaimedFile | ClaimRefusal {
  const location = parseLocation(url);
  if (location.kind === 'unsupported')
    return { ok: false, problem: 'unsupported_url', message: location.message };
  if (location.kind === 'memory')
    return { ok: true, path: ':memory:', isOnDisk: false, release() {} };
  const path = privatePath(location.path);
  const lock = lockFile(`${path}.lock`);
  if (lock.ok) return { ok: true, path, isOnDisk: true, release: lock.release };
  const message = `another process uses the database ${url}: stop it, or give this node a database of its own`;
  return { ok: false, problem: 'in_use', message };
}

/** The file's real path, so that a link to it has the same lock; created for this user alone. */
function privatePath(path: string): string {
  createPrivateFolder(dirname(path));
  createPrivateFile(path);
  const real = realpathSync(path);
  // Copying may have left these files open to other users; new ones get the mode of the database file.
  for (const sidecar of [`${real}-wal`, `${real}-shm`]) {
    if (existsSync(sidecar)) chmodSync(sidecar, 0o600);
  }
  return real;
}

type WriteOptions = { reserve?: Reserve | undefined; replication?: Replication | null };

/**
 * One durable transaction, fenced: if the file has another holder (somebody removed the lock file and started a
 * second process), this one writes nothing more. When the disk is full, the work is done again with the room that the
 * reserve gives back. What the transaction did is handed to the replication, which notes its place in it.
 */
export function prepareWrite({ client }: Connection, meta: Meta, options: WriteOptions = {}) {
  const { reserve, replication = null } = options;
  const holder = randomUUID();
  meta.set('holder', holder);
  const once = (work: () => void): void =>
    atomically(client, () => {
      if (meta.get('holder') !== holder)
        throw new Error('store: another process took the database');
      if (replication === null) return work();
      replication.capture.begin();
      work();
      meta.set('replica', replication.seal(replication.capture.end()));
    });
  return (work: () => void): void => {
    withRoom(reserve ?? null, () => once(work));
    replication?.committed();
  };
}
