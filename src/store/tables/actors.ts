/** What the runtime asks for at boot: actors, messages and jobs, and which ids are used up. */
import { asc, eq, sql } from 'drizzle-orm';
import type { JobRow } from '../base/batch.ts';
import type { Connection } from '../base/connection.ts';
import { ended, jobs } from '../base/schema.ts';
import type { Live } from './live.ts';

export function prepareBoot({ db }: Connection, live: Live) {
  const endedId = db
    .select({ id: ended.id })
    .from(ended)
    .where(eq(ended.id, sql.placeholder('id')))
    .prepare();
  const allJobs = db
    .select({ key: jobs.key, actor: jobs.actor, body: jobs.body })
    .from(jobs)
    .orderBy(asc(jobs.seq))
    .prepare();

  return {
    /** Every live actor, in no order. */
    loadActors: live.loadActors,
    /** The messages that partners have not acknowledged, in order of first insertion. */
    loadOutbox: live.loadOutbox,
    /**
     * Whether an actor of this id, but no payment's, reached its end (for those, see `isSecrethashUsed`), or, for a secret's id,
     * whether it was registered. Such an id must never be spawned again.
     */
    hasEnded: (id: string): boolean => endedId.get({ id }) !== undefined,
    /** The open transaction jobs, in order of first insertion. */
    loadJobs: (): JobRow[] => allJobs.all(),
  };
}
