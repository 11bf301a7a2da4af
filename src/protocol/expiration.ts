/** When a lock ends, and who may act on it when. Blocks are confirmed ones; protocol section 4.0. */

/** The expiration of a new lock. The minus one absorbs a block of difference between two nodes. */
export function lockExpiration(
  nowBlock: bigint,
  revealTimeout: bigint,
  lockTimeout: bigint | null,
): bigint {
  return nowBlock + (lockTimeout ?? 2n * revealTimeout) - 1n;
}

/** Whether a payee who knows the secret can still wait for an off-chain unlock. */
export function isSafeToWait(expiration: bigint, revealTimeout: bigint, nowBlock: bigint): boolean {
  return expiration - nowBlock > revealTimeout;
}

/** First block at which the sender of a lock may declare it expired. */
export function senderRemovalBlock(expiration: bigint, confirmations: bigint): bigint {
  return expiration + 2n * confirmations;
}

/** First block at which the receiver of a lock accepts that it expired. */
export function receiverRemovalBlock(expiration: bigint, confirmations: bigint): bigint {
  return expiration + confirmations;
}

/**
 * Whether a lock of `lockTimeout` blocks fits a channel: longer than the reveal timeout, not longer than
 * the settle timeout, else the channel could be settled before the lock ends.
 */
export function isLockTimeoutAllowed(
  lockTimeout: bigint,
  revealTimeout: bigint,
  settleTimeout: bigint,
): boolean {
  return lockTimeout > revealTimeout && lockTimeout <= settleTimeout;
}
