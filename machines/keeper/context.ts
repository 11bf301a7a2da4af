/** What a keeper remembers, and every event that it can get. */
import * as v from 'valibot';
import { count, hex, optionalUint } from '../../src/protocol/shapes.ts';
import { type KeeperInput, keeperInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { LockGone, OwnLockGone, Unlocked } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

export const keeperContext = v.object({
  ...keeperInput.entries,
  secret: v.nullable(hex),
  /** Counts registrations, so that each try is a job of its own. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type KeeperContext = v.InferOutput<typeof keeperContext>;

/** What others ask of a keeper's state. */
export type KeeperTag =
  /** The lock is neither paid nor gone. */
  | 'keepsLock'
  /** The partner's lock stands, and its secret is not on chain. */
  | 'isHolding'
  | 'isRegistering'
  | 'isRegistered';

export type KeeperStep = Step<KeeperContext>;

export type KeeperEvent =
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | OwnLockGone
  | TransactionEnded
  | BlockReached;

export const { on, onAny, when } = binding<KeeperContext, Stamped<KeeperEvent>>();

export function newKeeper(input: KeeperInput): KeeperContext {
  return { ...input, secret: null, jobs: 0, wakeBlock: null };
}
