/** Calls of the API that may be repeated under a key: what is under way, and what became of those that ended. */
import { and, asc, count, eq, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { CallEnd, CallRow, KeyedCall } from '../base/batch.ts';
import { bound, boundInsert, boundNumber } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { calls } from '../base/schema.ts';
import { shareOf } from '../base/share.ts';

/** `answer`: null while the call is under way. */
export type StoredCall = CallRow & { answer: string | null };
type Key = Pick<KeyedCall, 'caller' | 'key'>;

const at = sql.placeholder;
const ofKey = and(
  eq(calls.caller, unhex('caller', calls.caller)),
  eq(calls.key, unhex('key', calls.key)),
);

export function prepareCalls(connection: Connection) {
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
  const one = db.select(all).from(calls).where(ofKey).prepare();
  const counted = boundNumber(
    connection,
    db
      .select({ calls: count() })
      .from(calls)
      .where(eq(calls.caller, unhex('caller', calls.caller))),
  );
  const insert = boundInsert(connection, calls, [
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
      .where(ofKey),
  );

  return {
    /** The calls without an answer, oldest first. */
    callsUnderWay: (): StoredCall[] => underWay.all(),
    /** The call with this key; null: there is none, or its answer was deleted since. */
    findCall: ({ caller, key }: Key): StoredCall | null => one.get({ caller, key }) ?? null,
    /** How many calls of the caller are stored. */
    countCalls: (caller: KeyedCall['caller']): number => counted({ caller }) ?? 0,
    /** Writes a call that begins, inside a transaction of the caller. Throws when the key has a call already. */
    beginCall: (row: CallRow, time: number): void => void insert({ ...row, time }),
    /** Writes what became of a call, inside a transaction of the caller. */
    endCall: (row: CallEnd, time: number): void => void end({ ...row, time }),
  };
}

export type StoredCalls = ReturnType<typeof prepareCalls>;

/**
 * What there is to do for one slice, in a transaction of the caller: calls that ended before a time are deleted; null:
 * there is none.
 */
export function prepareOldCalls(connection: Connection) {
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
  return (rows: number, before: number): (() => void) | null => {
    if (first.get({ before, rows: 1 }) === undefined) return null;
    return () => void remove({ before, rows: shareOf(rows, 'call') });
  };
}
