/** Updates of one channel whose numbers say nothing, for whoever only carries them. */
import type { Address } from '../../src/basics/hex.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { Change, ExpiredChange, LockChange } from '../../src/protocol/messages/changes.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { EXPIRATION, hashOf, NETWORK, PARTNER, STRANGER } from './makers.ts';

export const expiredChange = (recipient: Address = PARTNER): ExpiredChange => ({
  type: 'expired',
  recipient,
  secrethash: hashOf(1),
});

/** A lock for somebody else than its receiver. */
export const lockChange = (parts: Partial<LockChange> & { n?: number } = {}): LockChange => {
  const { n = 1, ...given } = parts;
  return {
    type: 'lock',
    paymentId: BigInt(n),
    token: NETWORK,
    recipient: PARTNER,
    target: STRANGER,
    initiator: PARTNER,
    lock: { amount: 1n, expiration: EXPIRATION, secrethash: hashOf(n) },
    metadata: '{}',
    ...given,
  };
};

/** An Update before it is posted: by default it takes a lock back. */
export const updateOf = (
  nonce: bigint,
  changes: readonly Change[] = [expiredChange()],
): Omit<Update, 'messageId'> => ({
  type: 'Update',
  chainId: 1n,
  tokenNetwork: NETWORK,
  channelId: 1n,
  nonce,
  transferredAmount: 0n,
  lockedAmount: 0n,
  locksroot: NO_LOCKS_ROOT,
  changes,
});
