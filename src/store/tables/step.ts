/** A signed step of one side of a channel, as it is stored. */

import type { Hash, Hex } from '../../basics/hex.ts';
import type { Balances } from '../../protocol/channel/balance-proof.ts';

export type Side = 'own' | 'partner';

/** What a step did to the locks of its side. */
export type LockStep = {
  nonce: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
  changeKind: 'add' | 'remove' | null;
  /** Its 96 bytes; of a lock that was removed null, or not. */
  lock: Hex | null;
  secrethash: Hash | null;
};

export type Step = LockStep & Balances;

/** How the table `steps` names the sides. */
export const SIDES = { own: 0, partner: 1 } as const;

/** The part of a balance hash that is stored: 8 bytes. */
export const markOf = (hash: Hash): Hex => `0x${hash.slice(2, 2 + 16)}`;
