/**
 * The history in parts. Where the newest payments are, a commit only adds rows; once there are enough of them, they are
 * closed: what they are found by is written into `history_keys`, sorted, one kind in one commit. So nothing is ever written
 * to a place in the middle of what is old, however much of it there is.
 *
 * A process that dies in between closes the part anew: keys that are there already stay. A part has all rows from the one
 * before to its own end, so the keys of a part that was cut short belong to the same rows or to later ones.
 */
import { and, asc, count, eq, gt, lte, max, ne, sql } from 'drizzle-orm';
import { bound, boundInsert } from '../base/bound.ts';
import { PART_ROWS } from '../base/closed-index.ts';
import type { Connection } from '../base/connection.ts';
import { historyParts, payments, spent } from '../base/history-schema.ts';

/** `secrethash`: its last 16 bytes; `channel`: its number. */
export const KEYS = { secrethash: 0, paymentId: 1, partner: 2, channel: 3 } as const;

export type Source = 'payments' | 'spent';
export type Part = typeof historyParts.$inferSelect;
/** `toSeq`: the last row that belongs to it; `step`: which of the part's steps is next. */
type Closing = Pick<Part, 'number' | 'fromSeq' | 'toSeq'> & { source: Source; step: number };

export type Parts = ReturnType<typeof createParts>;

const at = sql.placeholder;

/** `onClosed`: called in the transaction that closes a part. */
export function createParts(connection: Connection, onClosed: (part: Part) => void) {
  const { db } = connection;
  const steps = prepareSteps(connection);
  const note = boundInsert(connection, historyParts, [
    'number',
    'source',
    'fromSeq',
    'toSeq',
    'rows',
    'block',
  ]);
  const leave = bound(
    connection,
    db
      .update(historyParts)
      .set({ rows: sql`${at('rows')}`, source: sql`${at('source')}` })
      .where(eq(historyParts.number, at('number'))),
  );
  const ofPart = and(gt(payments.seq, at('after')), lte(payments.seq, at('to')));
  const remove = bound(connection, db.delete(spent).where(lte(spent.seq, at('to'))));
  const summed = db
    .select({ rows: count(), block: max(payments.block) })
    .from(payments)
    .where(ofPart)
    .prepare();
  /** Of payments, oldest first; each is replaced by a new list when it changes. */
  let parts: readonly Part[] = db
    .select()
    .from(historyParts)
    .where(eq(historyParts.source, 'payments'))
    .orderBy(asc(historyParts.number))
    .all();
  let { number, closedTo } = newestIn(connection);
  let open: Readonly<Record<Source, number>> = openRows(connection, closedTo);
  let closing: Closing | null = null;

  function begin(newest: Record<Source, number>): void {
    const source = open.payments >= open.spent ? 'payments' : 'spent';
    if (open[source] < PART_ROWS) return;
    number += 1;
    const fromSeq = source === 'payments' ? closedTo + 1 : 1;
    closing = { number, source, fromSeq, toSeq: newest[source], step: 0 };
  }

  function finish({ step: _, ...part }: Closing): void {
    const { source, fromSeq, toSeq } = part;
    const isOfPayments = source === 'payments';
    const found = isOfPayments ? summed.get({ after: fromSeq - 1, to: toSeq }) : undefined;
    const closed = { ...part, rows: found?.rows ?? 0, block: found?.block ?? 0n };
    note(closed);
    // In this transaction: a key of a part that is not noted is not found.
    if (!isOfPayments) remove({ to: toSeq });
    if (isOfPayments) {
      closedTo = toSeq;
      parts = [...parts, closed];
    }
    open = openRows(connection, closedTo);
    closing = null;
    onClosed(closed);
  }

  return {
    /** To be called in the transaction that adds a row to a source. */
    added(source: Source): void {
      open = { ...open, [source]: open[source] + 1 };
    },
    /**
     * One step towards a closed part, if there is one, in a transaction of the caller. `newest`: the number of the newest
     * row of each source.
     */
    close(newest: Record<Source, number>): void {
      if (closing === null) {
        begin(newest);
        return;
      }
      const { source, number: part, fromSeq, toSeq, step } = closing;
      const run = steps[source][step];
      if (run === undefined) {
        finish(closing);
        return;
      }
      run({ part, after: fromSeq - 1, to: toSeq });
      closing = { ...closing, step: step + 1 };
    },
    /** To be called in the transaction that deletes payments: how many of each part. */
    removed(seqs: readonly number[]): void {
      const changed = new Map<number, number>();
      for (const seq of seqs) {
        const part = partOf(parts, seq);
        if (part === null) open = { ...open, payments: open.payments - 1 };
        else changed.set(part.number, (changed.get(part.number) ?? 0) + 1);
      }
      if (changed.size === 0) return;
      parts = parts.map((part) => ({ ...part, rows: part.rows - (changed.get(part.number) ?? 0) }));
      for (const part of parts) if (changed.has(part.number)) leave(part);
    },
    /** The oldest part, if all of its payments are deleted; null: some are left. */
    emptied: (): Part | null => (parts[0]?.rows === 0 ? parts[0] : null),
    /** To be called in the transaction that deletes what the part's payments are found by, but for their secrethashes. */
    forget(part: Part): void {
      leave({ ...part, source: 'gone' });
      parts = parts.filter((one) => one !== part);
    },
    /** The closed part of a payment; null: its part is not closed yet. */
    partOf: (seq: number): number | null => partOf(parts, seq)?.number ?? null,
    /** How many payments there are. */
    count: (): number => parts.reduce((sum, { rows }) => sum + rows, open.payments),
    /** The newest part that is closed; 0: none is. */
    newest: (): number => (closing === null ? number : number - 1),
    /** Up to this one all payments are in closed parts. */
    closedTo: (): number => closedTo,
    /** Returns a function that goes back to the present, for a transaction that was rolled back. */
    mark(): () => void {
      const kept = { parts, closedTo, number, open, closing };
      return () => {
        ({ parts, closedTo, number, open, closing } = kept);
      };
    },
  };
}

type Range = { part: number; after: number; to: number };
type Row = typeof payments | typeof spent;

/** What closes a part of each source, one after the other. */
function prepareSteps({ prepare }: Connection) {
  // Of two rows of `spent` with one secrethash, one is enough; those that were written before a process died are there.
  const fill = (table: string, kind: number, key: string, seq: string) => {
    const statement = prepare(
      `INSERT OR IGNORE INTO history_keys (part, kind, "key", seq)
       SELECT ?, ${kind}, ${key}, ${seq} FROM ${table} WHERE seq > ? AND seq <= ? AND ${key} IS NOT NULL
       ORDER BY 3, 4`,
    );
    return ({ part, after, to }: Range) => void statement.run([part, after, to]);
  };
  const ofPayments = (kind: number, key: string) => fill('payments', kind, key, 'seq');
  return {
    payments: [
      ofPayments(KEYS.secrethash, 'substr(secrethash, 17)'),
      ofPayments(KEYS.paymentId, 'payment_id'),
      ofPayments(KEYS.partner, 'partner'),
      ofPayments(KEYS.channel, 'channel'),
    ],
    spent: [fill('spent', KEYS.secrethash, 'secrethash', '0')],
  };
}

/** The part of a payment; null: its part is not closed yet. */
function partOf(parts: readonly Part[], seq: number): Part | null {
  let [from, to] = [0, parts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const { fromSeq = 0, toSeq = 0 } = parts[middle] ?? {};
    if (seq < fromSeq) to = middle;
    else if (seq > toSeq) from = middle + 1;
    else return parts[middle] ?? null;
  }
  return null;
}

/** The newest part, and up to which payment they are in parts. */
function newestIn({ db }: Connection): { number: number; closedTo: number } {
  const { number, source, toSeq } = historyParts;
  const newest = db
    .select({ number: max(number) })
    .from(historyParts)
    .get();
  const closed = db
    .select({ to: max(toSeq) })
    .from(historyParts)
    .where(ne(source, 'spent'))
    .get();
  return { number: newest?.number ?? 0, closedTo: closed?.to ?? 0 };
}

function openRows({ db }: Connection, closedTo: number): Record<Source, number> {
  const rowsOf = (table: Row, after: number): number =>
    db.select({ rows: count() }).from(table).where(gt(table.seq, after)).get()?.rows ?? 0;
  return { payments: rowsOf(payments, closedTo), spent: rowsOf(spent, 0) };
}
