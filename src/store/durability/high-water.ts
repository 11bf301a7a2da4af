/**
 * A note of how far the database of a key has come, in a file outside of the database. A copy that was restored is
 * behind the note: a node that used it would act on what is no longer true, and could lose its deposits.
 */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { max } from 'drizzle-orm';
import * as v from 'valibot';
import type { Connection } from '../base/connection.ts';
import { journal } from '../base/history-schema.ts';
import { prepareMeta } from '../base/meta.ts';
import { ownerOf } from '../base/migrate.ts';
import { createPrivateFolder } from './lock.ts';

/** `instance`: drawn when a database is made; `seq`: its newest step, a number that only grows. */
export type HighWater = { instance: string; seq: number };

export type HighWaterCheck = {
  file: string;
  /** The code of the copy that the operator has accepted, out of an earlier refusal; or null. */
  accepted: string | null;
};

/** Why a database must not be used as if nothing had happened. */
export type Doubt = {
  kind: 'backup' | 'older' | 'another';
  /**
   * The code that the operator has to give to use the database all the same. It fits this database in this state and
   * no other.
   */
  code: string;
  message: string;
};

const shape = v.object({ instance: v.string(), seq: v.pipe(v.number(), v.safeInteger()) });

/** The note in a file. Null when there is none, or none that can be read: a power cut may leave an empty file. */
export function readHighWater(file: string): HighWater | null {
  try {
    const parsed = v.safeParse(shape, JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.output : null;
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isAbsent || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Replaces the file as a whole; `isDurable` also waits for the disk. */
export function writeHighWater(file: string, mark: HighWater, isDurable: boolean): void {
  createPrivateFolder(dirname(file));
  const unfinished = `${file}.new`;
  const handle = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(mark)}\n`);
    if (isDurable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
}

/** How far the database has come; null when it has no tables yet. */
export function highWaterOf(connection: Connection): HighWater | null {
  if (ownerOf(connection) !== 'us') return null;
  const instance = prepareMeta(connection).get('instance');
  return instance === null ? null : { instance, seq: newestStep(connection) };
}

export function newestStep({ db }: Connection): number {
  return (
    db
      .select({ newest: max(journal.seq) })
      .from(journal)
      .get()?.newest ?? 0
  );
}

/** Why the database may be an old copy, or null. Changes nothing. */
export function doubtOf(connection: Connection, file: string): Doubt | null {
  const mark = readHighWater(file);
  const found = highWaterOf(connection);
  const backup = found === null ? null : prepareMeta(connection).get('backup');
  return doubtBetween(mark, found, backup);
}

/**
 * Why a database at `found` may be an old copy, when the note of the key says `mark`; or null. `backup`: when this
 * backup was made; null or empty when the database is no backup.
 */
export function doubtBetween(
  mark: HighWater | null,
  found: HighWater | null,
  backup: string | null,
): Doubt | null {
  const doubt = compare(mark, found, backup);
  if (doubt === null) return null;
  const digest = createHash('sha256').update(JSON.stringify([mark, found, backup]));
  const code = digest.digest('hex').slice(0, 8);
  const { kind, what } = doubt;
  return { kind, code, message: `${what}. ${ADVICE[kind]} "--accept-database ${code}"${AFTER}` };
}

const ADVICE = {
  backup: 'Start with the original if it still exists. If it is lost, start once with',
  older: 'Start with the newest database if it still exists. If it is lost, start once with',
  another: 'Give --database the one that it worked with. If that is lost, start once with',
} as const;
const AFTER = ': the channels that are open can then only be closed';

function compare(
  mark: HighWater | null,
  found: HighWater | null,
  backup: string | null,
): { kind: Doubt['kind']; what: string } | null {
  if (backup !== null && backup !== '') {
    const what = `the database is a backup of ${backup}: what partners have paid since then is not in it`;
    return { kind: 'backup', what };
  }
  if (mark === null) return null;
  if (found === null || found.instance !== mark.instance) {
    const given =
      found === null
        ? 'new: it knows of no payment in channels that are open on chain'
        : 'another one: what happened in open channels may be missing in it';
    return {
      kind: 'another',
      what: `the key has worked with a database, the one given is ${given}`,
    };
  }
  if (found.seq >= mark.seq) return null;
  const what = `the database is an old copy: it ends at step ${found.seq}, and this key has been at step ${mark.seq}`;
  return { kind: 'older', what };
}
