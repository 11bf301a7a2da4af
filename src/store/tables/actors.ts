/** Reads of what the runtime restores at boot: actors, outbox, jobs. */
import { asc, eq, sql } from 'drizzle-orm';
import * as v from 'valibot';
import { hex, list } from '../../protocol/shapes.ts';
import type { ActorRow, JobRow, OutboxRow } from '../base/batch.ts';
import { decode } from '../base/codec.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { actors, ended, jobs, outbox, spent } from '../base/schema.ts';
import { secrethashIn, shortOf } from './spent.ts';

const GIVERS = list(v.object({ giver: hex, bytes: v.number() }));

/** Rows of actors that are read at once. */
const PAGE = 1_000;

/** A row as the driver gives it: its place, then id, kind, version and state. */
type Raw = readonly unknown[];

/** Drizzle makes a row in several steps, which take a third of the reading. Throws on a field of another type. */
function actorIn([, id, kind, version, state]: Raw): ActorRow {
  const isRow =
    typeof id === 'string' &&
    typeof kind === 'string' &&
    typeof version === 'number' &&
    typeof state === 'string';
  if (!isRow) throw new TypeError('store: a row of an actor holds fields of other types');
  return { id, kind, version, state };
}

export function prepareBoot({ db }: Connection) {
  const place = sql<number>`rowid`;
  const actorPage = db
    .select({
      place,
      id: actors.id,
      kind: actors.kind,
      version: actors.version,
      state: actors.state,
    })
    .from(actors)
    .where(sql`rowid > ${sql.placeholder('after')}`)
    .orderBy(place)
    .limit(PAGE)
    .prepare();
  const endedId = db
    .select({ id: ended.id })
    .from(ended)
    .where(eq(ended.id, sql.placeholder('id')))
    .prepare();
  const spentHash = db
    .select({ secrethash: spent.secrethash })
    .from(spent)
    .where(eq(spent.secrethash, unhex('short', spent.secrethash)))
    .prepare();
  const allOutbox = db.select().from(outbox).orderBy(asc(outbox.seq)).prepare();
  const allJobs = db
    .select({ key: jobs.key, actor: jobs.actor, body: jobs.body })
    .from(jobs)
    .orderBy(asc(jobs.seq))
    .prepare();

  return {
    /**
     * Every live actor, in no order. They are read page by page: what the driver makes of a hundred thousand rows at
     * once would keep the garbage collector busy.
     */
    loadActors(): ActorRow[] {
      const rows: ActorRow[] = [];
      const pageAfter = (after: number): Raw[] => actorPage.values({ after });
      for (let page = pageAfter(0); page.length > 0; page = pageAfter(Number(page.at(-1)?.[0])))
        for (const raw of page) rows.push(actorIn(raw));
      return rows;
    },
    /**
     * Whether an actor of this id reached its end, or, for a payment without a row in the history, one of its
     * secrethash. Such an id must never be spawned again.
     */
    hasEnded(id: string): boolean {
      if (endedId.get({ id }) !== undefined) return true;
      const secrethash = secrethashIn(id);
      return secrethash !== null && spentHash.get({ short: shortOf(secrethash) }) !== undefined;
    },
    /** The messages that partners have not acknowledged, in order of first insertion. */
    loadOutbox: (): OutboxRow[] =>
      allOutbox.all().map(({ seq: _, nonce, givers, ...row }) => ({
        ...row,
        nonce: nonce === null ? null : BigInt(nonce),
        givers: givers === null ? [] : v.parse(GIVERS, decode(givers)),
      })),
    /** The open transaction jobs, in order of first insertion. */
    loadJobs: (): JobRow[] => allJobs.all(),
  };
}
