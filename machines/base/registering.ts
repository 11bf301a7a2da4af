/**
 * The registration of a secret: who pays for it, and whether it was made in time to claim a lock. The contract pays when
 * the block of the registration is below the lock's expiration.
 */
import type { Address, Secret } from '../../src/basics/hex.ts';
import type { Effect } from '../effects.ts';
import type { SecretRevealed, TransactionEnded } from '../events/chain.ts';

/** What others ask of the state of a payment about the payer's lock, which this node may have to claim on chain. */
export type IncomingTag =
  /** The payment looks after the payer's lock: it is neither paid nor gone. */
  | 'answersForPayer'
  /** The secret may still have to be registered: that is neither done nor too late. */
  | 'mayRegister'
  | 'awaitsSecret'
  /** The payer has the secret: the registration waits until it gets dangerous. */
  | 'awaitsUnlock'
  /** The channel is closed: a secret that comes is registered at once. */
  | 'claimsAtOnce'
  | 'isRegistering'
  | 'isRegistered'
  /** Nothing can be claimed any more. */
  | 'isTooLate';

type Expiring = { expiration: bigint };

/** As the log of the registration tells it. */
export function isPublicInTime({ expiration }: Expiring, { at }: SecretRevealed): boolean {
  return at.block < expiration;
}

/**
 * As this node's own transaction tells it. Even if somebody else registered the secret before, it is on chain once
 * the transaction is mined.
 */
export function isRegisteredInTime({ expiration }: Expiring, ended: TransactionEnded): boolean {
  return ended.ok && ended.minedBlock < expiration;
}

/**
 * The transaction that registers the secret of a lock. `jobs`: how often this actor has asked for it, this time included:
 * each try is a job of its own.
 */
export function registration(
  { id: from, expiration }: Expiring & { id: string },
  secret: Secret,
  jobs: number,
): Effect {
  const key = `secret:${from}:${jobs}`;
  return { type: 'tx.registerSecret', from, key, deadlineBlock: expiration - 1n, secret };
}

/**
 * A registration is charged to the payer of the lock, who could have unlocked it. `jobs`: how often this node has asked
 * for it, this time included: a payer is charged once, however often the transaction has to be made.
 */
export function charged(payer: Address, jobs: number): Effect[] {
  return jobs === 1 ? [{ type: 'record.forced', payer }] : [];
}
