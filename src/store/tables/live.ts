/**
 * The live actors, and the messages that wait for an acknowledgement. Each commit adds one row with what it changes of them;
 * after so many commits, what is left of the changes is brought into the tables. A payment takes some hundredths of a second
 * from the birth of its actors to their end: in tables, its rows would be written twice and deleted once, in pages that are
 * written each time.
 */
import { asc, eq, gt, sql } from 'drizzle-orm';
import * as v from 'valibot';
import { hex, list } from '../../protocol/shapes.ts';
import type { ActorRow, Batch, OutboxRow } from '../base/batch.ts';
import { bound, boundInsert, boundUpsert } from '../base/bound.ts';
import { decode, encode } from '../base/codec.ts';
import type { Connection } from '../base/connection.ts';
import type { LiveChange, StoredMessage } from '../base/live-changes.ts';
import { actors, liveChanges, outbox } from '../base/schema.ts';
import { bring, type Changed, liveTable, merged, put, remove } from './live-table.ts';

export type Live = ReturnType<typeof createLive>;

/** Commits, and rows of theirs, after which the changes are brought into the tables: that takes 10 ms at most. */
const MOST_COMMITS = 64;
const MOST_ROWS = 1_024;
/** Rows of actors that are read at once: what the driver makes of all would keep the garbage collector busy. */
const PAGE = 1_000;

const at = sql.placeholder;
const GIVERS = list(v.object({ giver: hex, bytes: v.number() }));

type Rows = { actors: Changed<ActorRow>; outbox: Changed<StoredMessage> };

export function createLive(connection: Connection) {
  const { db } = connection;
  const tables = { actors: prepareActors(connection), outbox: prepareOutbox(connection) };
  const append = boundInsert(connection, liveChanges, ['seq', 'changes']);
  const clear = bound(connection, db.delete(liveChanges));
  const kept = db.select().from(liveChanges).orderBy(asc(liveChanges.seq)).all();
  const changed: Rows = { actors: new Map(), outbox: new Map() };
  for (const { changes } of kept) apply(changed, changes);
  let commits = kept.length;
  let newest = kept.at(-1)?.seq ?? 0;
  /** What is so once the open transaction is written. */
  let onDone: (() => void)[] = [];

  function bringAll(changes: readonly LiveChange[]): void {
    const rows: Rows = { actors: new Map(changed.actors), outbox: new Map(changed.outbox) };
    apply(rows, changes);
    onDone.push(bring(tables.actors, rows.actors), bring(tables.outbox, rows.outbox));
    clear({});
    onDone.push(() => {
      changed.actors.clear();
      changed.outbox.clear();
      commits = 0;
    });
  }

  return {
    /** Writes what a batch changes, in a transaction of the caller. */
    write(batch: Pick<Batch, 'actors' | 'retired' | 'outbox' | 'outboxDone'>): void {
      const changes = changesOf(batch);
      if (changes.length === 0) return;
      const rows = changed.actors.size + changed.outbox.size + changes.length;
      if (commits >= MOST_COMMITS || rows >= MOST_ROWS) {
        bringAll(changes);
        return;
      }
      append({ seq: newest + 1, changes });
      onDone.push(() => {
        apply(changed, changes);
        commits += 1;
        newest += 1;
      });
    },
    /** The open transaction is written, or was rolled back to be done once more. */
    settle(isDone: boolean): void {
      if (isDone) for (const note of onDone) note();
      onDone = [];
    },
    /** Whether an actor of this id lives. */
    hasActor(id: string): boolean {
      const known = changed.actors.get(id);
      return known === undefined ? tables.actors.numbers().has(id) : known !== null;
    },
    /** Every live actor, in no order. */
    loadActors: (): ActorRow[] => merged(tables.actors, changed.actors),
    /** The messages that partners have not acknowledged, in order of first insertion. */
    loadOutbox: (): OutboxRow[] => merged(tables.outbox, changed.outbox).map(messageOf),
  };
}

function changesOf(
  batch: Pick<Batch, 'actors' | 'retired' | 'outbox' | 'outboxDone'>,
): LiveChange[] {
  const changes: LiveChange[] = [];
  for (const row of batch.actors) changes.push({ kind: 'actor', row });
  for (const id of batch.retired) changes.push({ kind: 'retired', id });
  for (const row of batch.outbox) changes.push({ kind: 'message', row: storedMessage(row) });
  for (const key of batch.outboxDone) changes.push({ kind: 'done', key });
  return changes;
}

function apply(rows: Rows, changes: readonly LiveChange[]): void {
  for (const change of changes)
    switch (change.kind) {
      case 'actor':
        put(rows.actors, change.row.id, change.row);
        break;
      case 'retired':
        remove(rows.actors, change.id);
        break;
      case 'message':
        put(rows.outbox, change.row.key, change.row);
        break;
      case 'done':
        remove(rows.outbox, change.key);
        break;
    }
}

function storedMessage({ messageId, nonce, givers, ...row }: OutboxRow): StoredMessage {
  if (messageId < 0n) throw new RangeError(`store: ${messageId} is negative`);
  return {
    ...row,
    messageId: messageId.toString(),
    nonce: nonce?.toString() ?? null,
    givers: givers.length === 0 ? null : encode(givers),
  };
}

function messageOf({ messageId, nonce, givers, ...row }: StoredMessage): OutboxRow {
  return {
    ...row,
    messageId: BigInt(messageId),
    nonce: nonce === null ? null : BigInt(nonce),
    givers: givers === null ? [] : v.parse(GIVERS, decode(givers)),
  };
}

function prepareActors(connection: Connection) {
  const { db } = connection;
  const upsert = boundUpsert(connection, actors, ['seq'], ['id', 'kind', 'version', 'state']);
  const page = db
    .select({
      seq: actors.seq,
      id: actors.id,
      kind: actors.kind,
      version: actors.version,
      state: actors.state,
    })
    .from(actors)
    .where(gt(actors.seq, at('after')))
    .orderBy(asc(actors.seq))
    .limit(PAGE)
    .prepare();
  function* rows(): Generator<{ seq: number; name: string; row: ActorRow }> {
    for (let after = 0, isAll = false; !isAll; ) {
      // Drizzle makes a row in several steps, which take a third of the reading.
      const found: unknown[][] = page.values({ after });
      for (const [seq, id, kind, version, state] of found) {
        const isRow =
          typeof seq === 'number' &&
          typeof id === 'string' &&
          typeof kind === 'string' &&
          typeof version === 'number' &&
          typeof state === 'string';
        if (!isRow) throw new TypeError('store: a row of an actor holds fields of other types');
        after = seq;
        yield { seq, name: id, row: { id, kind, version, state } };
      }
      isAll = found.length < PAGE;
    }
  }
  const remove = bound(connection, db.delete(actors).where(eq(actors.seq, at('seq'))));
  return liveTable({ rows, put: (seq, row) => upsert({ seq, ...row }), remove });
}

function prepareOutbox(connection: Connection) {
  const { db } = connection;
  const upsert = boundUpsert(
    connection,
    outbox,
    ['seq'],
    ['key', 'queue', 'recipient', 'messageId', 'nonce', 'givers', 'body'],
  );
  const all = db.select().from(outbox).orderBy(asc(outbox.seq)).prepare();
  function* rows(): Generator<{ seq: number; name: string; row: StoredMessage }> {
    for (const { seq, ...row } of all.all()) yield { seq, name: row.key, row };
  }
  const remove = bound(connection, db.delete(outbox).where(eq(outbox.seq, at('seq'))));
  return liveTable({ rows, put: (seq, row) => upsert({ seq, ...row }), remove });
}
