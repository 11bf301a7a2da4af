/**
 * Which secrethashes no payment may have any more, however it ended. Whoever knows the secret of an old payment could claim
 * a new one of the same secrethash, so none is ever forgotten: the newest are in memory, those of closed parts on the disk,
 * and filters say in which of them one may be.
 */
import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import { type Hash, type Hex, isHexOf } from '../../basics/hex.ts';
import { boundInsert } from '../base/bound.ts';
import { PART_ROWS } from '../base/closed-index.ts';
import type { Connection } from '../base/connection.ts';
import { createFilter, type Filter, wordsOf } from '../base/filter.ts';
import {
  historyFilters,
  historyKeys,
  historyParts,
  payments,
  spent,
} from '../base/history-schema.ts';
import { KEYS, type Part, type Parts, type Source } from './parts.ts';
import { RECEIVED } from './payment-row.ts';

export type Used = ReturnType<typeof createUsed>;

/** Parts whose secrethashes are in one filter. */
const PARTS = 64;

/** A row of the open transaction. */
type Added = { source: Source; short: Hex; row: number; isReceived: boolean };

/** A payment to oneself has two rows: what was received is what somebody asks for. */
function note(rows: Map<Hex, number>, { short, row, isReceived }: Omit<Added, 'source'>): void {
  if (isReceived || !rows.has(short)) rows.set(short, row);
}

/** Parts that follow each other, and the filter of their secrethashes. */
type Shelf = { fromPart: number; toPart: number; filter: Filter };

const at = sql.placeholder;

/** The part of a secrethash that is stored for ever: 16 bytes. */
const shortOf = (secrethash: Hash): Hex => `0x${secrethash.slice(-32)}`;

/** The roles of a node in a payment: the words with which the ids of its actors begin. */
const ROLES = ['initiator', 'mediator', 'target'] as const;

/** The secrethash of the payment whose actor has the id; null: it is no actor of a payment. */
export function secrethashIn(id: string): Hash | null {
  const [role, secrethash] = id.split(':');
  const isOfPayment = ROLES.some((one) => one === role);
  return isOfPayment && isHexOf(secrethash, 32) ? secrethash : null;
}

export function createUsed(
  connection: Connection,
  parts: Pick<Parts, 'added' | 'closedTo' | 'newest'>,
) {
  const { db } = connection;
  const insert = boundInsert(connection, spent, ['seq', 'secrethash']);
  const keep = boundInsert(connection, historyFilters, ['toPart', 'bits']);
  const { part, kind, key, seq } = historyKeys;
  // CROSS: SQLite looks for the key in one part after the other.
  const inParts = db
    .select({ seq })
    .from(historyParts)
    .crossJoin(historyKeys)
    .where(
      and(
        between(historyParts.number, at('fromPart'), at('toPart')),
        eq(part, historyParts.number),
        eq(kind, KEYS.secrethash),
        sql`${key} = unhex(${at('short')})`,
      ),
    )
    .prepare();
  /** Of the open part of each source: the number of the row. */
  const recent: Record<Source, Map<Hex, number>> = {
    payments: recentPayments(connection, parts.closedTo()),
    spent: recentSpent(connection),
  };
  /** Oldest first; the last one is not on the disk yet. */
  const shelves = shelvesOf(connection, parts.newest());
  let newestSpent = [...recent.spent.values()].reduce((a, b) => Math.max(a, b), 0);
  /** What the open transaction has added, closed or kept: it counts once that is written. */
  let added: Added[] = [];
  let closed: Part[] = [];
  let isKept = false;

  const open = (): Shelf => {
    const last = shelves.at(-1);
    if (last === undefined) throw new Error('store: no filter is open');
    return last;
  };

  /** The payments with this secrethash; 0: one of which nothing else is known. */
  function* find(secrethash: Hash): Generator<number> {
    const short = shortOf(secrethash);
    const newest = recent.payments.get(short);
    if (newest !== undefined) yield newest;
    if (recent.spent.has(short)) yield 0;
    const words = wordsOf(short);
    for (const { filter, fromPart, toPart } of shelves.toReversed())
      if (filter.mayHave(words))
        for (const row of inParts.all({ fromPart, toPart, short: short.slice(2) })) yield row.seq;
  }
  const has = (secrethash: Hash): boolean => find(secrethash).next().done !== true;

  function putAway({ source, toSeq, number }: Part): void {
    const shelf = open();
    shelf.toPart = number;
    const newest = recent[source === 'spent' ? 'spent' : 'payments'];
    for (const [short, row] of newest)
      if (row <= toSeq) {
        shelf.filter.add(wordsOf(short));
        newest.delete(short);
      }
  }

  return {
    find,
    has,
    /** Notes the secrethash of a row of the history, in the transaction that writes it. */
    addPayment(secrethash: Hash, row: number, isReceived: boolean): void {
      added.push({ source: 'payments', short: shortOf(secrethash), row, isReceived });
      parts.added('payments');
    },
    /** Stores a secrethash of which nothing else is kept, in a transaction of the caller. */
    spend(secrethash: Hash): void {
      const short = shortOf(secrethash);
      if (recent.spent.has(short)) return;
      newestSpent += 1;
      insert({ seq: newestSpent, secrethash: short });
      added.push({ source: 'spent', short, row: newestSpent, isReceived: false });
      parts.added('spent');
    },
    /** The number of the newest row of `spent`. */
    newestSpent: (): number => newestSpent,
    /** To be called in the transaction that closes a part. */
    noteClosed: (part: Part): void => void closed.push(part),
    /** Writes the filter that is full, if one is, in a transaction of the caller. Whether it was. */
    keepFull(): boolean {
      const { fromPart, toPart, filter } = open();
      if (toPart - fromPart + 1 < PARTS) return false;
      keep({ toPart, bits: filter.bits });
      isKept = true;
      return true;
    },
    /** What the open transaction did is done, or was rolled back to be done once more. */
    settle(isDone: boolean): void {
      if (isDone) {
        for (const one of added) note(recent[one.source], one);
        for (const part of closed) putAway(part);
        if (isKept) shelves.push(emptyShelf(open().toPart));
      }
      if (added.length > 0) added = [];
      if (closed.length > 0) closed = [];
      isKept = false;
    },
  };
}

const emptyShelf = (after: number): Shelf => ({
  fromPart: after + 1,
  toPart: after,
  filter: createFilter(PARTS * PART_ROWS),
});

function recentPayments({ db }: Connection, after: number): Map<Hex, number> {
  const rows = db
    .select({ seq: payments.seq, event: payments.event, secrethash: payments.secrethash })
    .from(payments)
    .where(gt(payments.seq, after))
    .orderBy(asc(payments.seq))
    .all();
  const found = new Map<Hex, number>();
  for (const { secrethash, seq: row, event } of rows)
    note(found, { short: shortOf(secrethash), row, isReceived: event === RECEIVED });
  return found;
}

function recentSpent({ db }: Connection): Map<Hex, number> {
  const rows = db.select().from(spent).orderBy(asc(spent.seq)).all();
  return new Map(rows.map(({ secrethash, seq }) => [secrethash, seq]));
}

/** Reads the filters, and makes that of the parts after them anew. */
function shelvesOf({ db }: Connection, newestPart: number): Shelf[] {
  const stored = db.select().from(historyFilters).orderBy(asc(historyFilters.toPart)).all();
  const shelves: Shelf[] = [];
  let from = 1;
  for (const { toPart, bits } of stored) {
    const filter = createFilter(bits);
    shelves.push({ fromPart: from, toPart, filter });
    from = toPart + 1;
  }
  const open = emptyShelf(from - 1);
  const { part, kind, key } = historyKeys;
  const rows: unknown[][] = db
    .select({ short: sql`hex(${key})` })
    .from(historyKeys)
    .where(and(gt(part, from - 1), eq(kind, KEYS.secrethash)))
    .values();
  for (const [short] of rows) open.filter.add(wordsOf(`0x${String(short)}`));
  // Of a part that was cut short there are keys, too: it is closed anew, with more of them, and ends the filter then.
  open.toPart = Math.max(open.toPart, newestPart);
  return [...shelves, open];
}
