/** How a balance proof is written. */
import { eq, sql } from 'drizzle-orm';
import type { RecordProof } from '../../machines/effects.ts';
import { decodeLock, NO_LOCKS_ROOT } from '../protocol/lock.ts';
import { bound } from './bound.ts';
import { unhex } from './columns.ts';
import type { Connection } from './connection.ts';
import { prepareOlderNonces } from './older-proofs.ts';
import { ledgers, steps } from './schema.ts';
import { markOf, SIDES } from './step.ts';

const at = sql.placeholder;

/** The function that writes a proof of today. Throws when its side has used the nonce. */
export function prepareProofs(connection: Connection) {
  const put = preparePut(connection);
  const isUsed = prepareOlderNonces(connection);
  return (proof: RecordProof) => {
    if (isUsed(proof)) throw new Error(`store: UNIQUE: ${proof.channel} has used ${proof.nonce}`);
    put(proof);
  };
}

export function preparePut(connection: Connection) {
  const { db } = connection;
  const number = db
    .select({ number: ledgers.number })
    .from(ledgers)
    .where(eq(ledgers.channel, at('channel')))
    .prepare();
  const open = bound(connection, db.insert(ledgers).values({ channel: at('channel') }));
  // Not remembered between calls: what a transaction that fails has written is gone.
  const ledgerOf = (channel: string): number | undefined => number.get({ channel })?.number;
  function newLedger(channel: string): number | undefined {
    open({ channel });
    return ledgerOf(channel);
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
      secrethash: unhex('secrethash', steps.secrethash),
      expiration: unhex('expiration', steps.expiration),
      amount: unhex('amount', steps.amount),
    }),
  );
  // Each field by name: to copy all the others takes as long as the insert.
  return (proof: RecordProof): void => {
    const { change } = proof;
    const added = change?.kind === 'add' ? decodeLock(change.lock) : null;
    insert({
      ledger: ledgerOf(proof.channel) ?? newLedger(proof.channel),
      side: SIDES[proof.side],
      nonce: proof.nonce,
      transferredAmount: proof.transferredAmount,
      lockedAmount: proof.lockedAmount,
      locksroot: proof.locksroot === NO_LOCKS_ROOT ? null : proof.locksroot,
      mark: markOf(proof.balanceHash),
      secrethash: change?.secrethash ?? null,
      expiration: added?.expiration ?? null,
      amount: added?.amount ?? null,
    });
  };
}
