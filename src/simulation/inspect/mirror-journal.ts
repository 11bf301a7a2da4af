/**
 * The journal of a simulated node for its inspector: the same answers as the node's own store, with an index by
 * actor. (The store of a simulated disk goes through its few rows for each answer; here are thousands.)
 */

import type { Journal } from '../../node/api/inspection.ts';
import type { JournalRow } from '../../store/base/journal-block.ts';
import type { JournalEntry } from '../../store/history/journal.ts';
import { journalReads } from '../disk/read-journal.ts';

export type MirrorJournal = Journal & {
  /** Adds the rows of one commit. */
  put(rows: readonly JournalRow[]): void;
};

const NOTHING: readonly JournalEntry[] = [];

/** `limit`: the least number of rows that are kept; up to a quarter more are. */
export function createMirrorJournal(limit: number): MirrorJournal {
  let rows: JournalEntry[] = [];
  let commit = 0;
  let oldest = 1;
  const byActor = new Map<string, JournalEntry[]>();
  const of = (actor: string) => byActor.get(actor) ?? NOTHING;
  const newest = () => oldest + rows.length - 1;

  function cut() {
    const gone = rows.slice(0, rows.length - limit);
    rows = rows.slice(gone.length);
    oldest += gone.length;
    for (const actor of new Set(gone.map((row) => row.actor))) {
      const left = of(actor).filter(({ seq }) => seq >= oldest);
      if (left.length === 0) byActor.delete(actor);
      else byActor.set(actor, left);
    }
  }

  return {
    put(added) {
      if (added.length === 0) return;
      commit += 1;
      const first = newest() + 1;
      for (const { causedBy, ...row } of added) {
        const causeSeq = causedBy === null ? null : first + causedBy;
        const entry = { ...row, seq: newest() + 1, commit, causeSeq };
        rows.push(entry);
        const known = byActor.get(row.actor);
        if (known === undefined) byActor.set(row.actor, [entry]);
        else known.push(entry);
      }
      if (rows.length > limit * 1.25) cut();
    },
    ...journalReads({
      bounds: () => ({ oldest, newest: newest() }),
      range: (from, to) => rows.slice(Math.max(0, from - oldest), Math.max(0, to - oldest + 1)),
      of: (actor, from, to) => of(actor).filter(({ seq }) => seq >= from && seq <= to),
    }),
  };
}
