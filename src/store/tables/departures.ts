/** Notes that a channel has left the chain, in the commit in which its actor ends. */
import { eq, sql } from 'drizzle-orm';
import { bound, boundInsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { departures, ledgers } from '../base/schema.ts';
import { prepareLedgerOf } from './steps.ts';

const at = sql.placeholder;

/**
 * A process that dies before the commit still has the channel, and everything of it; one that dies after it finds the
 * row at its start, and deletes the rest (sweep.ts). `time`: milliseconds since 1970. To be called after the proofs of
 * the same commit were written.
 */
export function prepareDepartures(connection: Connection) {
  const { db } = connection;
  const ledgerOf = prepareLedgerOf(connection);
  const insert = boundInsert(connection, departures, ['channel', 'time', 'hasProofs', 'ledger']);
  const close = bound(connection, db.delete(ledgers).where(eq(ledgers.channel, at('channel'))));
  return (channel: string, time: number): void => {
    insert({ channel, time, hasProofs: true, ledger: ledgerOf(channel) });
    close({ channel });
  };
}
