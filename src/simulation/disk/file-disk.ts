/**
 * The disk of a simulated node on real files: the node's own store and SQLite, where the disk in memory only
 * imitates them. It is slower, so only a part of the runs uses it. Each process gets a folder of its own: the files
 * of a crashed process stay as they are at that moment, and a copy of them goes to the next one.
 */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { emptyBatch } from '../../store/base/batch.ts';
import { type Connection, connect } from '../../store/base/connection.ts';
import { prepareMeta } from '../../store/base/meta.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import { doubtBetween, highWaterOf } from '../../store/durability/high-water.ts';
import { openReplay, type Replay } from '../../store/durability/replay.ts';
import type { Replica } from '../../store/durability/replication.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { createLive } from '../../store/tables/live.ts';
import type { Draw } from '../world/randomness.ts';
import type { Disk, DiskFaults, DiskOptions } from './disk.ts';
import { backfilled, cutLog } from './wal.ts';
import { watchStore } from './watched-store.ts';

const DATABASE = 'node.db';
const LOG = `${DATABASE}-wal`;
const INDEX = `${DATABASE}-shm`;

type Options = Pick<DiskOptions, 'watch'> & {
  /** Newest rows of journal and feed that are kept, as `openStore` takes them. */
  journalLimit?: number;
  feedLimit?: number;
};

/** `folder` belongs to this disk only; the caller removes it. The store itself draws the name of the database. */
export function createFileDisk(folder: string, options: Options = {}): Disk {
  const { watch = () => {}, ...limits } = options;
  const faults: DiskFaults = { full: false };
  const counts = { full: 0, lost: 0, restored: 0, corrupted: 0 };
  let lives = 0;
  let writes = 0;
  let current = newFolder();
  /** The store of the process that has the disk open. */
  let holder: { store: { close(): void } } | null = null;

  function newFolder(): string {
    lives += 1;
    const life = join(folder, `${lives}`);
    mkdirSync(life, { recursive: true });
    return life;
  }

  function copyTo(target: string, source = current): void {
    for (const file of [DATABASE, LOG])
      if (existsSync(join(source, file))) cpSync(join(source, file), join(target, file));
  }

  function moveTo(next: string): void {
    rmSync(current, { recursive: true });
    current = next;
  }

  function expectUnused(): void {
    if (holder !== null) throw new Error('disk: a process has it open');
  }

  function refuse(): void {
    if (!faults.full) return;
    counts.full += 1;
    throw new Error('disk: database or disk is full');
  }

  return {
    open(stamp, replica) {
      expectUnused();
      const replicating = replica === undefined ? {} : { replica };
      const store = openedStore(join(current, DATABASE), stamp, { ...limits, ...replicating });
      const process = { store };
      holder = process;
      const watchedStore = watchStore(store, {
        expectAlive() {
          if (holder !== process) throw new Error('disk: the process of this store has ended');
        },
        refuse,
        wrote() {
          writes += 1;
        },
      });
      return {
        ...watchedStore,
        commit: committing(watchedStore, watch),
        // The disk answers at once: when it does is up to the scheduler, and not to the real disk.
        whenDurable(done, _onFailure, onDisk = () => {}) {
          if (replica === undefined) return done();
          onDisk();
          replica.whenAcknowledged(done);
        },
        // A thread of its own would not end with the process.
        async checkpoint() {},
        close() {
          watchedStore.close();
          holder = null;
        },
      };
    },
    replay(stamp) {
      expectUnused();
      const replay = openedReplay(join(current, DATABASE), stamp);
      const process = { store: replay };
      holder = process;
      return {
        ...replay,
        close() {
          replay.close();
          if (holder === process) holder = null;
        },
      };
    },
    crash(lost = 0) {
      if (holder === null) return 0;
      const next = newFolder();
      copyTo(next);
      const gone = cutLog(join(next, LOG), lost, backfilled(join(current, INDEX)));
      // Closing releases the lock; whatever it still writes goes to the old folder, which is dropped.
      holder.store.close();
      holder = null;
      moveTo(next);
      counts.lost += gone;
      writes -= gone;
      return gone;
    },
    doubt(mark) {
      const path = join(current, DATABASE);
      if (!existsSync(path)) return doubtBetween(mark, null, null);
      return withDatabase(path, (connection) => {
        const found = highWaterOf(connection);
        const backup = found === null ? null : prepareMeta(connection).get('backup');
        return doubtBetween(mark, found, backup);
      });
    },
    copy() {
      const copied = newFolder();
      copyTo(copied);
      return () => {
        expectUnused();
        const next = newFolder();
        copyTo(next, copied);
        moveTo(next);
        counts.restored += 1;
      };
    },
    // A second connection to the files would cost a run with real disks too much.
    channel: () => null,
    corrupt(draw) {
      expectUnused();
      const id = withDatabase(join(current, DATABASE), (connection) => cutRow(connection, draw));
      if (id !== null) counts.corrupted += 1;
      return id;
    },
    faults,
    counts: () => counts,
    writes: () => writes,
    newest: () =>
      withDatabase(join(current, DATABASE), (connection) => highWaterOf(connection)?.seq ?? 0),
  };
}

/** After one failed commit, for whatever reason, a store accepts no more, like the real one. */
function committing(store: Store, watch: NonNullable<Options['watch']>): Store['commit'] {
  let hasFailed = false;
  return (batch) => {
    if (hasFailed) throw new Error('disk: an earlier commit failed, open the disk again');
    hasFailed = true;
    watch('before', batch);
    store.commit(batch);
    store.sync();
    watch('after', batch);
    hasFailed = false;
  };
}

type Limits = Pick<Options, 'journalLimit' | 'feedLimit'> & { replica?: Replica };

function openedStore(path: string, stamp: Stamp, limits: Limits): Store {
  const opened = openStore({ url: `file:${path}`, stamp, ...limits });
  if (!opened.ok) throw new Error(`disk: ${opened.message}`);
  return opened.store;
}

function openedReplay(path: string, stamp: Stamp): Replay {
  const opened = openReplay(`file:${path}`, stamp);
  if (!opened.ok) throw new Error(`disk: ${opened.message}`);
  return opened.value;
}

function withDatabase<T>(path: string, work: (connection: Connection) => T): T {
  const connection = connect(path);
  try {
    return work(connection);
  } finally {
    connection.client.close();
  }
}

/** Truncates the state of one live actor, and returns the actor's id. */
function cutRow(connection: Connection, draw: Draw): string | null {
  const live = createLive(connection);
  const rows = live.loadActors();
  if (rows.length === 0) return null;
  const row = draw.pick(rows);
  const state = row.state.slice(0, draw.integer(0, row.state.length - 1));
  live.write({ ...emptyBatch(), actors: [{ ...row, state }] });
  return row.id;
}
