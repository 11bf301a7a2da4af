/** The database of a service: for one process, of one service, as durable as a node's. */
import { type Connection, connect, disconnect, makeDurable } from '../../store/connection.ts';
import { type ClaimedFile, claimFile, prepareWrite } from '../../store/exclusive.ts';
import { type Meta, prepareMeta } from '../../store/meta.ts';
import { refusalOf, type Stamp, upgrade } from '../../store/stamp.ts';

/** The services that have a database, by the folder of their migrations in drizzle/. */
export type ServiceName = 'pathfinding' | 'monitoring';
export type ServiceStamp = Stamp & { service: ServiceName };
export type ServiceDatabase = {
  connection: Connection;
  meta: Meta;
  /** One durable transaction. Throws when the disk or another holder of the file stands against it. */
  write(work: () => void): void;
  /** Gives it back, whatever the disk says. May be called again. */
  close(): void;
};

/**
 * Opens or creates the database and brings it to the newest schema of the service. `message` of a refusal
 * is for the operator; the content of a database that was there is as it was then.
 */
export function openDatabase(
  url: string,
  stamp: ServiceStamp,
): { ok: true; database: ServiceDatabase } | { ok: false; message: string } {
  try {
    const claimed = claimFile(url);
    return claimed.ok ? openClaimed(claimed, stamp) : claimed;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `the database ${url} cannot be used: ${reason}` };
  }
}

function openClaimed({ path, release }: ClaimedFile, stamp: ServiceStamp) {
  const connection = connect(path);
  const end = () => {
    connection.client.close();
    release();
  };
  try {
    const refusal = refusalOf(connection, stamp);
    if (refusal !== null) {
      end();
      return { ok: false, message: refusal.message } as const;
    }
    makeDurable(connection, path, 'FULL');
    upgrade(connection, stamp);
    return { ok: true, database: databaseOn(connection, release) } as const;
  } catch (error) {
    end();
    throw error;
  }
}

function databaseOn(connection: Connection, release: () => void): ServiceDatabase {
  const meta = prepareMeta(connection);
  let isClosed = false;
  return {
    connection,
    meta,
    write: prepareWrite(connection, meta),
    close() {
      if (isClosed) return;
      isClosed = true;
      disconnect(connection);
      release();
    },
  };
}
