/**
 * The disk of one simulated node. It outlives the node's processes, each of which opens it, works with an
 * ordinary store and ends, by its own closing or by a crash. A commit that has returned is durable, as with
 * `synchronous=FULL`, unless the disk is told to have lied.
 */
import type { Batch } from '../../store/base/batch.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import { type Doubt, doubtBetween, type HighWater } from '../../store/durability/high-water.ts';
import type { Replay } from '../../store/durability/replay.ts';
import type { Replica } from '../../store/durability/replication.ts';
import type { Store } from '../../store/store.ts';
import type { Draw } from '../world/randomness.ts';
import { createMemoryReplay } from './memory-replay.ts';
import { createMemoryStore, standingOf } from './memory-store.ts';
import { createTables, type Kept, type Tables } from './tables.ts';
import { createUndo } from './undo.ts';
import { createWriteBook, type WriteBook } from './write-book.ts';

/** Faults that can be switched on. How often each has taken effect is in `counts`. */
export type DiskFaults = {
  /** Every write fails as on a full disk: `commit` throws, and no later commit is accepted. */
  full: boolean;
};

export type Disk = {
  /** Opens the store for a new process. Throws when another process has it open, or when it is another node's. */
  open(stamp: Stamp, replica?: Replica): Store;
  /** Opens the disk so that the transactions of another one can be done again on it. Throws as `open` does. */
  replay(stamp: Stamp): Replay;
  /**
   * The process that has the disk open is dead: its store throws from now on. `lost`: so many of its last writes
   * were never really on the disk. Returns how many writes are gone.
   */
  crash(lost?: number): number;
  /**
   * The reason why a node must not go on with this disk without its owner's consent, when the key had been used up
   * to `mark`; judged as `openStore` does; null: no reason. A caller that goes on all the same calls `acceptCopy`
   * of the opened store.
   */
  doubt(mark: HighWater | null): Doubt | null;
  /**
   * Copies the disk's present contents and returns a function that puts them back; it throws while a process has
   * the disk open.
   */
  copy(): () => void;
  /** Truncates the state of one live actor, and returns the actor's id; null when there is no actor. */
  corrupt(draw: Draw): string | null;
  /** What it has of a channel now, whoever has it open; null: it cannot be looked into. */
  channel(id: string): ChannelOnDisk | null;
  faults: DiskFaults;
  /** How often each fault happened: `full`, `lost`, `restored`, `corrupted`. */
  counts(): Readonly<Record<string, number>>;
  /** Number of transactions on the disk that changed something. */
  writes(): number;
  /** The newest step of its journal. */
  newest(): number;
};

/**
 * `row`: the state of the channel's actor; null: there is none. `steps`: the nonces of the newest ones, 0n: there is none.
 * `waiting`: the nonces of the messages that are not acknowledged.
 */
export type ChannelOnDisk = {
  row: string | null;
  steps: Record<'own' | 'partner', bigint>;
  waiting: readonly bigint[];
};

/** A moment of a commit at which a process can be made to die, by throwing. */
type CommitMoment = 'before' | 'after';

export type DiskOptions = {
  /** Draws the names of databases. */
  draw: Draw;
  /** Limits of what is kept, where they differ from the default: a million payments must fit into memory. */
  kept?: Partial<Kept>;
  /** The number of journal rows that the node is told are kept; it decides how often the node writes keyframes. */
  journalLimit?: number;
  /** How many writes `crash` can lose; the data that they replaced stays in memory until then. */
  losable?: number;
  /** Shared by the disks on which the same transactions are done; absent: no other disk does them. */
  book?: WriteBook;
  /** Called before a batch is written and once it is durable. An exception leaves `commit`. */
  watch?(moment: CommitMoment, batch: Batch): void;
};

const KEPT: Kept = { journal: 32, feed: 32, payments: 1_000, steps: 512 };
/** The limit of the real store. */
const JOURNAL_LIMIT = 200_000;

export function createDisk(options: DiskOptions): Disk {
  const { draw, watch = () => {}, journalLimit = JOURNAL_LIMIT } = options;
  const undo = createUndo(options.losable ?? 0);
  const book = options.book ?? createWriteBook();
  const { tables, copy } = createTables(undo, { ...KEPT, ...options.kept });
  const faults: DiskFaults = { full: false };
  const counts = { full: 0, lost: 0, restored: 0, corrupted: 0 };
  let writes = 0;
  /** Identifies the process that has the disk open; null: none has. */
  let holder: symbol | null = null;

  function write(work: (tables: Tables) => void, batch?: Batch): void {
    if (batch !== undefined) watch('before', batch);
    if (faults.full) {
      counts.full += 1;
      throw new Error('disk: database or disk is full');
    }
    if (undo.transaction(() => work(tables))) writes += 1;
    if (batch !== undefined) watch('after', batch);
  }

  /** Writes as above; the transaction notes its place in the replica, which is given it. */
  function writeReplicated(
    replica: Replica,
    work: (tables: Tables) => void,
    batch: Batch | undefined,
  ) {
    write((all) => {
      work(all);
      all.setFacts({ place: replica.seal([book.note(work)]) });
    }, batch);
    replica.committed();
  }

  /** The tables, as long as the process that opens them now has the disk; `release`: it has closed it. */
  function hold() {
    expectUnused();
    const process = Symbol('process');
    holder = process;
    return {
      tables() {
        if (holder !== process) throw new Error('disk: the process of this store has ended');
        return tables;
      },
      release() {
        holder = null;
      },
    };
  }

  function expectUnused(): void {
    if (holder !== null) throw new Error('disk: a process has it open');
  }

  return {
    open(stamp, replica) {
      expectUnused();
      stampTables(tables, stamp, { write, draw });
      return createMemoryStore({
        ...hold(),
        write:
          replica === undefined ? write : (work, batch) => writeReplicated(replica, work, batch),
        journalLimit,
        replica: replica ?? null,
        drawInstance: () => drawInstance(draw),
      });
    },
    replay(stamp) {
      expectUnused();
      stampTables(tables, stamp, { write, draw });
      return createMemoryReplay({ ...hold(), write, book });
    },
    crash(lost = 0) {
      holder = null;
      const gone = undo.lose(lost);
      undo.settle();
      counts.lost += gone;
      writes -= gone;
      return gone;
    },
    doubt: (mark) =>
      doubtBetween(mark, tables.facts().stamp && standingOf(tables), tables.facts().backup),
    copy() {
      const restore = copy();
      return () => {
        expectUnused();
        undo.settle();
        restore();
        counts.restored += 1;
      };
    },
    channel: (id) => channelIn(tables, id),
    corrupt(by) {
      const rows = tables.actors.list();
      if (rows.length === 0) return null;
      const row = by.pick(rows);
      const state = row.state.slice(0, by.integer(0, row.state.length - 1));
      undo.transaction(() => tables.actors.set(row.id, { ...row, state }));
      counts.corrupted += 1;
      return row.id;
    },
    faults,
    counts: () => counts,
    writes: () => writes,
    newest: () => tables.journal.bounds().newest,
  };
}

function channelIn({ actors, steps, outbox }: Tables, id: string): ChannelOnDisk {
  const newest = (side: 'own' | 'partner') => steps.newest(id, side)?.nonce ?? 0n;
  return {
    row: actors.get(id)?.state ?? null,
    steps: { own: newest('own'), partner: newest('partner') },
    waiting: outbox
      .list()
      .flatMap(({ queue, nonce }) => (queue === id && nonce !== null ? [nonce] : [])),
  };
}

type Writing = { write(work: (tables: Tables) => void): void; draw: Draw };

/** Writes the stamp when the disk is opened first; throws when a later opening is for another node. */
function stampTables(tables: Tables, stamp: Stamp, { write, draw }: Writing): void {
  const known = tables.facts().stamp;
  if (known === null) {
    const instance = drawInstance(draw);
    write((all) => all.setFacts({ stamp: { ...stamp }, instance }));
  } else if (textOf(known) !== textOf(stamp)) {
    throw new Error(`disk: it belongs to ${textOf(known)}, not to ${textOf(stamp)}`);
  }
}

function textOf({ chainId, tokenNetworkRegistry, ownAddress }: Stamp): string {
  return `${ownAddress} on chain ${chainId} with the registry ${tokenNetworkRegistry}`;
}

/** A random name in the form of a UUID. */
function drawInstance(draw: Draw): string {
  const digits = Buffer.from(draw.bytes(16)).toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
