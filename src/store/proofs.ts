/** The kept balance proofs of both sides of each channel. */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Hash, Signature } from '../protocol/hex.ts';
import type { Connection } from './connection.ts';
import { prepareLocksAt } from './locks-at.ts';
import { proofs } from './schema.ts';

export type Side = 'own' | 'partner';

/** One signed step of one side. `additionalHash` and `signature` are kept for the partner's steps only. */
export type StoredProof = {
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
  balanceHash: Hash;
  additionalHash: Hash | null;
  signature: Signature | null;
};

const STEP_COLUMNS = {
  nonce: proofs.nonce,
  transferredAmount: proofs.transferredAmount,
  lockedAmount: proofs.lockedAmount,
  locksroot: proofs.locksroot,
};
const PROOF_COLUMNS = {
  ...STEP_COLUMNS,
  balanceHash: proofs.balanceHash,
  additionalHash: proofs.additionalHash,
  signature: proofs.signature,
};

export function prepareProofs(connection: Connection) {
  const { db } = connection;
  const channel = eq(proofs.channel, sql.placeholder('channel'));
  const side = eq(proofs.side, sql.placeholder('side'));
  const byHash = db
    .select(PROOF_COLUMNS)
    .from(proofs)
    .where(and(channel, side, eq(proofs.balanceHash, sql.placeholder('balanceHash'))))
    .orderBy(desc(proofs.nonce))
    .limit(1)
    .prepare();
  const newest = db
    .select(PROOF_COLUMNS)
    .from(proofs)
    .where(and(channel, side))
    .orderBy(desc(proofs.nonce))
    .limit(1)
    .prepare();
  const page = db
    .select(STEP_COLUMNS)
    .from(proofs)
    .where(and(channel, side, lt(proofs.nonce, sql.param(sql.placeholder('before'), proofs.nonce))))
    .orderBy(desc(proofs.nonce))
    .limit(sql.placeholder('limit'))
    .prepare();

  return {
    locksAt: prepareLocksAt(connection),
    /** The amounts under a balance hash that is on chain: those of the newest step with that hash, or null. */
    findProof: (channel: string, side: Side, balanceHash: Hash): StoredProof | null =>
      byHash.get({ channel, side, balanceHash }) ?? null,
    /** The newest `limit` steps of a side before the nonce `before`, newest first. */
    stepsBefore: (channel: string, side: Side, before: bigint, limit: number) =>
      page.all({ channel, side, before, limit }),
    /** The newest step of each side; null for a side that has signed nothing. */
    latestProofs: (channel: string): Record<Side, StoredProof | null> => ({
      own: newest.get({ channel, side: 'own' }) ?? null,
      partner: newest.get({ channel, side: 'partner' }) ?? null,
    }),
  };
}
