/** How a balance proof is written. */
import { eq, sql } from 'drizzle-orm';
import type { RecordProof } from '../../../machines/effects.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { bound, boundNumber } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { ledgers, steps } from '../base/schema.ts';
import { markOf, SIDES, stepChange } from './step.ts';

const at = sql.placeholder;

/** The function that writes a proof. Throws when its side has used the nonce. */
export function prepareProofs(connection: Connection) {
  const { db } = connection;
  const numberOf = boundNumber(
    connection,
    db
      .select({ number: ledgers.number })
      .from(ledgers)
      .where(eq(ledgers.channel, at('channel'))),
  );
  const open = bound(connection, db.insert(ledgers).values({ channel: at('channel') }));
  // Not remembered between calls: what a transaction that fails has written is gone.
  function ledgerOf(channel: string): number | null {
    const known = numberOf({ channel });
    if (known !== null) return known;
    open({ channel });
    return numberOf({ channel });
  }
  // No conflict clause: a second message with a used nonce must fail the commit.
  const insert = bound(
    connection,
    db.insert(steps).values({
      ledger: at('ledger'),
      side: at('side'),
      nonce: unhex('nonce', steps.nonce),
      transferredAmount: unhex('transferredAmount', steps.transferredAmount),
      lockedAmount: unhex('lockedAmount', steps.lockedAmount),
      locksroot: unhex('locksroot', steps.locksroot),
      mark: unhex('mark', steps.mark),
      changes: unhex('changes', steps.changes),
    }),
  );
  // Each field by name: to copy all the others takes as long as the insert.
  return (proof: RecordProof): void => {
    insert({
      ledger: ledgerOf(proof.channel),
      side: SIDES[proof.side],
      nonce: proof.nonce,
      transferredAmount: proof.transferredAmount,
      lockedAmount: proof.lockedAmount,
      locksroot: proof.locksroot === NO_LOCKS_ROOT ? null : proof.locksroot,
      mark: markOf(proof.balanceHash),
      changes: proof.changes.map(stepChange),
    });
  };
}
