/**
 * Balance proofs that an older version of the program wrote, in the table `proofs`. They are read together with those
 * in `steps`, and moved there a few at a time: a table of gigabytes is not rewritten while a node waits for its start.
 */
import { and, asc, desc, eq, inArray, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { RecordProof } from '../../machines/effects.ts';
import type { Hash } from '../protocol/hex.ts';
import { bound, boundQuestion } from './bound.ts';
import type { Connection } from './connection.ts';
import { departures, proofs } from './schema.ts';
import { shareOf } from './share.ts';
import type { Side, Step } from './step.ts';

const at = sql.placeholder;
const rowid = sql<number>`${proofs}.rowid`;

/** The rows of a channel that has departed belong to no channel that may have its id now. */
function hasNotDeparted({ db }: Connection): SQL {
  return notExists(
    db
      .select({ seq: departures.seq })
      .from(departures)
      .where(and(eq(departures.channel, proofs.channel), sql`${departures.hasProofs} = 1`)),
  );
}

function isAny({ db }: Connection): boolean {
  return db.select({ rowid }).from(proofs).limit(1).get() !== undefined;
}

export function prepareOlderProofs(connection: Connection) {
  const { db } = connection;
  const side = and(eq(proofs.channel, at('channel')), eq(proofs.side, at('side')));
  const isAlive = hasNotDeparted(connection);
  const select = (condition?: SQL) =>
    db
      .select()
      .from(proofs)
      .where(and(side, isAlive, condition))
      .orderBy(desc(proofs.nonce))
      .limit(at('limit'))
      .prepare();
  const page = select(lt(proofs.nonce, sql.param(at('below'), proofs.nonce)));
  const newest = select();
  const marked = select(eq(proofs.balanceHash, at('hash')));
  // No row is ever added: where none was at the start, nothing has to be asked.
  const isOlder = isAny(connection);

  return {
    below: (channel: string, side: Side, below: bigint, limit: number): Step[] =>
      isOlder ? page.all({ channel, side, below, limit }) : [],
    newest: (channel: string, side: Side): Step[] =>
      isOlder ? newest.all({ channel, side, limit: 1 }) : [],
    find: (channel: string, side: Side, hash: Hash): Step[] =>
      isOlder ? marked.all({ channel, side, hash, limit: 1 }) : [],
  };
}

/** The function that says whether a nonce was used before `steps` was there. */
export function prepareOlderNonces(connection: Connection) {
  const { db } = connection;
  const used = boundQuestion(
    connection,
    db
      .select({ rowid })
      .from(proofs)
      .where(
        and(
          eq(proofs.channel, at('channel')),
          eq(proofs.side, at('side')),
          eq(proofs.nonce, sql.param(at('nonce'), proofs.nonce)),
          hasNotDeparted(connection),
        ),
      ),
  );
  const isOlder = isAny(connection);
  return ({ channel, side, nonce }: Pick<RecordProof, 'channel' | 'side' | 'nonce'>): boolean =>
    isOlder && used({ channel, side, nonce });
}

/**
 * Moves rows in the order in which they were written. `put` writes one as it is written today. A process that dies in
 * between finds each row in one of the tables, since a slice is one transaction.
 */
export function prepareMove(connection: Connection, put: (proof: RecordProof) => void) {
  const { db } = connection;
  const first = db.select().from(proofs).orderBy(asc(rowid)).limit(at('limit'));
  const oldest = first.prepare();
  const some = db.select({ rowid }).from(proofs).orderBy(asc(rowid)).limit(at('limit'));
  const remove = bound(connection, db.delete(proofs).where(inArray(sql`rowid`, some)));
  let isOlder = isAny(connection);

  return {
    isAnyLeft: (): boolean => isOlder,
    /** Moves what is as much work as to delete `rows` rows, with 400 bytes of parameters for each, in a transaction of the caller. */
    move(rows: number): void {
      const limit = shareOf(rows, 'older');
      const found = oldest.all({ limit });
      remove({ limit });
      for (const row of found) put(recordOf(row));
      isOlder = found.length === limit;
    },
  };
}

function recordOf({ changeKind, lock, secrethash, ...row }: typeof proofs.$inferSelect) {
  const change =
    changeKind === null || lock === null || secrethash === null
      ? null
      : { kind: changeKind, lock, secrethash };
  return { type: 'record.proof', ...row, change } as const;
}
