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
 * id once more, its actor is a new one, and while that lives nothing is deleted under its id.
 */
import { and, asc, eq, notExists, sql } from 'drizzle-orm';
import { bound } from './bound.ts';
import { withoutCheckpoint } from './checkpoint.ts';
import type { Connection } from './connection.ts';
import { actors, departures, proofs } from './schema.ts';

const at = sql.placeholder;

/** `write` runs its argument as one transaction, which need not be on the disk when it returns. */
export function prepareSweep(connection: Connection, write: (work: () => void) => void) {
  const { db } = connection;
  const live = db.select({ id: actors.id }).from(actors).where(eq(actors.id, departures.channel));
  const first = db
    .select({ seq: departures.seq, channel: departures.channel })
    .from(departures)
    .where(and(sql`${departures.hasProofs} = 1`, notExists(live)))
    .orderBy(asc(departures.seq))
    .limit(1)
    .prepare();
  const rowid = sql`rowid`;
  const some = db
    .select({ rowid })
    .from(proofs)
    .where(eq(proofs.channel, at('channel')))
    .orderBy(asc(proofs.side), asc(proofs.nonce))
    .limit(at('rows'));
  const remove = bound(connection, db.delete(proofs).where(sql`${rowid} IN ${some}`));
  const finish = bound(
    connection,
    db
      .update(departures)
      .set({ hasProofs: false })
      .where(eq(departures.seq, at('seq'))),
  );

  return {
    /**
     * Deletes one slice of at most `rows` rows. Whether there was one: if so, there may be another. When the process
     * dies in here, the slice is deleted as a whole or not at all. Every few thousand rows, `checkpoint` should be
     * called.
     */
    sweep(rows: number): boolean {
      const departed = first.get();
      if (departed === undefined) return false;
      const { seq, channel } = departed;
      withoutCheckpoint(connection, () =>
        write(() => {
          if (remove({ channel, rows }).changes < rows) finish({ seq });
        }),
      );
      return true;
    },
  };
}
