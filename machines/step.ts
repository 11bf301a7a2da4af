/** How a machine's logic is written: pure steps that a chart names. */
import { type EventObject, enqueueActions, type MachineContext } from 'xstate';
import type { Effect } from './effects.ts';

/** What a step changes in the context, and what it asks for. */
export type Step<Context> = { patch: Partial<Context>; effects: readonly Effect[] };

/** The two things that a step may do to a live actor. */
type Enqueue<Context> = {
  assign(patch: Partial<Context>): void;
  emit(effect: Effect): void;
};

/** Applies a step: the context first, then its effects in order. */
export function take<Context>(enqueue: Enqueue<Context>, step: Step<Context>): void {
  if (Object.keys(step.patch).length > 0) enqueue.assign(step.patch);
  for (const effect of step.effects) enqueue.emit(effect);
}

/** Takes one step after the other, each with the context that the step before it left. */
export function inOrder<Context>(
  context: Context,
  ...steps: readonly ((context: Context) => Step<Context>)[]
): Step<Context> {
  let whole: Step<Context> = { patch: {}, effects: [] };
  for (const step of steps) {
    const { patch, effects } = step({ ...context, ...whole.patch });
    whole = { patch: { ...whole.patch, ...patch }, effects: [...whole.effects, ...effects] };
  }
  return whole;
}

/** Narrows the event to the types that the chart allows here. Throws on any other type: a mistake in the chart. */
export function only<E extends { type: string }, T extends E['type']>(
  event: E,
  ...types: readonly T[]
): Extract<E, { type: T }> {
  if (isOneOf(event, types)) return event;
  throw new Error(`${event.type} reached an action for ${types.join(', ')}`);
}

function isOneOf<E extends { type: string }, T extends E['type']>(
  event: E,
  types: readonly T[],
): event is Extract<E, { type: T }> {
  return types.some((type) => type === event.type);
}

/**
 * Binds a step to the events that ask for it: `on(addLock, 'actor.addLock')` is the action that takes the step. Call
 * it once for each machine, with the machine's types.
 */
export function actionsOf<Context extends MachineContext, E extends EventObject>() {
  return <T extends E['type']>(
    step: (context: Context, event: Extract<E, { type: T }>) => Step<Context>,
    ...types: readonly T[]
  ) =>
    enqueueActions<Context, E, undefined, E, never, never, never, never, Effect>(
      ({ context, event, enqueue }) => take(enqueue, step(context, only(event, ...types))),
    );
}
