/** The database of a service: used by one process, made for one service, as durable as a node's. */
import { messageOf } from '../../basics/message-of.ts';
import { type Connection, connect, disconnect, makeDurable } from '../../store/base/connection.ts';
import { type Meta, prepareMeta } from '../../store/base/meta.ts';
import { type AnyStamp, stampRefusal, upgrade } from '../../store/base/stamp.ts';
import { createCapture } from '../../store/durability/capture.ts';
import { type ClaimedFile, claimFile, prepareWrite } from '../../store/durability/exclusive.ts';
import type { Replica, Replication } from '../../store/durability/replication.ts';

/** The services that have a database, by the folder of their migrations in drizzle/. */
export type ServiceName = 'pathfinding' | 'monitoring' | 'tabs';
export type ServiceStamp = AnyStamp & { service: ServiceName };
export type ServiceDatabase = {
  connection: Connection;
  /** Of the file; `:memory:` without one. */
  path: string;
  meta: Meta;
  /** Runs `work` as one durable transaction. Throws when the disk fails or another process holds the file. */
  write(work: () => void): void;
  /** Closes the database and releases its file, even when the disk fails. May be called again. */
  close(): void;
};

/**
 * Opens or creates the database and upgrades it to the newest schema of the service. The `message` of a refusal is for
 * the operator; a refused database keeps its content unchanged. `replica`: gets each transaction; absent: nobody does.
 */
export function openServiceDatabase(
  url: string,
  stamp: ServiceStamp,
  replica: Replica | null = null,
): { ok: true; database: ServiceDatabase } | { ok: false; message: string } {
  try {
    const claimed = claimFile(url);
    return claimed.ok ? openClaimed(claimed, stamp, replica) : claimed;
  } catch (error) {
    const reason = messageOf(error);
    return { ok: false, message: `the database ${url} cannot be used: ${reason}` };
  }
}

function openClaimed({ path, release }: ClaimedFile, stamp: ServiceStamp, replica: Replica | null) {
  const replication = replica === null ? null : { ...replica, capture: createCapture() };
  const connection = connect(path, { capture: replication?.capture ?? null });
  const end = () => {
    connection.client.close();
    release();
  };
  try {
    const refusal = stampRefusal(connection, stamp);
    if (refusal !== null) {
      end();
      return { ok: false, message: refusal.message } as const;
    }
    makeDurable(connection, path);
    upgrade(connection, stamp);
    return { ok: true, database: databaseOn({ connection, path, release, replication }) } as const;
  } catch (error) {
    end();
    throw error;
  }
}

type Parts = {
  connection: Connection;
  path: string;
  release: () => void;
  replication: Replication | null;
};

function databaseOn({ connection, path, release, replication }: Parts): ServiceDatabase {
  const meta = prepareMeta(connection);
  let isClosed = false;
  return {
    connection,
    path,
    meta,
    write: prepareWrite(connection, meta, { replication }),
    close() {
      if (isClosed) return;
      isClosed = true;
      disconnect(connection);
      release();
    },
  };
}
