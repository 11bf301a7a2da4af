/** Writes an open database anew, whose files were deleted or replaced: without it, all is lost when the process ends. */

import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../basics/message-of.ts';
import type { Connection } from '../base/connection.ts';
import { createPrivateFolder } from './lock.ts';
import type { DatabasePlace } from './place.ts';
import { type Reserve, withRoom } from './reserve.ts';
import { sync } from './sync.ts';

/** `file`: where the whole database is now. `isInPlace`: at its own path, so that the next start finds it. */
export type Rescue = { ok: true; file: string; isInPlace: boolean } | { ok: false; reason: string };

type Request = {
  connection: Connection;
  place: DatabasePlace;
  /** Names for the new file in other folders, where its own can take none. */
  elsewhere: readonly string[];
  reserve: Reserve | null;
  now: Date;
};

/**
 * Nothing may be committed from the beginning of this on, unless it fails. A file that somebody else has put there is
 * neither replaced nor touched: then the database stays beside it, under a name with the time in it.
 */
export function rescue({ connection, place, elsewhere, reserve, now }: Request): Rescue {
  foldLog(connection);
  const time = now.toISOString().replaceAll(':', '-');
  const reasons: string[] = [];
  for (const name of [place.path, ...elsewhere]) {
    const whole = `${name}.rescued-${time}`;
    try {
      withRoom(reserve, () => writeWhole(connection, whole, `${name}.rescuing-${time}`));
    } catch (error) {
      reasons.push(reasonOf(error));
      continue;
    }
    const isInPlace = name === place.path && isPut(whole, place);
    return { ok: true, file: isInPlace ? place.path : whole, isInPlace };
  }
  return { ok: false, reason: [...new Set(reasons)].join('; ') };
}

/** What the system says, without the paths that come after it. */
function reasonOf(error: unknown): string {
  const [said = ''] = messageOf(error).split(', ');
  return said;
}

/** Whoever still has the deleted file, under another name, then has all that is in the log, too. */
function foldLog({ client }: Connection): void {
  try {
    client.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // It is not needed for the new file.
  }
}

/** Writes the new file. It never has its name before it is whole and on the disk. */
function writeWhole({ client }: Connection, whole: string, unfinished: string): void {
  createPrivateFolder(dirname(whole));
  try {
    closeSync(openSync(unfinished, 'wx', 0o600));
    // It keeps the numbers of rows, by which some of what a replica does again names them.
    client.prepare('VACUUM INTO ?').run([unfinished]);
    sync(unfinished);
    renameSync(unfinished, whole);
    syncFolder(whole);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Gives the new file the database's name. False: something lies there, or the name cannot be given. */
function isPut(whole: string, { path, main, log }: DatabasePlace): boolean {
  const [mains, logs] = [main(), log()];
  try {
    // SQLite would do again what is in the log, in whatever has the database's name at the next start.
    if (logs === 'own' && (mains === 'missing' || mains === 'other')) removeLog(path);
    const isOurs = [mains, logs].every((lying) => lying === 'own' || lying === 'missing');
    if (!isOurs) return false;
    removeLog(path);
    if (mains === 'own') renameSync(whole, path);
    else giveName(whole, path);
    syncFolder(path);
    return true;
  } catch {
    return false;
  }
}

function removeLog(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Throws when something has the name. */
function giveName(file: string, name: string): void {
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(file, name);
  } catch (error) {
    if (existsSync(name)) throw error;
    // Not every file system has links.
    renameSync(file, name);
  }
  rmSync(file, { force: true });
}

/** Brings the names in the folder of the file to the disk. */
function syncFolder(file: string): void {
  try {
    sync(dirname(file));
  } catch {
    // Not every file system can do that for a folder; the file itself is whole.
  }
}
