/** What the operator should read: one entry for each kind, until it is read. */
import { asc } from 'drizzle-orm';
import type { NotificationRow } from '../base/batch.ts';
import { boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import type { Meta } from '../base/meta.ts';
import { notifications } from '../base/schema.ts';

type Id = NotificationRow['id'];

/**
 * Writes the conditions that operators are notified of. Which of them hold is on disk, too, so that a restart does
 * not report them as new.
 */
export function prepareConditions(connection: Connection, meta: Meta) {
  // Read from the disk each time, so that it is right after a transaction was rolled back.
  const raisedNow = () =>
    new Set<string>((meta.get('raised') ?? '').split(',').filter((id) => id !== ''));
  const upsert = boundUpsert(
    connection,
    notifications,
    ['id'],
    ['summary', 'body', 'urgency', 'time'],
  );
  const keep = (raised: ReadonlySet<string>) => meta.set('raised', [...raised].join());
  return {
    /** Writes a condition that holds. Returns whether it did not hold before. */
    raise({ id, summary, body, urgency }: NotificationRow, time: number): boolean {
      upsert({ id, summary, body, urgency, time });
      const raised = raisedNow();
      if (raised.has(id)) return false;
      keep(raised.add(id));
      return true;
    },
    end(id: Id): void {
      const raised = raisedNow();
      if (raised.delete(id)) keep(raised);
    },
  };
}

/** `write` runs its argument as one durable transaction. */
export function prepareNotifications({ db }: Connection, write: (work: () => void) => void) {
  const { id, summary, body, urgency, time } = notifications;
  const all = db
    .select({ id, summary, body, urgency })
    .from(notifications)
    .orderBy(asc(time), asc(id))
    .prepare();
  const clear = db.delete(notifications).prepare();
  return {
    /** All notifications, oldest first; when this returns, they are deleted from the disk. */
    takeNotifications(): NotificationRow[] {
      const rows = all.all();
      if (rows.length > 0)
        write(() => {
          clear.run();
        });
      return rows;
    },
  };
}
