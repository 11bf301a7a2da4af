/** Reads of feed and journal, on rows in memory. */
import type { Journal } from '../../node/api/inspection.ts';
import { decode, encode } from '../../store/base/codec.ts';
import type { JournalEntry } from '../../store/history/journal.ts';
import type { Store } from '../../store/store.ts';
import type { Tables } from './tables.ts';

type Rows = {
  bounds: Journal['bounds'];
  range(from: number, to: number): JournalEntry[];
  /** Those of one actor. */
  of(actor: string, from: number, to: number): JournalEntry[];
};
const ALL = Number.POSITIVE_INFINITY;
const isMark = ({ kind }: JournalEntry) => kind !== 'event';

export function journalReads({ bounds, range, of }: Rows) {
  /**
   * The range of steps that can belong to the actor's life before the step `before`: an actor may have ended and
   * been spawned again.
   */
  function lifeOf(actor: string, before: number) {
    const begin = of(actor, 1, ALL).find(isMark);
    const end = of(actor, 1, before - 1).findLast(isMark);
    return {
      from: begin?.kind === 'spawn' ? begin.seq : 0,
      to: end?.kind === 'stop' ? end.seq : before - 1,
    };
  }

  return {
    bounds,
    after: (seq, most) => range(seq + 1, ALL).slice(0, most),
    ofActor(actor, before, most) {
      const { from, to } = lifeOf(actor, before);
      return of(actor, from, to).slice(most === 0 ? ALL : -most);
    },
    baseOf: (actor, before) =>
      of(actor, 1, before - 1).findLast((row) => isMark(row) && row.kind !== 'stop') ?? null,
    between(actor, from, before) {
      const life = lifeOf(actor, before);
      return of(actor, Math.max(from + 1, life.from), life.to);
    },
    stops: (from, to) =>
      range(from, to)
        .filter(({ kind }) => kind === 'stop')
        .map(({ event: _, ...end }) => end)
        .reverse(),
  } satisfies Journal;
}

export function feedReads(tables: () => Tables): Store['feed'] {
  return {
    bounds: () => tables().feed.bounds(),
    after: (seq, limit) =>
      tables()
        .feed.range(seq + 1, ALL)
        .slice(0, limit)
        .map(({ body, ...row }) => ({ ...row, body: decode(encode(body)) })),
  };
}
