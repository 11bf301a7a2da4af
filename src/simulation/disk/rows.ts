/** The kinds of table that a disk in memory consists of. A stored row is never changed in place. */
import type { Undo } from './undo.ts';

/** Rows by their key, in no order. */
export type Rows<V> = {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, row: V): void;
  remove(key: string): void;
  clear(): void;
  size(): number;
  entries(): [string, V][];
  /** A copy of the rows, which `restore` puts back. */
  copy(): ReadonlyMap<string, V>;
  restore(copy: ReadonlyMap<string, V>): void;
};

/** Rows by their key, in the order in which the keys were added. */
export type OrderedRows<V> = Pick<Rows<V>, 'get' | 'has' | 'set' | 'remove' | 'size'> & {
  list(): V[];
  keys(): string[];
  copy(): ReadonlyMap<string, Placed<V>>;
  restore(copy: ReadonlyMap<string, Placed<V>>): void;
};
type Placed<V> = { place: number; row: V };

export function createRows<V>(undo: Undo): Rows<V> {
  let rows = new Map<string, V>();
  return {
    get: (key) => rows.get(key),
    has: (key) => rows.has(key),
    set(key, row) {
      const before = rows.get(key);
      undo.note(() => {
        if (before === undefined) rows.delete(key);
        else rows.set(key, before);
      });
      rows.set(key, row);
    },
    remove(key) {
      const before = rows.get(key);
      if (before === undefined) return;
      undo.note(() => void rows.set(key, before));
      rows.delete(key);
    },
    clear() {
      const before = rows;
      undo.note(() => {
        rows = before;
      });
      rows = new Map();
    },
    size: () => rows.size,
    entries: () => [...rows],
    copy: () => new Map(rows),
    restore(copy) {
      rows = new Map(copy);
    },
  };
}

export function createOrderedRows<V>(undo: Undo): OrderedRows<V> {
  const rows = createRows<Placed<V>>(undo);
  let next = 0;
  // A key that was removed and put back by an undo is at the end of its map, so the rows are sorted by place.
  const inOrder = () => rows.entries().sort(([, a], [, b]) => a.place - b.place);
  return {
    get: (key) => rows.get(key)?.row,
    has: rows.has,
    size: rows.size,
    remove: rows.remove,
    set: (key, row) => rows.set(key, { place: rows.get(key)?.place ?? next++, row }),
    list: () => inOrder().map(([, { row }]) => row),
    keys: () => inOrder().map(([key]) => key),
    copy: rows.copy,
    restore: rows.restore,
  };
}

/**
 * The same text in one piece. V8 keeps all pieces of a joined text, seven times its size, until a character of it
 * is read.
 */
export function joined(text: string): string {
  return Number.isNaN(text.charCodeAt(0)) ? '' : text;
}
