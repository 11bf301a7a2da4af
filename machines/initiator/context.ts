/** What an initiator remembers, and every event that it can get. */
import * as v from 'valibot';
import { optionalUint } from '../../src/protocol/shapes.ts';
import { type InitiatorInput, initiatorInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, SecretRevealed } from '../events/chain.ts';
import type { RevealSecretReceived, SecretRequestReceived } from '../events/messages.ts';
import type { ChannelClosing, LockAdded, LockRefused, Refunded } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

export const initiatorContext = v.object({
  ...initiatorInput.entries,
  /** Null until the channel has made the lock. */
  expiration: optionalUint,
  /**
   * The secret is never revealed: a secret request did not fit the payment, or the first hop gave the transfer back.
   */
  isSpoilt: v.boolean(),
  isRefunded: v.boolean(),
  wakeBlock: optionalUint,
});
export type InitiatorContext = v.InferOutput<typeof initiatorContext>;

export type InitiatorStep = Step<InitiatorContext>;

export type InitiatorEvent =
  | LockAdded
  | LockRefused
  | Refunded
  | ChannelClosing
  | SecretRequestReceived
  | RevealSecretReceived
  | SecretRevealed
  | BlockReached;

export const { on, onAny, when } = binding<InitiatorContext, Stamped<InitiatorEvent>>();

/** Wakes up at the next block: the channel answers at once, unless it is gone. */
export function newInitiator(input: InitiatorInput): InitiatorContext {
  // New fields come before a spread: Node 20 takes a microsecond for each behind it.
  return { expiration: null, isSpoilt: false, isRefunded: false, wakeBlock: 0n, ...input };
}
