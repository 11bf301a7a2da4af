/** How a balance proof is written. */
import { eq, sql } from 'drizzle-orm';
import type { RecordProof } from '../../../machines/effects.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { boundInsert, boundNumber } from '../base/bound.ts';
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
  const open = boundInsert(connection, ledgers, ['channel']);
  // Not remembered between calls: what a transaction that fails has written is gone.
  function ledgerOf(channel: string): number {
    return numberOf({ channel }) ?? Number(open({ channel }).lastInsertRowid);
  }
  // No conflict clause: a second message with a used nonce must fail the commit.
  const insert = boundInsert(connection, steps, [
    'ledger',
    'side',
    'nonce',
    'transferredAmount',
    'lockedAmount',
    'locksroot',
    'mark',
    'changes',
  ]);
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
