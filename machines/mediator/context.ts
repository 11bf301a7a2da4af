/** What a mediator remembers, and every event that it can get. */
import * as v from 'valibot';
import { count, hex, optionalUint, text, uint } from '../../src/protocol/shapes.ts';
import { type MediatorInput, mediatorInput } from '../base/inputs.ts';
import type { IncomingTag } from '../base/registering.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type {
  ChannelClosing,
  LockForwarded,
  LockGone,
  LockRefused,
  Nobody,
  OwnLockGone,
  Refunded,
  SettingsTold,
  Unlocked,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

export const mediatorContext = v.object({
  ...mediatorInput.entries,
  /** The index of the hop that was asked last. */
  hop: count,
  /** The channel and the partner that the transfer was passed on to; null: none yet. */
  payee: v.nullable(v.object({ channel: text, partner: hex, amount: uint })),
  secret: v.nullable(hex),
  /** The payee gave the transfer back; our lock is pending all the same. */
  isRefunded: v.boolean(),
  isPaidIn: v.boolean(),
  isPaidOut: v.boolean(),
  /** Counts registrations, so that each try is a job of its own. */
  jobs: count,
  /** The blocks at which the payer's side and the payee's side need attention next; `wakeBlock` is the earlier one. */
  payerBlock: optionalUint,
  payeeBlock: optionalUint,
  wakeBlock: optionalUint,
});
export type MediatorContext = v.InferOutput<typeof mediatorContext>;

/** What others ask of a mediator's state. */
export type MediatorTag =
  | IncomingTag
  /** It has not found a next hop yet that takes its transfer. */
  | 'looksForHop'
  /** It looks after its own lock for the payee. */
  | 'answersForPayee'
  /** It can still take that lock back itself: the payee's channel is not closed. */
  | 'takesBack';

export type MediatorStep = Step<MediatorContext>;

export type MediatorEvent =
  | LockForwarded
  | LockRefused
  | Nobody
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | OwnLockGone
  | ChannelClosing
  | Refunded
  | SettingsTold
  | TransactionEnded
  | BlockReached;

export const { on, onAny, when } = binding<MediatorContext, Stamped<MediatorEvent>>();

export function newMediator(input: MediatorInput): MediatorContext {
  // Before the spread, as in `newInitiator`.
  return {
    hop: 0,
    payee: null,
    secret: null,
    isRefunded: false,
    isPaidIn: false,
    isPaidOut: false,
    jobs: 0,
    payerBlock: null,
    payeeBlock: null,
    wakeBlock: null,
    ...input,
  };
}

/** Sets the next block of one side, or none (null), and the earlier of both as the block to wake up at. */
export function woken(
  mediator: MediatorContext,
  blocks: Partial<Pick<MediatorContext, 'payerBlock' | 'payeeBlock'>>,
): MediatorContext {
  const next = { ...mediator, ...blocks };
  const { payerBlock, payeeBlock } = next;
  const isPayerFirst = payeeBlock === null || (payerBlock !== null && payerBlock < payeeBlock);
  return { ...next, wakeBlock: isPayerFirst ? payerBlock : payeeBlock };
}
