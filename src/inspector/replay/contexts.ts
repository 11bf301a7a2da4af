/** The shapes of an actor's state at one moment, and of what an ended actor was spawned with. */

import type { StateValue } from 'xstate';
import type {
  ChannelInput,
  InitiatorInput,
  MediatorInput,
  TargetInput,
  WithdrawalInput,
} from '../../../machines/base/inputs.ts';
import type { Contexts, Kind } from '../../../machines/contexts.ts';
import { stateText } from '../../../machines/tags.ts';
import type { StoredState } from '../../node/runtime/actors/kinds.ts';

/** `state`: `value` as dotted text. */
export type Seen = { [K in Kind]: SeenOf<K> }[Kind];
export type SeenOf<K extends Kind> = {
  kind: K;
  value: StateValue;
  state: string;
  context: Contexts[K];
};

export function seenOf(stored: StoredState): Seen {
  return { ...stored, state: stateText(stored.value) };
}

// For an actor that has ended, the journal has its input or a later context, whose shape nobody has checked. A
// context has all fields of the input.
export const isChannelInput = (value: unknown): value is ChannelInput =>
  has(value, 'partner', 'settleTimeout', 'openBlock');
export const isChannelContext = (value: unknown): value is Contexts['channel'] =>
  has(value, 'partnerEnd', 'ownEnd');
export const isInitiatorInput = (value: unknown): value is InitiatorInput =>
  has(value, 'order', 'own');
export const isMediatorInput = (value: unknown): value is MediatorInput =>
  has(value, 'payer', 'hops');
export const isMediatorContext = (value: unknown): value is Contexts['mediator'] =>
  has(value, 'payerBlock', 'payeeBlock');
export const isTargetInput = (value: unknown): value is TargetInput =>
  has(value, 'payer', 'channel', 'secrethash');
export const isWithdrawalInput = (value: unknown): value is WithdrawalInput =>
  has(value, 'withdrawDelay', 'withdrawBlock');

function has(context: unknown, ...fields: string[]): boolean {
  return (
    typeof context === 'object' &&
    context !== null &&
    fields.every((field) => Object.hasOwn(context, field))
  );
}
