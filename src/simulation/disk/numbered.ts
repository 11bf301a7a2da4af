/** Rows that are only added, numbered from 1; only the newest are kept. */
import type { Undo } from './undo.ts';

export type Numbered<V> = {
  /** Adds a row and returns its number. */
  add(row: V): number;
  /** Drops so many of the oldest rows. */
  drop(count: number): void;
  /** The oldest and the newest number that is kept; newest + 1 and newest when none is. */
  bounds(): { oldest: number; newest: number };
  /** The rows with numbers from `from` to `to`, both included, in order. */
  range(from: number, to: number): V[];
  copy(): NumberedCopy<V>;
  restore(copy: NumberedCopy<V>): void;
};
type NumberedCopy<V> = { oldest: number; rows: readonly V[] };

/**
 * `limit`: how many rows are kept, at least 1; up to `slack` more are kept, so that not every added row moves a
 * long list.
 */
export function createNumbered<V>(undo: Undo, { limit, slack = 0 }: Limits): Numbered<V> {
  let rows: V[] = [];
  let oldest = 1;

  function drop(count: number): void {
    const gone = rows.splice(0, count);
    oldest += gone.length;
    undo.note(() => {
      rows.unshift(...gone);
      oldest -= gone.length;
    });
  }

  return {
    add(row) {
      undo.note(() => void rows.pop());
      rows.push(row);
      const number = oldest + rows.length - 1;
      if (rows.length > limit + slack) drop(rows.length - limit);
      return number;
    },
    drop,
    bounds: () => ({ oldest, newest: oldest + rows.length - 1 }),
    range: (from, to) =>
      rows.slice(
        Math.max(0, from - oldest),
        Math.max(0, Math.min(to, oldest + rows.length) - oldest + 1),
      ),
    copy: () => ({ oldest, rows: [...rows] }),
    restore(copy) {
      rows = [...copy.rows];
      oldest = copy.oldest;
    },
  };
}
type Limits = { limit: number; slack?: number };
