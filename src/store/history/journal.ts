/** The journal: written with each commit, bounded, and read by those who want to know what happened. */
import { existsSync } from 'node:fs';
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  isNotNull,
  lt,
  lte,
  ne,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { JournalRow } from '../base/batch.ts';
import { type Connection, connect } from '../base/connection.ts';
import { journal } from '../base/schema.ts';
import { blocksOf, prepareEvents } from '../base/step-events.ts';
import { openWindow } from './window.ts';

/**
 * `seq` grows with each step and is never used again; `commit` counts commits. `causeSeq` is the step that sent the
 * event; null when the event came from outside.
 */
export type JournalEntry = Omit<JournalRow, 'causedBy'> & {
  seq: number;
  commit: number;
  causeSeq: number | null;
};
/** The end of an actor: nothing is told with it, and to look would read the block of each. */
type JournalEnd = Omit<JournalEntry, 'event'>;
export type JournalReads = ReturnType<typeof prepareJournalReads>;

const at = sql.placeholder;
/** In exactly the words of the partial index; otherwise SQLite does not use that index. */
const isMark = sql`${journal.kind} <> 'event'`;
const ofThisActor = eq(journal.actor, at('actor'));
const isBefore = lt(journal.seq, at('before'));

/** Reads of what is on disk; each sees all commits that were done when it is called. */
function prepareJournalReads({ db }: Connection) {
  const { events: _, ...columns } = getTableColumns(journal);
  const select = (condition: SQL | undefined) => db.select(columns).from(journal).where(condition);
  const one = (condition: SQL | undefined, order: SQL) =>
    select(condition).orderBy(order).limit(1).prepare();
  const first = db.select({ seq: journal.seq }).from(journal).orderBy(asc(journal.seq)).limit(1);
  const last = db.select({ seq: journal.seq }).from(journal).orderBy(desc(journal.seq)).limit(1);
  const block = db
    .select({ seq: journal.seq, events: journal.events })
    .from(journal)
    .where(and(gte(journal.seq, at('seq')), isNotNull(journal.events)))
    .orderBy(asc(journal.seq))
    .limit(1)
    .prepare();
  const eventOf = prepareEvents((seq) => block.get({ seq }));
  const oldest = first.prepare();
  const newest = last.prepare();
  const newer = select(gt(journal.seq, at('seq')))
    .orderBy(asc(journal.seq))
    .limit(at('limit'))
    .prepare();
  const firstMark = one(and(ofThisActor, isMark), asc(journal.seq));
  const lastMark = one(and(ofThisActor, isBefore, isMark), desc(journal.seq));
  const base = one(and(ofThisActor, isBefore, isMark, ne(journal.kind, 'stop')), desc(journal.seq));
  const within = and(ofThisActor, gte(journal.seq, at('from')), lte(journal.seq, at('to')));
  const newestOf = select(within).orderBy(desc(journal.seq)).limit(at('limit')).prepare();
  const allOf = select(within).orderBy(asc(journal.seq)).prepare();
  const stopsIn = select(
    and(gte(journal.seq, at('from')), lte(journal.seq, at('to')), eq(journal.kind, 'stop')),
  )
    .orderBy(desc(journal.seq))
    .prepare();

  type Row = NonNullable<ReturnType<typeof base.get>>;
  /** The rows with their events, in their order. */
  const told = (rows: readonly Row[]): JournalEntry[] =>
    rows.flatMap((row) => {
      const event = eventOf(row.seq);
      return event === undefined ? [] : [{ ...row, event }];
    });

  /**
   * The steps of an actor are between these two, as far as they are before `before`. Reading through a table takes
   * about 0.4 µs a row, through the index of marks a tenth of that; a finished payment has lived for a few hundred rows.
   */
  function beginOf(actor: string): number {
    const mark = firstMark.get({ actor });
    return mark?.kind === 'spawn' ? mark.seq : 0;
  }
  function endOf(actor: string, before: number): number {
    const mark = lastMark.get({ actor, before });
    return mark?.kind === 'stop' ? mark.seq : before - 1;
  }

  return {
    /** The oldest and the newest number in the table; without any row, newest + 1 and newest. */
    bounds(): { oldest: number; newest: number } {
      const end = newest.get()?.seq ?? 0;
      return { oldest: oldest.get()?.seq ?? end + 1, newest: end };
    },
    /** The steps after `seq`, oldest first, `limit` of them at most. */
    after: (seq: number, limit: number): JournalEntry[] => told(newer.all({ seq, limit })),
    /** The newest `limit` steps of the actor before `before`, oldest of them first. */
    ofActor: (actor: string, before: number, limit: number): JournalEntry[] =>
      told(
        newestOf.all({ actor, limit, from: beginOf(actor), to: endOf(actor, before) }).reverse(),
      ),
    /** The newest spawn or keyframe of the actor before `before`, or null when none is kept. */
    baseOf: (actor: string, before: number): JournalEntry | null =>
      told(base.all({ actor, before }))[0] ?? null,
    /** The actor's steps after `from` and before `before`, oldest first. */
    between(actor: string, from: number, before: number): JournalEntry[] {
      // The first mark is far back. With any mark up to `from`, the actor has begun by then.
      const hasBegun = lastMark.get({ actor, before: from + 1 }) !== undefined;
      const begin = hasBegun ? 0 : beginOf(actor);
      return told(allOf.all({ actor, from: Math.max(from + 1, begin), to: endOf(actor, before) }));
    },
    /** The ends of actors from step `from` to `to`, newest first. Reads through all rows in between. */
    stops: (from: number, to: number): JournalEnd[] => stopsIn.all({ from, to }),
  };
}

const COLUMNS = 'seq, actor, cause, events, state, block, time, "commit", kind, cause_seq, version';
const ROW = '(?, ?, ?, unhex(?), ?, ?, ?, ?, ?, ?, ?)';
const WIDTH = COLUMNS.split(',').length;
/** How many rows one statement inserts. The last size has to be 1. */
const SIZES = [16, 4, 1];

/**
 * Inserts rows, given as one list of all their values. A payment writes 6 to 8: Drizzle's binding by name takes longer
 * than SQLite does for them, and a statement for each takes a quarter longer than one for many.
 */
function prepareInsert({ prepare }: Connection) {
  const inserts = SIZES.map((size) => ({
    width: size * WIDTH,
    statement: prepare(`INSERT INTO journal (${COLUMNS}) VALUES ${Array(size).fill(ROW).join()}`),
  }));
  return (values: readonly unknown[]): void => {
    let at = 0;
    for (const { width, statement } of inserts)
      for (; values.length - at >= width; at += width) statement.run(values.slice(at, at + width));
  };
}

/** Appends to the journal and keeps its newest `limit` rows, in transactions that the caller has opened. */
export function prepareJournal(connection: Connection, limit: number) {
  const window = openWindow(connection, journal, limit);
  const reads = prepareJournalReads(connection);
  const [last] = reads.after(window.bounds().newest - 1, 1);
  let commit = last?.commit ?? 0;
  const insert = prepareInsert(connection);

  return {
    ...reads,
    bounds: window.bounds,
    mark: window.mark,
    /** How many rows are kept. */
    limit,
    put(rows: readonly JournalRow[]): void {
      if (rows.length === 0) return;
      commit += 1;
      const first = window.bounds().newest + 1;
      const blocks = blocksOf(rows.map(({ event }) => event));
      const values: unknown[] = [];
      for (const [at, row] of rows.entries()) {
        const { actor, cause, causedBy, state, kind, version, block, time } = row;
        const events = blocks[at] ?? null;
        const packed = events && journal.events.mapToDriverValue(events);
        const causeSeq = causedBy === null ? null : first + causedBy;
        const height = journal.block.mapToDriverValue(block);
        values.push(window.take(), actor, cause, packed, state, height);
        values.push(time, commit, kind, causeSeq, version);
      }
      insert(values);
      window.cut(rows.length);
    },
  };
}

/**
 * Opens the journal in a database file only for reading, while a node may be writing it, and in a thread of its own
 * if need be. Throws when there is no such file, or when its tables are others.
 */
export function openJournal(file: string): JournalReads & { close(): void } {
  // The driver has no read-only mode, and creates a file that does not exist.
  if (!existsSync(file)) throw new Error(`store: there is no database ${file}`);
  const connection = connect(file);
  try {
    connection.client.pragma('query_only = ON');
    return { ...prepareJournalReads(connection), close: () => void connection.client.close() };
  } catch (error) {
    connection.client.close();
    throw error;
  }
}
