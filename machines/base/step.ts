/** How a machine's logic is written: pure steps that a chart names. */
import type {
  ActionFunction,
  AnyActorScope,
  AnyMachineSnapshot,
  BuiltinActionResolution,
  EventObject,
  MachineContext,
} from 'xstate';
import type { Effect } from '../effects.ts';

/** What a step changes in the context, and what it asks for. */
export type Step<Context> = { patch: Partial<Context>; effects: readonly Effect[] };

/**
 * What XState asks of an action that has both: `resolve` for the snapshot after it, and what is left to be done; `execute`
 * to do that. XState's own `assign` and `emit` are such actions; a step is one of them, whatever it asks for.
 */
type StepAction<Context, E, P> = {
  type: 'step';
  resolve(
    scope: AnyActorScope,
    snapshot: AnyMachineSnapshot,
    args: { context: Context; event: E },
    given: P,
  ): BuiltinActionResolution;
  execute(scope: AnyActorScope, effects: readonly Effect[]): void;
};

/** The action that takes a step: the context first, then its effects in order. */
function taking<
  Context extends MachineContext,
  E extends EventObject,
  P extends object | undefined,
>(
  step: (context: Context, event: E, given: P) => Step<Context>,
): ActionFunction<Context, E, E, P, never, never, never, never, Effect> {
  const action: StepAction<Context, E, P> = {
    type: 'step',
    resolve(_, snapshot, { context, event }, given) {
      const { patch, effects } = step(context, event, given);
      return [withPatch(snapshot, context, patch), effects, undefined];
    },
    execute(scope, effects) {
      for (const effect of effects) scope.emit(effect);
    },
  };
  return Object.assign(() => {}, action);
}

function withPatch<Context extends MachineContext>(
  snapshot: AnyMachineSnapshot,
  context: Context,
  patch: Partial<Context>,
): AnyMachineSnapshot {
  return isEmpty(patch) ? snapshot : { ...snapshot, context: { ...context, ...patch } };
}

function isEmpty(patch: object): boolean {
  for (const _ in patch) return false;
  return true;
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
  const names: readonly string[] = types;
  return names.includes(event.type);
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
    taking<Context, E, P>((context, event, given) => step(context, only(event, ...types), given));

  return {
    on: <T extends E['type']>(
      step: (context: Context, event: Of<T>) => Step<Context>,
      ...types: Types<T>
    ) => onGiven<undefined, T>(step, ...types),
    onAny: (step: (context: Context, event: E) => Step<Context>) =>
      taking<Context, E, undefined>(step),
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
