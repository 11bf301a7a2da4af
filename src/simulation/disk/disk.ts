/**
 * The disk of one simulated node. It outlives the node's processes, each of which opens it, works with an
 * ordinary store and ends, by its own closing or by a crash. A commit that has returned is durable, as with
 * `synchronous=FULL`, unless the disk is told to have lied.
 */
import type { Batch } from '../../store/batch.ts';
import { type Doubt, doubtBetween, type HighWater } from '../../store/high-water.ts';
import type { Store } from '../../store/open.ts';
import type { Stamp } from '../../store/stamp.ts';
import type { Draw } from '../world/randomness.ts';
import { createMemoryStore, standingOf } from './memory-store.ts';
import { createTables, type Kept, type Tables } from './tables.ts';
import { createUndo } from './undo.ts';

/** What the world may do to a disk; each also counts how often it has done so, see `counts`. */
export type DiskFaults = {
  /** Every write fails as on a disk without room: `commit` throws, and no later commit is taken. */
  full: boolean;
};

export type Disk = {
  /** The store of a process that begins. Throws when another process has it, or when it is another node's. */
  open(stamp: Stamp): Store;
  /**
   * The process that has it open is dead: its store throws from here on, whoever uses it. `lost`: so many
   * of its last writes were never really on disk. Answers how many of them are gone.
   */
  crash(lost?: number): number;
  /**
   * Why it must not be gone on with unasked when the key had been at `mark`, as `openStore` judges; or null.
   * Whoever goes on all the same calls `acceptCopy` of the opened store.
   */
  doubt(mark: HighWater | null): Doubt | null;
  /** A copy of what is on it now, as the function that puts it in place; not while a process has it open. */
  copy(): () => void;
  /** Cuts off the row of one live actor, which is answered; null when there is none. */
  corrupt(draw: Draw): string | null;
  faults: DiskFaults;
  /** How often each thing befell it: `full`, `lost`, `restored`, `corrupted`. */
  counts(): Readonly<Record<string, number>>;
  /** Transactions that have changed something and are there. */
  writes(): number;
};

/** A moment of a commit at which a process can be made to die, by throwing. */
type CommitMoment = 'before' | 'after';

export type DiskOptions = {
  /** For the names of databases. */
  draw: Draw;
  /** What is kept, as far as it is not everything: a million payments must fit into memory. */
  kept?: Partial<Kept>;
  /** What the node is told that its journal keeps; how dense it writes it follows from that. */
  journalLimit?: number;
  /** How many writes `crash` can lose; what they replaced stays in memory for as long. */
  losable?: number;
  /** Is called before a batch is written and once it is durable. What it throws comes out of `commit`. */
  watch?(moment: CommitMoment, batch: Batch): void;
};

const KEPT: Kept = { journal: 32, feed: 32, payments: 1_000, steps: 64 };
/** That of the real store. */
const JOURNAL_LIMIT = 200_000;

export function createDisk(options: DiskOptions): Disk {
  const { draw, watch = () => {}, journalLimit = JOURNAL_LIMIT } = options;
  const undo = createUndo(options.losable ?? 0);
  const { tables, copy } = createTables(undo, { ...KEPT, ...options.kept });
  const faults: DiskFaults = { full: false };
  const counts = { full: 0, lost: 0, restored: 0, corrupted: 0 };
  let writes = 0;
  /** What the process that has it open holds; null: none has. */
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

  function expectUnused(): void {
    if (holder !== null) throw new Error('disk: a process has it open');
  }

  return {
    open(stamp) {
      expectUnused();
      stampTables(tables, stamp, { write, draw });
      const process = Symbol('process');
      holder = process;
      return createMemoryStore({
        tables() {
          if (holder !== process) throw new Error('disk: the process of this store has ended');
          return tables;
        },
        write,
        journalLimit,
        drawInstance: () => drawInstance(draw),
        release() {
          holder = null;
        },
      });
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
  };
}

type Writing = { write(work: (tables: Tables) => void): void; draw: Draw };

/** Writes at the first opening whose disk it is; throws at a later one for another node. */
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

/** In the form of a UUID. */
function drawInstance(draw: Draw): string {
  const digits = Buffer.from(draw.bytes(16)).toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
