/** The journal: written with each commit, bounded, and read by those who want to know what happened. */
import { existsSync } from 'node:fs';
import { and, asc, desc, gt, lt, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Hex } from '../../basics/hex.ts';
import { bound, boundInsert } from '../base/bound.ts';
import { type Blob, unhex } from '../base/columns.ts';
import { type Connection, connect } from '../base/connection.ts';
import { journal } from '../base/history-schema.ts';
import type { JournalRow } from '../base/journal-block.ts';
import { type Block, blockIn, blocksOf, FULL_STEPS, markOf } from '../base/journal-block.ts';
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
/** The end of an actor: nothing is told with it. */
type JournalEnd = Omit<JournalEntry, 'event'>;
export type JournalReads = ReturnType<typeof prepareJournalReads>;

/** `seq`: the number of its last step. */
type Stored = { seq: number; count: number; commit: number; packed: Blob };

const at = sql.placeholder;
/** Blocks that are read at once. */
const PAGE = 8;
/** Unpacked blocks that are remembered: who asks for the beginnings of many actors asks for few blocks. */
const REMEMBERED = 16;

function createUnpacking(): (stored: Stored) => readonly JournalEntry[] {
  const known = new Map<number, readonly JournalEntry[]>();
  return ({ seq, count, commit, packed }) => {
    const before = known.get(seq);
    if (before !== undefined) return before;
    const entries = blockIn(packed).map(({ causedBy, ...step }, place) => {
      const own = seq - count + 1 + place;
      return { ...step, seq: own, commit, causeSeq: causedBy === null ? null : own - causedBy };
    });
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(seq, entries);
    return entries;
  };
}

/** Reads of what is on disk; each sees all commits that were done when it is called. `oldest`: the first step that counts. */
function prepareJournalReads({ db }: Connection, oldest: () => number = () => 1) {
  const { seq, count, commit } = journal;
  const columns = { seq, count, commit, packed: sql<Blob>`${journal.steps}` };
  const entriesOf = createUnpacking();
  const select = (condition: SQL | undefined) => db.select(columns).from(journal).where(condition);
  const ends = { seq: journal.seq, count: journal.count };
  const first = db.select(ends).from(journal).orderBy(asc(journal.seq)).limit(1).prepare();
  const last = db.select(ends).from(journal).orderBy(desc(journal.seq)).limit(1).prepare();
  const newer = select(gt(journal.seq, at('seq')))
    .orderBy(asc(journal.seq))
    .limit(PAGE)
    .prepare();
  // A block has a bounded number of steps: the end of the one with the step before `before` is not far from it.
  const isBefore = and(
    lt(journal.seq, sql`${at('before')} + ${FULL_STEPS}`),
    sql`${journal.seq} - ${journal.count} < ${at('before')} - 1`,
  );
  const back = (condition?: SQL) =>
    select(and(isBefore, condition)).orderBy(desc(journal.seq)).limit(PAGE).prepare();
  const hasMark = (column: SQLiteColumn) => sql`instr(${column}, ${unhex('mark', column)}) > 0`;
  const isTurning = hasMark(journal.turning);
  const blocks = {
    all: back(),
    /** With a step of the actor, and with its spawn, keyframe or end: a few others are among them. */
    ofActor: back(or(isTurning, hasMark(journal.others))),
    turning: back(isTurning),
  };

  /** The steps before `before`, newest first; `actor`: only its own. */
  function* backwards(
    from: ReturnType<typeof back>,
    before: number,
    actor: string | null = null,
  ): Generator<JournalEntry> {
    const mark: Hex = `0x${actor === null ? '' : markOf(actor)}`;
    const least = oldest();
    for (let end = before; end > least; ) {
      const page = from.all({ before: end, mark });
      for (const stored of page)
        for (const entry of entriesOf(stored).toReversed())
          if (entry.seq < end && entry.seq >= least && (actor ?? entry.actor) === entry.actor)
            yield entry;
      const rest = page.at(-1);
      if (rest === undefined || page.length < PAGE) return;
      end = rest.seq - rest.count + 1;
    }
  }

  function firstOf(found: Iterable<JournalEntry>, isWanted: (entry: JournalEntry) => boolean) {
    for (const entry of found) if (isWanted(entry)) return entry;
    return null;
  }

  return {
    /** The oldest and the newest number in the table; without any row, newest + 1 and newest. */
    bounds(): { oldest: number; newest: number } {
      const newest = last.get()?.seq ?? 0;
      const begin = first.get();
      const begun = begin === undefined ? newest + 1 : begin.seq - begin.count + 1;
      return { oldest: Math.max(oldest(), begun), newest };
    },
    /** The steps after `seq`, oldest first, `limit` of them at most. */
    after(seq: number, limit: number): JournalEntry[] {
      const found: JournalEntry[] = [];
      let from = Math.max(seq, oldest() - 1);
      for (let isAll = false; !isAll && found.length < limit; ) {
        const page = newer.all({ seq: from });
        for (const stored of page)
          for (const entry of entriesOf(stored)) if (entry.seq > from) found.push(entry);
        from = page.at(-1)?.seq ?? from;
        isAll = page.length < PAGE;
      }
      return found.slice(0, limit);
    },
    /** The newest `limit` steps of the actor before `before`, oldest of them first. */
    ofActor(actor: string, before: number, limit: number): JournalEntry[] {
      const found: JournalEntry[] = [];
      if (limit > 0)
        firstOf(backwards(blocks.ofActor, before, actor), (entry) => found.push(entry) === limit);
      return found.reverse();
    },
    /** The newest spawn or keyframe of the actor before `before`, or null when none is kept. */
    baseOf: (actor: string, before: number): JournalEntry | null =>
      firstOf(
        backwards(blocks.turning, before, actor),
        ({ kind }) => kind === 'spawn' || kind === 'keyframe',
      ),
    /** The actor's steps after `from` and before `before`, oldest first. */
    between(actor: string, from: number, before: number): JournalEntry[] {
      const found: JournalEntry[] = [];
      for (const entry of backwards(blocks.ofActor, before, actor)) {
        if (entry.seq <= from) break;
        found.push(entry);
      }
      return found.reverse();
    },
    /** The ends of actors from step `from` to `to`, newest first. Reads through all rows in between. */
    stops(from: number, to: number): JournalEnd[] {
      const found: JournalEnd[] = [];
      for (const { event: _, ...entry } of backwards(blocks.all, to + 1)) {
        if (entry.seq < from) break;
        if (entry.kind === 'stop') found.push(entry);
      }
      return found;
    },
  };
}

/** Appends to the journal and keeps its newest `limit` steps, in transactions that the caller has opened. */
export function prepareJournal(connection: Connection, limit: number) {
  const { bounds } = prepareJournalReads(connection);
  const reads = prepareJournalReads(connection, () => window.bounds().oldest);
  const remove = bound(connection, connection.db.delete(journal).where(lt(journal.seq, at('seq'))));
  const { oldest: first, newest } = bounds();
  const window = openWindow({ first, newest, limit, prune: (seq) => void remove({ seq }) });
  const [last] = reads.after(window.bounds().newest - 1, 1);
  let commit = last?.commit ?? 0;
  const columns = ['seq', 'count', 'commit', 'turning', 'others', 'steps'] as const;
  const insert = boundInsert(connection, journal, columns);

  return {
    ...reads,
    bounds: window.bounds,
    mark: window.mark,
    /** How many steps are kept. */
    limit,
    put(rows: readonly JournalRow[]): void {
      if (rows.length === 0) return;
      commit += 1;
      for (const steps of blocksOf(rows))
        insert({
          seq: window.take(steps.length),
          count: steps.length,
          commit,
          ...marksIn(steps),
          steps,
        });
      window.cut(rows.length);
    },
  };
}

/** `turning`: of the actors that were spawned, ended or written as a whole; `others`: of those that only did a step. */
function marksIn(steps: Block): Record<'turning' | 'others', Hex> {
  const turning = new Set<string>();
  const all = new Set<string>();
  for (const { kind, actor } of steps) (kind === 'event' ? all : turning).add(actor);
  const others = [...all].filter((actor) => !turning.has(actor));
  return {
    turning: `0x${[...turning].map(markOf).join('')}`,
    others: `0x${others.map(markOf).join('')}`,
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
