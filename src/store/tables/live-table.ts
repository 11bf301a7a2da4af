/** A table of rows that come and go, and what the newest commits have made of it (live.ts). */

/** What became of a row; null: it was deleted. `isAnew`: it was deleted and came again, behind those that were there. */
type Newest<R> = { row: R; isAnew: boolean } | null;
/** By name, in the order in which the rows came. */
export type Changed<R> = Map<string, Newest<R>>;

type Table<R> = {
  /** In the order in which they came. */
  rows(): Iterable<{ seq: number; name: string; row: R }>;
  put(seq: number, row: R): void;
  remove(of: { seq: number }): void;
};
export type LiveTable<R> = ReturnType<typeof liveTable<R>>;

/**
 * The table, and which of its rows has which name: an index of the table would have pages of its own written at places that
 * nobody can foresee, and the names are in memory anyway.
 */
export function liveTable<R>(table: Table<R>) {
  let known: Map<string, number> | null = null;
  function read(): Map<string, number> {
    const found = new Map<string, number>();
    for (const { name, seq } of table.rows()) learn(found, name, seq);
    return found;
  }
  return {
    ...table,
    /** Throws when two rows have one name. */
    numbers(): Map<string, number> {
      known ??= read();
      return known;
    },
    /** All rows; their numbers are known from then on. */
    *all(): Generator<{ name: string; row: R }> {
      const found = new Map<string, number>();
      for (const { seq, name, row } of table.rows()) {
        learn(found, name, seq);
        yield { name, row };
      }
      known = found;
    },
  };
}

function learn(numbers: Map<string, number>, name: string, seq: number): void {
  if (numbers.has(name)) throw new Error(`store: there are two rows for ${name}`);
  numbers.set(name, seq);
}

export function put<R>(changed: Changed<R>, name: string, row: R): void {
  const before = changed.get(name);
  // Behind the others again.
  if (before === null) changed.delete(name);
  changed.set(name, { row, isAnew: before === null || (before?.isAnew ?? false) });
}

export function remove<R>(changed: Changed<R>, name: string): void {
  changed.set(name, null);
}

/** The rows as they are now, in the order in which they came. */
export function merged<R>(table: LiveTable<R>, changed: Changed<R>): R[] {
  const rows: R[] = [];
  const inTable = new Set<string>();
  for (const { name, row } of table.all()) {
    const newest = changed.get(name);
    if (newest === undefined) rows.push(row);
    if (!newest || newest.isAnew) continue;
    inTable.add(name);
    rows.push(newest.row);
  }
  for (const [name, newest] of changed)
    if (newest !== null && !inTable.has(name)) rows.push(newest.row);
  return rows;
}

/** Writes what was changed into the table, in a transaction of the caller. The answer is to be called when that is written. */
export function bring<R>(table: LiveTable<R>, changed: Changed<R>): () => void {
  const numbers = table.numbers();
  const after = new Map<string, number | null>();
  let last = 0;
  for (const seq of numbers.values()) last = seq > last ? seq : last;
  for (const [name, newest] of changed) {
    const known = numbers.get(name);
    const stays = known !== undefined && newest !== null && !newest.isAnew;
    if (known !== undefined && !stays) table.remove({ seq: known });
    if (newest === null) {
      after.set(name, null);
      continue;
    }
    const seq = stays ? known : ++last;
    table.put(seq, newest.row);
    after.set(name, seq);
  }
  return () => {
    for (const [name, seq] of after)
      if (seq === null) numbers.delete(name);
      else numbers.set(name, seq);
  };
}
