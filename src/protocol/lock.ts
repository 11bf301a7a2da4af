/** A pending transfer inside a channel: whoever shows the secret before `expiration` gets `amount`. */
import type { Hash } from './hex.ts';

export type Lock = {
  amount: bigint;
  /** Block number; on chain the lock is paid iff the secret was registered in a block below it. */
  expiration: bigint;
  secrethash: Hash;
};
