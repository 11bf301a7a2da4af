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

export function journalReads({ bounds, range, of }: Rows) {
  return {
    bounds,
    after: (seq, most) => range(seq + 1, ALL).slice(0, most),
    ofActor: (actor, before, most) => of(actor, 1, before - 1).slice(most === 0 ? ALL : -most),
    baseOf: (actor, before) =>
      of(actor, 1, before - 1).findLast(({ kind }) => kind === 'spawn' || kind === 'keyframe') ??
      null,
    between: (actor, from, before) => of(actor, from + 1, before - 1),
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
