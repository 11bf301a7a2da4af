/**
 * Whether a secret was registered on chain in time to claim a lock: the contract pays when the block of the
 * registration is below the lock's expiration.
 */
import type { SecretRevealed, TransactionEnded } from './events/chain.ts';

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
