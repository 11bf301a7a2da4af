/** Reads of what the runtime restores at boot: actors, outbox, jobs. */
import { asc, eq, sql } from 'drizzle-orm';
import type { ActorRow, JobRow, OutboxRow } from './batch.ts';
import type { Connection } from './connection.ts';
import { actors, ended, jobs, outbox } from './schema.ts';

export function prepareBoot({ db }: Connection) {
  const allActors = db.select().from(actors).prepare();
  const endedId = db
    .select({ id: ended.id })
    .from(ended)
    .where(eq(ended.id, sql.placeholder('id')))
    .prepare();
  const allOutbox = db.select().from(outbox).orderBy(asc(outbox.seq)).prepare();
  const allJobs = db
    .select({ key: jobs.key, actor: jobs.actor, body: jobs.body })
    .from(jobs)
    .orderBy(asc(jobs.seq))
    .prepare();

  return {
    /** Every live actor, in no order. */
    loadActors: (): ActorRow[] => allActors.all(),
    /** Whether an actor of this id reached its end. Such an id must never be spawned again. */
    hasEnded: (id: string): boolean => endedId.get({ id }) !== undefined,
    /** The messages that partners have not acknowledged, in order of first insertion. */
    loadOutbox: (): OutboxRow[] =>
      allOutbox.all().map(({ seq: _, nonce, ...row }) => ({
        ...row,
        nonce: nonce === null ? null : BigInt(nonce),
      })),
    /** The open transaction jobs, in order of first insertion. */
    loadJobs: (): JobRow[] => allJobs.all(),
  };
}
