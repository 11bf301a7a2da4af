/**
 * Machines that record how they decide: copies of the node's own, with the same guards and actions. They have no
 * parent, and the effects that they emit are only recorded, not carried out.
 */
import { type AnyActorRef, type AnyStateMachine, createActor } from 'xstate';
import type { Kind } from '../../../machines/contexts.ts';
import { KINDS, type StoredState } from '../../node/runtime/actors/kinds.ts';
import { edgeId, edgesOf } from '../charts/edges.ts';
import { readsOf } from '../charts/guard-reads.ts';
import type { GuardRead } from '../wire.ts';

export type TypedObject = { type: string } & Record<string, unknown>;
type HeardGuard = {
  guard: string;
  params: unknown;
  /** The id of the edge that asked the guard. */
  transition: string | null;
  isOpen: boolean;
  reads: readonly GuardRead[];
};
/** What one step did, in order: guards asked, edges taken, effects emitted. */
export type HeardStep = { guards: HeardGuard[]; edges: string[]; effects: TypedObject[] };

/** A replayed actor. */
export type Life = {
  /** Throws when the machine does; the actor cannot be used afterwards. */
  send(event: TypedObject & { nowBlock: bigint }): void;
  state(): StoredState;
};
/** How an actor begins: with its input, or with a state that was stored. */
export type Beginning = { input: unknown } | { state: StoredState };

/**
 * Where guards, edges and effects are recorded now; `heard` is null while steps are only caught up with. `edge`:
 * the edge whose guard XState is about to ask.
 */
type Ear = { heard: HeardStep | null; edge: string | null };
type Evaluate = (given: { context: object; event: object }, params: unknown) => boolean;

export type ReplayStage = ReturnType<typeof createStage>;

/** Creates replayed actors of all kinds. What they do is recorded only during `listen`. */
export function createStage() {
  const ear: Ear = { heard: null, edge: null };
  const machines = new Map<Kind, AnyStateMachine>();

  function machineOf(kind: Kind): AnyStateMachine {
    const machine = machines.get(kind) ?? audible(KINDS[kind].machine, ear);
    machines.set(kind, machine);
    return machine;
  }

  return {
    /** Throws when the machine does. */
    begin(kind: Kind, id: string, beginning: Beginning): Life {
      const machine = machineOf(kind);
      const given =
        'input' in beginning
          ? { input: beginning.input }
          : { snapshot: machine.resolveState(beginning.state) };
      return enliven({ kind, machine, id }, given, ear);
    },
    /** The result of `work`, with everything that the actors did while it ran. */
    listen<Answer>(work: () => Answer): { answer: Answer; heard: HeardStep } {
      const heard: HeardStep = { guards: [], edges: [], effects: [] };
      ear.heard = heard;
      try {
        return { answer: work(), heard };
      } finally {
        ear.heard = null;
      }
    },
  };
}

type Played = { kind: Kind; machine: AnyStateMachine; id: string };

function enliven({ kind, machine, id }: Played, given: object, ear: Ear): Life {
  let failure: { error: unknown } | null = null;
  const actor: AnyActorRef = createActor(machine, {
    ...given,
    id,
    inspect(event) {
      if (ear.heard === null || event.type !== '@xstate.microstep') return;
      for (const transition of event._transitions) {
        const edge = edgeId(transition);
        if (edge !== null) ear.heard.edges.push(edge);
      }
    },
  });
  actor.on('*', (effect) => ear.heard?.effects.push(effect));
  // Without an observer XState throws the error again later, outside of every step.
  actor.subscribe({ error: (error) => (failure = { error }) });

  function refuseFailure() {
    if (failure !== null) throw new Error(`actor ${id} failed`, { cause: failure.error });
  }

  actor.start();
  refuseFailure();
  return {
    send(event) {
      actor.send(event);
      refuseFailure();
    },
    state() {
      const { value, context } = actor.getSnapshot();
      return { kind, value, context };
    },
  };
}

/** The same chart with guards that are recorded. The copy has states and edges of its own. */
function audible(machine: AnyStateMachine, ear: Ear): AnyStateMachine {
  const guards = Object.entries(machine.implementations.guards).map(([name, guard]) => [
    name,
    // A guard combined from others asks them by name, and those are recorded.
    typeof guard === 'function' && !('check' in guard) ? heardGuard(name, guard, ear) : guard,
  ]);
  const copy = machine.provide({ guards: Object.fromEntries(guards) });
  noteWhoAsks(copy.root, ear);
  return copy;
}

/** Notes which edge asks: XState reads the guard of an edge just before it evaluates it. */
function noteWhoAsks(node: AnyStateMachine['root'], ear: Ear) {
  for (const edge of edgesOf(node)) {
    const { guard } = edge;
    if (guard === undefined) continue;
    const id = edgeId(edge);
    Object.defineProperty(edge, 'guard', {
      enumerable: true,
      get() {
        ear.edge = id;
        return guard;
      },
    });
  }
  for (const child of Object.values(node.states)) noteWhoAsks(child, ear);
}

function heardGuard(name: string, guard: Evaluate, ear: Ear): Evaluate {
  return (given, params) => {
    const { heard, edge } = ear;
    if (heard === null) return guard(given, params);
    // The proxies must not decide, as they are not the objects themselves. The real objects are asked last, so that
    // what a machine remembers of its last question is about them.
    const reads = readsOf(given, (seen) => guard(seen, params));
    const isOpen = guard(given, params);
    heard.guards.push({ guard: name, params: params ?? null, transition: edge, isOpen, reads });
    return isOpen;
  };
}
