/** What an initiator remembers, and everything that it can be told. */
import type { BlockReached, SecretRevealed } from '../events/chain.ts';
import type { RevealSecretReceived, SecretRequestReceived } from '../events/messages.ts';
import type { ChannelClosing, LockAdded, LockRefused, Refunded } from '../events/notices.ts';
import type { InitiatorInput } from '../inputs.ts';
import type { Step } from '../step.ts';

export type InitiatorContext = InitiatorInput & {
  /** Null until the channel has taken the lock. */
  expiration: bigint | null;
  /** The secret stays hidden for good: a request did not fit, or the first hop gave the payment back. */
  isSpoilt: boolean;
  isRefunded: boolean;
  wakeBlock: bigint | null;
};

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
