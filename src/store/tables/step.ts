/** A signed step of one side of a channel, as it is stored. */

import type { SignedChange } from '../../../machines/effects.ts';
import type { Hash, Hex } from '../../basics/hex.ts';
import type { Balances } from '../../protocol/channel/balance-proof.ts';
import type { StepChange } from '../base/step-changes.ts';

export type Side = 'own' | 'partner';

/** What a step did to the locks of its side. */
export type LockStep = {
  nonce: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
  changes: readonly StepChange[];
};

export type SignedStep = LockStep & Balances;

/** How the table `steps` names the sides. */
export const SIDES = { own: 0, partner: 1 } as const;

/** The part of a balance hash that is stored: 8 bytes. */
export const markOf = (hash: Hash): Hex => `0x${hash.slice(2, 2 + 16)}`;

/** A change of a signed step as it is stored: why a lock was removed is known from the amounts. */
export const stepChange = ({ kind, lock, secrethash }: SignedChange): StepChange =>
  kind === 'add' ? { kind, lock, secrethash } : { kind: 'remove', secrethash };
