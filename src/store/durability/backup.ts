/** Makes a consistent copy of the database, even while a node is writing it. */

import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import { messageOf } from '../../basics/message-of.ts';
import { type Connection, connect } from '../base/connection.ts';
import { prepareMeta } from '../base/meta.ts';
import { type DatabaseFacts, damageOf, factsOf } from './facts.ts';
import { parseLocation } from './location.ts';
import { sync } from './sync.ts';

/** `time` in ISO form; `sha256` of the whole file, as hexadecimal digits. */
export type Backup = DatabaseFacts & { file: string; time: string; bytes: number; sha256: string };
export type BackupResult = { ok: true; value: Backup } | { ok: false; message: string };
type Request = {
  /** As `openStore` takes it. */
  url: string;
  /** The new file; a file that exists already is never overwritten. */
  output: string;
  now: Date;
};

const PIECE_BYTES = 1_048_576;

/**
 * Writes the database, as it is at one moment, into a file of its own that only this user can read, and returns when
 * the file is on disk. The file is marked as a backup, so that no node uses it unless the operator allows that.
 * `message` says what to do.
 */
export function backUp({ url, output, now }: Request): BackupResult {
  const location = parseLocation(url);
  if (location.kind === 'unsupported') return { ok: false, message: location.message };
  if (location.kind === 'memory')
    return { ok: false, message: 'a database in memory cannot be backed up: give its file' };
  if (!existsSync(location.path))
    return { ok: false, message: `there is no database ${location.path}: check --database` };
  if (existsSync(output)) return { ok: false, message: taken(output) };
  const unfinished = `${output}.unfinished`;
  let isOurs = false;
  try {
    closeSync(openSync(unfinished, 'wx', 0o600));
    isOurs = true;
    return finish(location.path, { unfinished, output, now });
  } catch (error) {
    const reason = messageOf(error);
    return { ok: false, message: `the backup failed, ${output} is not there: ${reason}` };
  } finally {
    if (isOurs) rmSync(unfinished, { force: true });
  }
}

type Files = { unfinished: string; output: string; now: Date };

function finish(path: string, { unfinished, output, now }: Files): BackupResult {
  withConnection(path, ({ db }) => db.run(sql`VACUUM INTO ${unfinished}`));
  const time = now.toISOString();
  const facts = withConnection(unfinished, (copy) => mark(copy, time));
  if (facts === null)
    return { ok: false, message: `${path} is not a database of sluice: check --database` };
  if (typeof facts === 'string')
    return { ok: false, message: `${path} is damaged, nothing was written: ${facts}` };
  sync(unfinished);
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(unfinished, output);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return { ok: false, message: taken(output) };
  }
  sync(dirname(output));
  note(path, time);
  const { size: bytes } = statSync(output);
  return { ok: true, value: { ...facts, file: output, time, bytes, sha256: digestOf(output) } };
}

/**
 * Marks the copy as a backup and reads its facts. A text says what is damaged in the copy; null: it has not our
 * tables.
 */
function mark(copy: Connection, time: string): DatabaseFacts | string | null {
  if (factsOf(copy) === null) return null;
  prepareMeta(copy).set('backup', time);
  const [damage] = damageOf(copy);
  return damage ?? factsOf(copy);
}

/** Bytes of a note. */
const MOST_NOTED = 64;
const noteBeside = (path: string) => `${path}.backed-up`;

/** For the running node, which says when a newer backup should be made. */
function note(path: string, time: string): void {
  try {
    const file = noteBeside(path);
    // A backup may have this name.
    if (existsSync(file) && statSync(file).size > MOST_NOTED) return;
    writeFileSync(file, `${time}\n`, { mode: 0o600 });
  } catch {
    // The backup is there all the same: the node will ask for another one too early.
  }
}

/** When the newest backup of this database was made, in milliseconds since 1970; null: none that it knows of. */
export function backedUpAt(path: string | null): number | null {
  try {
    const file = noteBeside(path ?? '');
    if (statSync(file).size > MOST_NOTED) return null;
    const time = Date.parse(readFileSync(file, 'utf8').trim());
    return Number.isNaN(time) ? null : time;
  } catch {
    return null;
  }
}

function withConnection<T>(path: string, work: (connection: Connection) => T): T {
  const connection = connect(path);
  try {
    return work(connection);
  } finally {
    connection.client.close();
  }
}

function taken(output: string): string {
  return `${output} is there already, and a backup never replaces a file: choose another --output`;
}

function digestOf(path: string): string {
  const handle = openSync(path, 'r');
  try {
    return readInto(handle, createHash('sha256')).digest('hex');
  } finally {
    closeSync(handle);
  }
}

function readInto(handle: number, hash: Hash): Hash {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let size = readSync(handle, piece); size > 0; size = readSync(handle, piece))
    hash.update(piece.subarray(0, size));
  return hash;
}
