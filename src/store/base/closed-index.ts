/**
 * By what rows are found that live for days, without an index of their table: of that, each entry would have a page of its
 * own written. The keys of the newest rows are in memory; once there are enough of them, they are closed: written sorted,
 * behind all others, in one statement. A filter for each such part says whether a key may be in it.
 */
import type { Hex } from '../../basics/hex.ts';
import type { Connection } from './connection.ts';
import { createFilter, type Filter, wordsOf } from './filter.ts';

export type ClosedIndex = ReturnType<typeof createClosedIndex>;

/** Rows after which a part is closed: sorting them holds the loop for some 2 ms. */
export const PART_ROWS = 2_048;

type Part = { number: number; toSeq: number; filter: Filter };
/** `table` has a `seq` and this `column` of bytes, of which 16 are kept in the table `keys`. */
type Names = { table: string; column: string; keys: string };

/** The first 16 bytes of a digest. */
const shortOf = (digest: Hex): Hex => `0x${digest.slice(2, 2 + 32)}`;

export function createClosedIndex(connection: Connection, { table, column, keys }: Names) {
  const { prepare } = connection;
  const short = `substr("${column}", 1, 16)`;
  const fill = prepare(
    `INSERT INTO ${keys} (part, "key", seq) SELECT ?, ${short}, seq FROM ${table}
     WHERE seq > ? AND seq <= ? ORDER BY 2, 3`,
  );
  const inPart = prepare(`SELECT seq FROM ${keys} WHERE part = ? AND "key" = unhex(?)`).raw();
  const remove = prepare(`DELETE FROM ${keys} WHERE part = ?`);
  let parts: readonly Part[] = partsIn(connection, keys);
  const recent = new Map<Hex, number[]>();
  let newest = closedTo();
  const open = prepare(`SELECT seq, hex(${short}) FROM ${table} WHERE seq > ? ORDER BY seq`).raw();
  for (const [seq, digits] of listsIn(open.all([newest]))) {
    note(`0x${String(digits).toLowerCase()}`, Number(seq));
    newest = Number(seq);
  }
  /** What the open transaction does: it counts once that is written. */
  let pending = nothing();

  function closedTo(): number {
    return parts.at(-1)?.toSeq ?? 0;
  }

  function note(key: Hex, seq: number): void {
    const known = recent.get(key);
    if (known === undefined) recent.set(key, [seq]);
    else known.push(seq);
  }

  function putAway({ number, toSeq }: Omit<Part, 'filter'>): void {
    const filter = createFilter(PART_ROWS);
    for (const key of recent.keys()) filter.add(wordsOf(key));
    recent.clear();
    parts = [...parts, { number, toSeq, filter }];
  }

  return {
    /** The rows that may have the digest: a row may be deleted since, and another digest begin with the same bytes. */
    *find(digest: Hex): Generator<number> {
      const key = shortOf(digest);
      for (const [of, seq] of pending.added) if (of === key) yield seq;
      yield* recent.get(key) ?? [];
      const words = wordsOf(key);
      for (const { number, filter } of parts.toReversed())
        if (filter.mayHave(words))
          for (const [seq] of listsIn(inPart.all([number, key.slice(2)]))) yield Number(seq);
    },
    /** The number of a new row with the digest, in the transaction that writes it. */
    add(digest: Hex): number {
      const seq = newest + pending.added.length + 1;
      pending.added.push([shortOf(digest), seq]);
      return seq;
    },
    /** Closes a part, if there are enough rows, at the end of a transaction that added some. */
    close(): void {
      const toSeq = newest + pending.added.length;
      if (pending.added.length === 0 || toSeq - closedTo() < PART_ROWS) return;
      const number = (parts.at(-1)?.number ?? 0) + 1;
      fill.run([number, closedTo(), toSeq]);
      pending.closed = { number, toSeq };
    },
    /** Drops the parts all of whose rows are before this one, and deleted, in a transaction of the caller. */
    dropBefore(seq: number): void {
      pending.dropped = parts.filter(({ toSeq }) => toSeq < seq);
      for (const { number } of pending.dropped) remove.run([number]);
    },
    /** The open transaction is written, or was rolled back to be done once more. */
    settle(isDone: boolean): void {
      const { added, closed, dropped } = pending;
      if (isDone) {
        for (const [key, seq] of added) note(key, seq);
        newest += added.length;
        if (closed !== null) putAway(closed);
        if (dropped.length > 0) parts = parts.filter((part) => !dropped.includes(part));
      }
      pending = nothing();
    },
  };
}

type Pending = {
  added: [key: Hex, seq: number][];
  closed: Omit<Part, 'filter'> | null;
  dropped: readonly Part[];
};
const nothing = (): Pending => ({ added: [], closed: null, dropped: [] });

/** One part at a time: all keys of a day are more than fits into memory beside a node. */
function partsIn({ prepare }: Connection, keys: string): Part[] {
  const next = prepare(`SELECT part FROM ${keys} WHERE part > ? ORDER BY part LIMIT 1`).raw();
  // The filter needs no more than eight bytes of a key.
  const all = prepare(`SELECT seq, hex(substr("key", 1, 8)) FROM ${keys} WHERE part = ?`).raw();
  const parts: Part[] = [];
  for (;;) {
    const [found] = listsIn(next.all([parts.at(-1)?.number ?? 0]));
    if (found === undefined) return parts;
    const part: Part = { number: Number(found[0]), toSeq: 0, filter: createFilter(PART_ROWS) };
    for (const [seq, digits] of listsIn(all.all([part.number]))) {
      part.filter.add(wordsOf(`0x${String(digits)}`));
      part.toSeq = Math.max(part.toSeq, Number(seq));
    }
    parts.push(part);
  }
}

/** Rows that the driver gave as lists of their values. */
const listsIn = (rows: unknown[]): unknown[][] =>
  rows.map((row) => {
    if (!Array.isArray(row)) throw new Error('store: a row is no list');
    return row;
  });
