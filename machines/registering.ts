/** Whether a secret came on chain in time to claim a lock: the contract counts what is below the expiration. */
import type { SecretRevealed, TransactionEnded } from './events/chain.ts';

type Expiring = { expiration: bigint };

/** By its log. */
export function isPublicInTime({ expiration }: Expiring, { at }: SecretRevealed): boolean {
  return at.block < expiration;
}

/** By our own transaction. Somebody may have registered the secret before: after the transaction it is on chain. */
export function isRegisteredInTime({ expiration }: Expiring, ended: TransactionEnded): boolean {
  return ended.ok && ended.minedBlock < expiration;
}
