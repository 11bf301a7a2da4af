/** How a machine's logic is written: pure steps that a chart names. */
import { type EventObject, enqueueActions, type MachineContext } from 'xstate';
import type { Effect } from '../effects.ts';

/** What a step changes in the context, and what it asks for. */
export type Step<Context> = { patch: Partial<Context>; effects: readonly Effect[] };

/** The two things that a step may do to a live actor. */
type Enqueue<Context> = {
  assign(patch: Partial<Context>): void;
  emit(effect: Effect): void;
};

/** Applies a step: the context first, then its effects in order. */
function take<Context>(enqueue: Enqueue<Context>, step: Step<Context>): void {
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
 * Binds checks and steps to the events that a chart allows for them. Called once for each machine, with the machine's types.
 *
 * - `on(addLock, 'actor.addLock')` is the action that takes the step; `onAny(step)` takes it at whatever event.
 * - `when(hasLock, 'actor.unlock', 'actor.expireLock')` is the guard that makes the check; one that looks at the context
 *   alone needs no binding.
 * - `onGiven(refuse, 'cmd.deposit')` takes a step that also gets the parameters that the chart gives, or undefined.
 */
export function binding<Context extends MachineContext, E extends EventObject>() {
  type Of<T extends E['type']> = Extract<E, { type: T }>;
  type Types<T extends E['type']> = readonly [T, ...T[]];

  const onGiven = <P extends object | undefined, T extends E['type']>(
    step: (context: Context, event: Of<T>, given: P) => Step<Context>,
    ...types: Types<T>
  ) =>
    enqueueActions<Context, E, P, E, never, never, never, never, Effect>(
      ({ context, event, enqueue }, given) =>
        take(enqueue, step(context, only(event, ...types), given)),
    );

  return {
    on: <T extends E['type']>(
      step: (context: Context, event: Of<T>) => Step<Context>,
      ...types: Types<T>
    ) => onGiven<undefined, T>(step, ...types),
    onAny: (step: (context: Context, event: E) => Step<Context>) =>
      enqueueActions<Context, E, undefined, E, never, never, never, never, Effect>(
        ({ context, event, enqueue }) => take(enqueue, step(context, event)),
      ),
    onGiven,
    when:
      <T extends E['type']>(
        check: (context: Context, event: Of<T>) => boolean,
        ...types: Types<T>
      ) =>
      ({ context, event }: { context: Context; event: E }): boolean =>
        check(context, only(event, ...types)),
  };
}
