/**
 * The live actor system: it spawns and restores actors and delivers events to them. It knows nothing of commits or of
 * the world outside.
 *
 * Actors are made with the node actor as parent instead of being spawned inside it, because each is stored and restored
 * separately; one that reaches its end asks to be retired. An actor without events since the start stays a stored row
 * until its first event.
 */

import { type AnyActorRef, createActor, type Snapshot } from 'xstate';
import type { Effect } from '../../../../machines/effects.ts';
import type { Stamped } from '../../../../machines/events/stamps.ts';
import type { ActorEvent } from '../../../../machines/events.ts';
import type { NodeContext } from '../../../../machines/node/context.ts';
import type { ActorRow } from '../../../store/base/batch.ts';
import { KINDS, kindOf, rowOf, type StoredState, stateFrom, stateIn } from './kinds.ts';

export type Actors = ReturnType<typeof createActors>;

type Options = {
  node: Omit<NodeContext, 'tokens' | 'wakeBlock'>;
  rows: readonly ActorRow[];
  /** Called during a delivery for each effect, in order. */
  onEffect(from: string, effect: Effect): void;
};

/** The actor's state before and after an event; neither is changed later. */
type Sent = { before: StoredState; after: StoredState; changed: boolean };
type Given = { input: unknown } | { snapshot: Snapshot<unknown> };
/** `state`: as the last event left it; the same object until it changes. */
type Live = { actor: AnyActorRef; state: StoredState };

export function createActors({ node, rows, onEffect }: Options) {
  const live = new Map<string, Live>();
  const resting = new Map<string, ActorRow>();
  for (const row of rows) resting.set(row.id, row);

  function start(id: string, given: Given): Live {
    const parent = live.get('node')?.actor;
    const kind = kindOf(id);
    // XState names an actor's end event after its id, and its parent keeps data for each event name for ever: so the id
    // is the kind.
    const options = { id: kind, ...(parent === undefined ? {} : { parent }), ...given };
    const actor = createActor(KINDS[kind].machine, options);
    // Without an observer XState throws the error of an actor without a parent again later, outside of every turn.
    if (parent === undefined) actor.subscribe({ error() {} });
    const one: Live = { actor, state: stateFrom(id, actor.getSnapshot()) };
    actor.on('*', (effect) => onEffect(id, effect));
    live.set(id, one);
    actor.start();
    see(id, one);
    return one;
  }

  /** Called after an actor has handled an event: notes its state, and checks whether it has failed or reached its end. */
  function see(id: string, one: Live) {
    const { status, value, context, error } = one.actor.getSnapshot();
    if (status === 'error') throw new Error(`actor ${id} failed`, { cause: error });
    const { state } = one;
    const isSame = isSameValue(state.value, value);
    // XState makes a new value at each event; what is known of a value is kept by its object (machines/tags.ts).
    if (!isSame || context !== state.context)
      one.state = stateFrom(id, { value: isSame ? state.value : value, context });
    if (status === 'done') onEffect('node', { type: 'retire', id });
  }

  /** What is sent to an actor that has ended changes nothing. */
  function deliver(id: string, one: Live, event: Stamped<ActorEvent>) {
    const { status } = one.actor.getSnapshot();
    one.actor.send(event);
    if (status !== 'done') see(id, one);
  }

  function wake(id: string): Live | undefined {
    const known = live.get(id);
    if (known !== undefined) return known;
    const row = resting.get(id);
    if (row === undefined) return undefined;
    resting.delete(id);
    const stored = stateIn(row);
    return start(id, { snapshot: KINDS[stored.kind].machine.resolveState(stored) });
  }

  const isNew = wake('node') === undefined;
  if (isNew) start('node', { input: node });

  return {
    /** The input with which the node actor was spawned just now; null when it was restored. */
    nodeInput: isNew ? node : null,
    has: (id: string) => live.has(id) || resting.has(id),
    /** The ids of all actors, live ones and stored rows. */
    ids: () => [...live.keys(), ...resting.keys()],
    /**
     * The actor's state, or null when there is no such actor. A resting actor stays a row. Throws on an unreadable row.
     */
    stateOf(id: string): StoredState | null {
      const one = live.get(id);
      if (one !== undefined) return one.state;
      const row = resting.get(id);
      return row === undefined ? null : stateIn(row);
    },
    /** All actors with their states, read one by one. Throws on an unreadable row. */
    *states(): Generator<[string, StoredState]> {
      for (const [id, { state }] of live) yield [id, state];
      for (const [id, row] of resting) yield [id, stateIn(row)];
    },
    /** The row to be stored, or null when the actor has ended. */
    rowOf(id: string): ActorRow | null {
      const one = live.get(id);
      return one === undefined ? (resting.get(id) ?? null) : rowOf(id, one.state);
    },
    spawn: (id: string, input: unknown): StoredState => start(id, { input }).state,
    /**
     * Delivers one event. Answers what it changed in the actor; null when there is no such actor. Throws when the actor
     * fails: its state can no longer be trusted.
     */
    send(id: string, event: Stamped<ActorEvent>): Sent | null {
      const one = wake(id);
      if (one === undefined) return null;
      const before = one.state;
      deliver(id, one, event);
      return { before, after: one.state, changed: before !== one.state };
    },
    /** Forgets an actor that reached its end. */
    forget(id: string) {
      live.delete(id);
      resting.delete(id);
    },
  };
}

function isSameValue(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  return typeof before === 'object' && JSON.stringify(before) === JSON.stringify(after);
}
