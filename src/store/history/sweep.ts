/**
 * Deletes what is not needed any more, in slices: each is a small transaction of its own, after which the node can do
 * other work. What is left to delete is in the database itself (`departures`), so a process that dies between two
 * slices goes on with it after its next start. A slice that a power cut undoes is done again.
 *
 * Balance proofs: a channel departs in the commit in which its actor ends, once the confirmed logs say that it is
 * settled and that no lock of it is left in the contract. Nothing that is on chain refers to a balance proof from then
 * on: the contract has forgotten both commitments, so there is no close, update, settlement or unlock that could still
 * need one, however old. A reorganisation that goes back further than the confirmations does not bring the actor back
 * (rewind.ts takes back live actors only): its proofs would have no reader. If the chain opens a channel with the same
 * id once more, its steps have another number (`ledgers`), and nothing of them is deleted with those of the first.
 */
import { and, asc, eq, sql } from 'drizzle-orm';
import { bound } from '../base/bound.ts';
import type { ClosedIndex } from '../base/closed-index.ts';
import type { Connection } from '../base/connection.ts';
import type { Meta } from '../base/meta.ts';
import { departures, steps } from '../base/schema.ts';
import { withoutCheckpoint } from '../durability/checkpoint.ts';
import { prepareOldCalls } from '../tables/calls.ts';
import { prepareOldRedemptions } from '../tables/redemptions.ts';
import { SIDES } from '../tables/steps.ts';
import { prepareShrink } from './file-size.ts';
import { type Keep, prepareOldHistory, type Stored } from './old-history.ts';
import { prepareOldWorthless, type Worthless } from './worthless.ts';

const at = sql.placeholder;

/**
 * What of a kind stays however old it is. `history`: null: all of it; `callsFrom`: calls that ended before this time are
 * deleted; null: none is; `redemptionsFrom`: the same of redemptions of payments that were received before; `worthless`: of
 * payments in tokens that are no money.
 */
export type Kept = {
  history: Keep | null;
  callsFrom: number | null;
  redemptionsFrom: number | null;
  worthless: Worthless | null;
};
export const KEEP_ALL: Kept = {
  history: null,
  callsFrom: null,
  redemptionsFrom: null,
  worthless: null,
};

type Departed = { seq: number; ledger: number | null };

/** `write` runs its argument as one transaction, which need not be on the disk when it returns. */
type Parts = Stored & {
  meta: Meta;
  indexes: Record<'calls' | 'redemptions', ClosedIndex>;
  write(work: () => void): void;
};

export function prepareSweep({ meta, indexes, write, ...stored }: Parts) {
  const { connection } = stored;
  const { db } = connection;
  const first = db
    .select({ seq: departures.seq, ledger: departures.ledger })
    .from(departures)
    .where(sql`${departures.hasProofs} = 1`)
    .orderBy(asc(departures.seq))
    .limit(1)
    .prepare();
  const removeProofs = prepareRemoval(connection);
  const oldHistory = prepareOldHistory(stored);
  const oldCalls = prepareOldCalls(connection, indexes.calls);
  const oldRedemptions = prepareOldRedemptions(connection, meta, indexes.redemptions);
  const oldWorthless = prepareOldWorthless(stored);
  const shrink = prepareShrink(connection);
  function settle(isDone: boolean): void {
    for (const one of [stored.history.used, ...Object.values(indexes)]) one.settle(isDone);
  }

  /** What memory knows of the tables is as before if the slice fails: it is tried again later, maybe after another one. */
  function inSlice(work: () => void): void {
    const toBefore = stored.history.parts.mark();
    function goBack(): void {
      toBefore();
      settle(false);
    }
    withoutCheckpoint(connection, () => {
      try {
        write(() => {
          goBack();
          work();
        });
      } catch (error) {
        goBack();
        throw error;
      }
      settle(true);
    });
  }

  function workFor(rows: number, kept: Kept): (() => void) | null {
    const { history, callsFrom, redemptionsFrom, worthless } = kept;
    const departed = first.get();
    if (departed !== undefined) return () => removeProofs(departed, rows);
    const calls = callsFrom === null ? null : oldCalls(rows, callsFrom);
    const redemptions = redemptionsFrom === null ? null : oldRedemptions(rows, redemptionsFrom);
    return (
      calls ??
      redemptions ??
      (history === null ? null : oldHistory(rows, history)) ??
      (worthless === null ? null : oldWorthless.next(rows, worthless)) ??
      shrink(rows)
    );
  }

  return {
    /**
     * Deletes one slice of at most `rows` rows. Whether there was one: if so, there may be another. When the process
     * dies in here, the slice is deleted as a whole or not at all. Every few thousand rows, `checkpoint` should be
     * called.
     */
    sweep(rows: number, kept: Kept = KEEP_ALL): boolean {
      const work = workFor(rows, kept);
      if (work !== null) inSlice(work);
      return work !== null || (kept.worthless !== null && oldWorthless.isBehind());
    },
  };
}

/** The function that deletes so many proofs of a departed channel, and notes when there are none left. */
function prepareRemoval(connection: Connection) {
  const { db } = connection;
  const ofSide = and(eq(steps.ledger, at('ledger')), eq(steps.side, at('side')));
  const first = db
    .select({ nonce: steps.nonce })
    .from(steps)
    .where(ofSide)
    .orderBy(asc(steps.nonce))
    .limit(at('rows'));
  // A range of the key: for a list of keys SQLite would read the whole table.
  const remove = bound(
    connection,
    db.delete(steps).where(and(ofSide, sql`${steps.nonce} <= (SELECT max(nonce) FROM ${first})`)),
  );
  const finish = bound(
    connection,
    db
      .update(departures)
      .set({ hasProofs: false })
      .where(eq(departures.seq, at('seq'))),
  );

  return ({ seq, ledger }: Departed, rows: number): void => {
    let left = rows;
    if (ledger !== null)
      for (const side of Object.values(SIDES))
        if (left > 0) left -= remove({ ledger, side, rows: left }).changes;
    if (left > 0) finish({ seq });
  };
}
