/** Every state that some events lead a machine to, by the shortest way, and every step from there. */

import type { AnyStateMachine, AnyStateNode, EventFromLogic, SnapshotFrom } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import type { Effect } from '../../machines/effects.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { ActorEvent } from '../../machines/events.ts';
import { createActors } from '../../src/node/runtime/actors/actors.ts';
import { rowOf, type StoredState } from '../../src/node/runtime/actors/kinds.ts';
import { NODE_FACTS } from '../support/payment-makers.ts';
import type { Played } from '../support/played.ts';

export type Step<M extends AnyStateMachine> = {
  before: SnapshotFrom<M>;
  event: EventFromLogic<M>;
  after: Played<M>;
};
export type Path<M extends AnyStateMachine> = {
  end: SnapshotFrom<M>;
  /** Everything that was asked for on the way, from the first state on. */
  effects: readonly Effect[];
};

type Found<M extends AnyStateMachine> = { steps: { event: EventFromLogic<M> }[] };

/** Plays the paths of `getShortestPaths` once more, to collect the effects on the way and of each next step. */
export function walk<M extends AnyStateMachine>(
  start: Played<M>,
  found: readonly Found<M>[],
  events: (state: SnapshotFrom<M>) => readonly EventFromLogic<M>[],
) {
  const ends = found.map(({ steps }) => start.tell(...steps.slice(1).map(({ event }) => event)));
  const paths = ends.map((end): Path<M> => {
    return { end: end.snapshot, effects: [...start.effects, ...end.effects] };
  });
  const steps = ends.flatMap((end) =>
    events(end.snapshot).map((event): Step<M> => {
      return { before: end.snapshot, event, after: end.tell(event) };
    }),
  );
  return { paths, steps };
}

type Stored = Pick<StoredState, 'value' | 'context'>;

/** What a live actor makes of the event after it was stored and read again, as at the start of a node. */
export function restoredStep(
  id: string,
  state: Stored,
  event: Stamped<ActorEvent>,
): { state: Stored | null; effects: Effect[] } {
  const effects: Effect[] = [];
  const actors = createActors({
    node: NODE_FACTS,
    rows: [rowOf(id, state)],
    onEffect: (from, effect) => {
      if (from === id) effects.push(effect);
    },
  });
  actors.send(id, { ...event });
  const after = actors.stateOf(id);
  return {
    state: after === null ? null : { value: after.value, context: after.context },
    effects,
  };
}

/** The dotted names of the states in which a machine can rest, from its definition. */
export function restingStates(machine: AnyStateMachine): string[] {
  return getStateNodes(machine)
    .filter((node: AnyStateNode) => Object.keys(node.states).length === 0 && !isPassedThrough(node))
    .map(({ path }) => path.join('.'))
    .sort();
}

/** A state whose last way on has no condition is left in the moment in which it is entered. */
function isPassedThrough({ always }: AnyStateNode): boolean {
  const last = always?.at(-1);
  return last !== undefined && last.guard === undefined;
}
