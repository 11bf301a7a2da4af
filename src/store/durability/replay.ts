/** A database in which the transactions of another one are done again. */
import type Libsql from 'libsql';
import {
  atomically,
  type Connection,
  connect,
  disconnect,
  makeDurable,
  withoutWaiting,
} from '../base/connection.ts';
import { type Meta, prepareMeta } from '../base/meta.ts';
import { ownerOf, schemaVersion } from '../base/migrate.ts';
import { type AnyStamp, type StampProblem, stampRefusal, upgrade } from '../base/stamp.ts';
import type { Write } from './capture.ts';
import { type ClaimRefusal, claimFile } from './exclusive.ts';

export type Replay = ReturnType<typeof createReplay>;

type Refused = { ok: false; problem: ClaimRefusal['problem'] | StampProblem; message: string };

/** Opens the database for this process alone, and creates it when it is not there. It must be on the disk. */
export function openReplay(url: string, stamp: AnyStamp): { ok: true; value: Replay } | Refused {
  const claimed = claimFile(url);
  if (!claimed.ok) return claimed;
  if (!claimed.isOnDisk) {
    claimed.release();
    const message = 'a database in memory cannot be replicated: give a file with --database';
    return { ok: false, problem: 'unsupported_url', message };
  }
  try {
    const connection = connect(claimed.path);
    const refusal = stampRefusal(connection, stamp);
    if (refusal !== null) {
      connection.client.close();
      claimed.release();
      return { ok: false, ...refusal };
    }
    makeDurable(connection, claimed.path);
    if (ownerOf(connection) === 'nobody') upgrade(connection, stamp);
    // The stream has what a power cut takes from here.
    withoutWaiting(connection);
    return { ok: true, value: createReplay(connection, claimed, stamp.service) };
  } catch (error) {
    claimed.release();
    throw error;
  }
}

/** `from`: what the database notes as its place until now, null: none; `to`: what it notes from then on. */
type Move = { writes: readonly Write[]; from: string | null; to: string };

type File = { path: string; release(): void };

function createReplay(connection: Connection, { path, release }: File, service?: string) {
  const { client } = connection;
  const meta = prepareMeta(connection);
  const statements = new Map<string, Libsql.Statement>();
  let isClosed = false;

  function statementOf(sql: string): Libsql.Statement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const prepared = client.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  }

  return {
    path,
    /** What the database notes as its place in the replica; null: it was never replicated. */
    place: (): string | null => placeIn(meta),
    /** The database is replicated no more. `copiedAt`: it may lack what came later, as a backup does; null: it does not. */
    leave: (copiedAt: string | null): void =>
      atomically(client, () => {
        meta.set('replica', '');
        if (copiedAt !== null) meta.set('backup', copiedAt);
      }),
    /** Whether this program writes into the database as it is, without bringing it to a newer schema. */
    hasOwnSchema: (): boolean => meta.get('schema') === schemaVersion(service).toString(),
    /**
     * One transaction: does the writes and notes the place. Throws, and leaves the database as it was, when that notes
     * another place than `from`: writes that are done twice, or behind a gap, make another database than the owner's.
     */
    apply({ writes, from, to }: Move): void {
      atomically(client, () => {
        const noted = placeIn(meta);
        if (noted !== from) throw new Error(notedElsewhere(noted, from));
        for (const { sql, params } of writes) statementOf(sql).run(params);
        meta.set('replica', to);
      });
    },
    /** The database has all that its stream has: if it was a backup, it is none any more. */
    noteCurrent(): void {
      if ((meta.get('backup') ?? '') !== '') meta.set('backup', '');
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      disconnect(connection);
      release();
    },
  };
}

/** Why writes that continue the place `from` are not done in a database that notes another one. */
export function notedElsewhere(noted: string | null, from: string | null): string {
  return `replica: the database notes ${noted ?? 'no place'}, and what comes continues ${from ?? 'no place'}`;
}

const placeIn = (meta: Meta): string | null => meta.get('replica') || null;

/** What a copy of a database notes as its place, and its schema. Opens the file for a moment. */
export function readPlace(path: string): { place: string | null; schema: string | null } {
  const connection = connect(path);
  try {
    const meta = prepareMeta(connection);
    return { place: placeIn(meta), schema: meta.get('schema') };
  } finally {
    connection.client.close();
  }
}
