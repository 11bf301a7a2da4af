/** Notes that a channel has left the chain, in the commit in which its actor ends. */
import { sql } from 'drizzle-orm';
import { bound } from './bound.ts';
import type { Connection } from './connection.ts';
import { departures } from './schema.ts';

/**
 * A process that dies before the commit still has the channel, and everything of it; one that dies after it finds the
 * row at its start, and deletes the rest (sweep.ts). `time`: milliseconds since 1970.
 */
export function prepareDepartures(connection: Connection) {
  const insert = bound(
    connection,
    connection.db.insert(departures).values({
      channel: sql.placeholder('channel'),
      time: sql.placeholder('time'),
      hasProofs: true,
    }),
  );
  return (channel: string, time: number) => insert({ channel, time });
}
