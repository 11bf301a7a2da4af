/** How a balance proof is written. */
import { sql } from 'drizzle-orm';
import type { RecordProof } from '../../machines/effects.ts';
import { bound } from './bound.ts';
import type { Connection } from './connection.ts';
import { proofs } from './schema.ts';

const at = sql.placeholder;

export function prepareProofs(connection: Connection) {
  const { db } = connection;
  // No conflict clause: a second message with a used nonce must fail the commit.
  const insert = bound(
    connection,
    db.insert(proofs).values({
      channel: at('channel'),
      side: at('side'),
      nonce: at('nonce'),
      transferredAmount: at('transferredAmount'),
      lockedAmount: at('lockedAmount'),
      locksroot: at('locksroot'),
      balanceHash: at('balanceHash'),
      additionalHash: at('additionalHash'),
      signature: at('signature'),
      changeKind: at('changeKind'),
      lock: at('lock'),
      secrethash: at('secrethash'),
    }),
  );
  // Each field by name: to copy all the others takes as long as the insert.
  return (proof: RecordProof) =>
    insert({
      channel: proof.channel,
      side: proof.side,
      nonce: proof.nonce,
      transferredAmount: proof.transferredAmount,
      lockedAmount: proof.lockedAmount,
      locksroot: proof.locksroot,
      balanceHash: proof.balanceHash,
      additionalHash: proof.additionalHash,
      signature: proof.signature,
      changeKind: proof.change?.kind ?? null,
      lock: proof.change?.lock ?? null,
      secrethash: proof.change?.secrethash ?? null,
    });
}
