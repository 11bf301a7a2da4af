/** What a target remembers, and every event that it can get. */
import * as v from 'valibot';
import { count, optionalUint } from '../../src/protocol/shapes.ts';
import { type TargetInput, targetInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { ChannelClosing, LockGone, SettingsTold, Unlocked } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

export const targetContext = v.object({
  ...targetInput.entries,
  /** Counts registrations, so that each try is a job of its own. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type TargetContext = v.InferOutput<typeof targetContext>;

export type TargetStep = Step<TargetContext>;

export type TargetEvent =
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | ChannelClosing
  | SettingsTold
  | TransactionEnded
  | BlockReached;

export const { on, onAny, when } = binding<TargetContext, Stamped<TargetEvent>>();

export function newTarget(input: TargetInput): TargetContext {
  return { jobs: 0, wakeBlock: null, ...input };
}
