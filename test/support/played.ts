/** Machines that are driven by pure transitions. */
import { type AnyStateMachine, type EventFromLogic, type SnapshotFrom, transition } from 'xstate';
import type { Effect } from '../../machines/effects.ts';

/** A machine's state after some events, with what it asked for on the way. */
export type Played<M extends AnyStateMachine> = {
  snapshot: SnapshotFrom<M>;
  /** Since the last `tell`, in order. */
  effects: readonly Effect[];
  /** The state after these events; this one stays as it is. */
  tell(...events: EventFromLogic<M>[]): Played<M>;
};

type Actions = readonly { type: string; params: unknown }[];

export function played<M extends AnyStateMachine>(
  machine: M,
  snapshot: SnapshotFrom<M>,
  effects: readonly Effect[] = [],
): Played<M> {
  return {
    snapshot,
    effects,
    tell(...events) {
      let state = snapshot;
      const asked: Effect[] = [];
      for (const event of events) {
        // A live actor that has ended takes nothing more; the pure function would.
        if (isDone(state)) break;
        const [next, actions] = transition(machine, state, event);
        asked.push(...effectsIn(actions));
        state = next;
      }
      return played(machine, state, asked);
    },
  };
}

function isDone(state: unknown): boolean {
  return (
    typeof state === 'object' && state !== null && 'status' in state && state.status === 'done'
  );
}

/** The effects among the actions of a transition. A machine may ask for nothing else. */
export function effectsIn(actions: Actions): Effect[] {
  return actions.flatMap(({ type, params }) => {
    if (type !== 'step' || !isEffects(params)) throw new Error(`a machine did ${type}`);
    return params;
  });
}

function isEffects(params: unknown): params is Effect[] {
  return Array.isArray(params);
}

/** The effects of one type, in order. */
export function effectsOf<T extends Effect['type']>(
  { effects }: { effects: readonly Effect[] },
  type: T,
): Extract<Effect, { type: T }>[] {
  return effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
}

/** The only effect of its type. */
export function effectOf<T extends Effect['type']>(
  state: { effects: readonly Effect[] },
  type: T,
): Extract<Effect, { type: T }> {
  const [first, second] = effectsOf(state, type);
  if (first === undefined || second !== undefined) throw new Error(`not exactly one ${type}`);
  return first;
}
