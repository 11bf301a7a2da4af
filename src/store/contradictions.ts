/**
 * What one batch must not contain at the same time. Its lists are written one after the other (commit.ts), so of two
 * entries about the same thing the one in the later list would win, whichever was made last. A batch with both is a
 * mistake of this program and must not reach the disk:
 *
 * - a live row and the end of the same actor: the row would be deleted, and after a restart no actor would do what
 *   this one still had to do;
 * - a live row and the lasting mark of the end of the same actor: after a restart it would live and count as ended;
 * - a message or a transaction job and its end: the row would be deleted although it may be the newer one. A row that
 *   ends before it was written is never written (turn.ts);
 * - two rows for one actor, message or job: the second would silently replace the first.
 *
 * The other lists need no such rule. `retired` and `ended` name the same actors on purpose. The table itself refuses
 * two proofs with one nonce. Payments, mediations, alerts, logs, journal rows, channels and registered secrets are
 * only added. Each row of `budgets` and `forced` is a new sum, and the last one counts, as the last one of `redemptions` does. `over` is written before `notifications`:
 * a condition in both has ended and begun again. `cursor` is one value, the last one given.
 */
import type { Batch } from './base/batch.ts';

/** The first contradiction in the batch, for a person; null when there is none. */
export function contradictionIn(batch: Batch): string | null {
  const actors = batch.actors.map(({ id }) => id);
  const messages = batch.outbox.map(({ key }) => key);
  const jobs = batch.jobs.map(({ key }) => key);
  return (
    inBoth(actors, batch.retired, 'is written and retired') ??
    inBoth(actors, batch.ended, 'is written and marked as ended') ??
    inBoth(messages, batch.outboxDone, 'is posted and done') ??
    inBoth(jobs, batch.jobsDone, 'is asked for and done') ??
    twiceIn(actors, 'is written twice') ??
    twiceIn(messages, 'is posted twice') ??
    twiceIn(jobs, 'is asked for twice')
  );
}

function inBoth(some: readonly string[], others: readonly string[], what: string): string | null {
  if (some.length === 0 || others.length === 0) return null;
  const known = new Set(others);
  const found = some.find((one) => known.has(one));
  return found === undefined ? null : `${found} ${what}`;
}

function twiceIn(all: readonly string[], what: string): string | null {
  if (new Set(all).size === all.length) return null;
  const found = all.find((one, at) => all.indexOf(one) !== at);
  return `${found} ${what}`;
}
