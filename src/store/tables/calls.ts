/** Calls of the API that may be repeated under a key: what is under way, and what became of those that ended. */
import { and, asc, count, eq, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { CallEnd, CallRow, KeyedCall } from '../base/batch.ts';
import { bound, boundInsert, boundNumber } from '../base/bound.ts';
import { type ClosedIndex, createClosedIndex } from '../base/closed-index.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { calls } from '../base/schema.ts';
import { shareOf } from '../base/share.ts';

/** `answer`: null while the call is under way. */
export type StoredCall = CallRow & { answer: string | null };
type Key = Pick<KeyedCall, 'caller' | 'key'>;

const at = sql.placeholder;

/** By what calls are found. */
export const openCallIndex = (connection: Connection): ClosedIndex =>
  createClosedIndex(connection, { table: 'calls', column: 'key', keys: 'call_keys' });

export function prepareCalls(connection: Connection, index: ClosedIndex) {
  const { db } = connection;
  const all = {
    caller: calls.caller,
    key: calls.key,
    content: calls.content,
    request: calls.request,
    paymentId: calls.paymentId,
    answer: calls.answer,
  };
  const underWay = db
    .select(all)
    .from(calls)
    .where(isNull(calls.answer))
    .orderBy(asc(calls.seq))
    .prepare();
  const one = db
    .select(all)
    .from(calls)
    .where(eq(calls.seq, at('seq')))
    .prepare();
  const counted = boundNumber(
    connection,
    db
      .select({ calls: count() })
      .from(calls)
      .where(eq(calls.caller, unhex('caller', calls.caller))),
  );
  const insert = boundInsert(connection, calls, [
    'seq',
    'caller',
    'key',
    'content',
    'request',
    'paymentId',
    'time',
  ]);
  const end = bound(
    connection,
    db
      .update(calls)
      .set({ answer: sql`${at('answer')}`, time: sql`${at('time')}` })
      .where(eq(calls.seq, at('seq'))),
  );

  function find({ caller, key }: Key): { seq: number; call: StoredCall } | null {
    for (const seq of index.find(key)) {
      const call = one.get({ seq });
      if (call?.key === key && call.caller === caller) return { seq, call };
    }
    return null;
  }

  return {
    /** The calls without an answer, oldest first. */
    callsUnderWay: (): StoredCall[] => underWay.all(),
    /** The call with this key; null: there is none, or its answer was deleted since. */
    findCall: (key: Key): StoredCall | null => find(key)?.call ?? null,
    /** How many calls of the caller are stored. */
    countCalls: (caller: KeyedCall['caller']): number => counted({ caller }) ?? 0,
    /** Writes a call that begins, inside a transaction of the caller. Throws when the key has a call already. */
    beginCall(row: CallRow, time: number): void {
      if (find(row) !== null) throw new Error('store: the key has a call already');
      insert({ ...row, seq: index.add(row.key), time });
    },
    /** Writes what became of a call, inside a transaction of the caller. */
    endCall(row: CallEnd, time: number): void {
      const found = find(row);
      if (found !== null) end({ answer: row.answer, seq: found.seq, time });
    },
  };
}

export type StoredCalls = ReturnType<typeof prepareCalls>;

/**
 * What there is to do for one slice, in a transaction of the caller: calls that ended before a time are deleted; null:
 * there is none.
 */
export function prepareOldCalls(connection: Connection, index: ClosedIndex) {
  const { db } = connection;
  const oldest = () =>
    db
      .select({ seq: calls.seq })
      .from(calls)
      .where(and(isNotNull(calls.answer), lt(calls.time, at('before'))))
      .orderBy(asc(calls.time))
      .limit(at('rows'));
  const first = oldest().prepare();
  const remove = bound(connection, db.delete(calls).where(inArray(calls.seq, oldest())));
  const left = boundNumber(
    connection,
    db.select({ seq: calls.seq }).from(calls).orderBy(asc(calls.seq)).limit(1),
  );
  return (rows: number, before: number): (() => void) | null => {
    if (first.get({ before, rows: 1 }) === undefined) return null;
    return () => {
      remove({ before, rows: shareOf(rows, 'call') });
      index.dropBefore(left({}) ?? Number.POSITIVE_INFINITY);
    };
  };
}
