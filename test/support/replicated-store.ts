/** Machines with a database each, for one node and one stream in memory: what owns, follows and takes over. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OwnOptions, ownStream } from '../../src/replica/ownership.ts';
import { recordKeys } from '../../src/replica/record.ts';
import type { RecordStream } from '../../src/replica/stream.ts';
import { createRecordWriter } from '../../src/replica/writer.ts';
import { emptyBatch } from '../../src/store/base/batch.ts';
import { schemaVersion } from '../../src/store/base/migrate.ts';
import type { Stamp } from '../../src/store/base/stamp.ts';
import { openReplay } from '../../src/store/durability/replay.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

export const KEYS = recordKeys(new Uint8Array(32).fill(7), 'a node');
const STAMP: Stamp = {
  chainId: 1n,
  tokenNetworkRegistry: `0x${'1'.repeat(40)}`,
  ownAddress: `0x${'2'.repeat(40)}`,
};
const SILENT = { now: () => 0, elapsed: () => 0, every: () => () => {} };

export type Machine = ReturnType<typeof createMachine>;

/** `name`: what the machine is called in the stream. */
export function createMachine(stream: RecordStream, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replica-'));
  const path = join(folder, 'node.db');
  const url = `file:${path}`;
  const replayed = () => {
    const opened = openReplay(url, STAMP);
    if (!opened.ok) throw new Error(opened.message);
    return opened.value;
  };

  return {
    path,
    stamp: STAMP,
    replayed,
    /** Tries to own the stream. `quieten`: asks the owner of an epoch to write nothing for a moment. */
    async own(
      takesFrom: number | null = null,
      quieten: OwnOptions['quieten'] = async () => () => {},
      renews = false,
    ) {
      const replay = replayed();
      try {
        const schema = schemaVersion().toString();
        const owner = { host: name, pid: 1, time: 0, version: '1', schema };
        return await ownStream({ stream, keys: KEYS, replay, owner, takesFrom, quieten, renews });
      } finally {
        replay.close();
      }
    },
    /** Owns the stream, and opens the store that writes into it. */
    async open(takesFrom: number | null = null) {
      const owned = await this.own(takesFrom);
      if (!owned.ok) throw new Error(owned.message);
      const { epoch, start } = owned;
      const taken: number[] = [];
      const writer = createRecordWriter({
        stream,
        keys: KEYS,
        epoch,
        start,
        mode: 'sync',
        clock: SILENT,
        onTaken: (after) => void taken.push(after),
        onTrouble() {},
      });
      const opened = openStore({ url, stamp: STAMP, replica: writer.replica });
      if (!opened.ok) throw new Error(opened.message);
      const { store } = opened;
      return {
        store,
        writer,
        taken,
        epoch,
        needsBase: owned.needsBase,
        /** Ends as a process does that is killed: what is on its way may never arrive. */
        kill(): void {
          writer.close();
          store.close();
        },
      };
    },
    /** The names of the actors in the database. */
    actors(): string[] {
      const opened = openStore({ url, stamp: STAMP });
      if (!opened.ok) throw new Error(opened.message);
      const names = opened.store.loadActors().map(({ id }) => id);
      opened.store.close();
      return names.sort();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Commits one actor and a row of its journal, which cannot be written twice; resolves when the replica has both. */
export function put(store: Store, id: string = randomUUID()): Promise<void> {
  const state = `"${id}"`;
  const step = { kind: 'spawn', actor: id, cause: 'a test', causedBy: null, event: '{}' } as const;
  store.commit({
    ...emptyBatch(),
    actors: [{ id, kind: 'node', version: 1, state }],
    journal: [{ ...step, state, version: 1, block: 1n, time: 0 }],
  });
  return new Promise((resolve, reject) => store.whenDurable(resolve, reject));
}
