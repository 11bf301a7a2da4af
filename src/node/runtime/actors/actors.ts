/**
 * The live actor system: it spawns and restores actors and delivers events to them. It knows nothing of commits or of
 * the world outside.
 *
 * Actors are made with the node actor as parent instead of being spawned inside it, because each is stored and restored
 * separately. The node actor is told when they end. An actor without events since the start stays a stored row until
 * its first event.
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

export function createActors({ node, rows, onEffect }: Options) {
  const live = new Map<string, AnyActorRef>();
  const resting = new Map<string, ActorRow>();
  for (const row of rows) resting.set(row.id, row);
  const failures = new Map<string, unknown>();

  function start(id: string, given: Given) {
    const parent = live.get('node');
    const actor = createActor(KINDS[kindOf(id)].machine, {
      ...(parent === undefined ? {} : { parent }),
      // XState names an actor's end event after its id and keeps data for each event name for ever: so the id is the
      // kind.
      id: kindOf(id),
      systemId: id,
      ...given,
    });
    actor.on('*', (effect) => onEffect(id, effect));
    // Without an observer XState throws the error again later, outside of every turn.
    actor.subscribe({ error: (error) => failures.set(id, error) });
    live.set(id, actor);
    actor.start();
    see(id, actor);
    return actor;
  }

  /** Called after an actor has handled an event: checks whether it has failed or reached its end. */
  function see(id: string, actor: AnyActorRef) {
    const { status } = actor.getSnapshot();
    if (status === 'error') throw new Error(`actor ${id} failed`, { cause: failures.get(id) });
    if (status === 'done') live.get('node')?.send({ type: 'actor.ended', actor: id });
  }

  function wake(id: string): AnyActorRef | undefined {
    const actor = live.get(id);
    if (actor !== undefined) return actor;
    const row = resting.get(id);
    if (row === undefined) return undefined;
    resting.delete(id);
    return start(id, { snapshot: KINDS[kindOf(id)].machine.resolveState(stateIn(row)) });
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
      const actor = live.get(id);
      if (actor !== undefined) {
        return stateFrom(id, actor.getSnapshot());
      }
      const row = resting.get(id);
      return row === undefined ? null : stateIn(row);
    },
    /** All actors with their states, read one by one. Throws on an unreadable row. */
    *states(): Generator<[string, StoredState]> {
      for (const [id, actor] of live) yield [id, stateFrom(id, actor.getSnapshot())];
      for (const [id, row] of resting) yield [id, stateIn(row)];
    },
    /** The row to be stored, or null when the actor has ended. */
    rowOf(id: string): ActorRow | null {
      const actor = live.get(id);
      if (actor === undefined) return resting.get(id) ?? null;
      return rowOf(id, stateFrom(id, actor.getSnapshot()));
    },
    spawn(id: string, input: unknown): StoredState {
      return stateFrom(id, start(id, { input }).getSnapshot());
    },
    /**
     * Delivers one event. Answers what it changed in the actor; null when there is no such actor. Throws when the actor
     * fails: its state can no longer be trusted.
     */
    send(id: string, event: Stamped<ActorEvent>): Sent | null {
      const actor = wake(id);
      if (actor === undefined) return null;
      const before = actor.getSnapshot();
      actor.send(event);
      if (before.status !== 'done') see(id, actor);
      const after = actor.getSnapshot();
      const changed = before.context !== after.context || !isSameValue(before.value, after.value);
      return { before: stateFrom(id, before), after: stateFrom(id, after), changed };
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
