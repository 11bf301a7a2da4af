/** Every chart as data, read from the very machine objects that the node runs. */
import { createHash } from 'node:crypto';
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Kind } from '../../../machines/contexts.ts';
import { KINDS, kindOf } from '../../node/runtime/actors/kinds.ts';
import type { EdgeDefinition, MachineDefinition, StateDefinition } from '../wire.ts';
import type { Words } from '../words/names.ts';
import { MACHINE_WORDS } from '../words/of-kind.ts';
import { edgeId, edgesOf, stateId } from './edges.ts';

const known = new Map<AnyStateMachine, MachineDefinition>();

/** The definitions of all machines, in the order of the kinds. */
export function machineDefinitions(): MachineDefinition[] {
  return Object.keys(KINDS).map((kind) => machineDefinition(kindOf(kind)));
}

/** The chart of one kind. It never changes while the process runs. */
export function machineDefinition(kind: Kind): MachineDefinition {
  const { machine } = KINDS[kind];
  const before = known.get(machine);
  if (before !== undefined) return before;
  const definition = definitionOf(kind, machine, MACHINE_WORDS[kind]);
  known.set(machine, definition);
  return definition;
}

/** The definition of any machine whose guards and actions are names; `words`: what these mean. */
export function definitionOf(
  name: string,
  machine: AnyStateMachine,
  words: Words = { guards: {}, actions: {} },
): MachineDefinition {
  const root = stateOf(machine.root);
  return {
    machine: name,
    version: versionOf(root),
    description: root.description,
    root,
    ...words,
  };
}

/**
 * A hash of what the chart does: the same in every process, and different when a state, an edge, a guard or an
 * action changes. Descriptions do not count.
 */
function versionOf(root: StateDefinition): string {
  const text = JSON.stringify(root, (key, value) => (key === 'description' ? undefined : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function stateOf(node: AnyStateNode): StateDefinition {
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined;
  return {
    id: stateId(node),
    name: node.key,
    type: node.type,
    initial: initial?.key ?? null,
    entry: node.entry.map(actionText),
    exit: node.exit.map(actionText),
    description: node.description ?? '',
    edges: edgesOf(node).map(edgeOf),
    states: Object.values(node.states).map(stateOf),
  };
}

function edgeOf(transition: AnyTransitionDefinition): EdgeDefinition {
  const { source, target, eventType, guard, actions, reenter, description } = transition;
  const id = edgeId(transition);
  if (id === null) throw new Error(`an edge of ${source.id} is in no chart`);
  return {
    id,
    source: stateId(source),
    targets: (target ?? []).map(stateId),
    event: eventType,
    guards: conditionsOf(guard),
    actions: actions.map(actionText),
    isReentering: reenter,
    description: description ?? '',
  };
}

/** The conditions that must all be met: `and` is taken apart, `not a` and `a or b` stay one condition. */
function conditionsOf(guard: unknown): string[] {
  if (guard === undefined) return [];
  const inner = innerGuards(guard);
  return inner?.kind === 'and' ? inner.guards.flatMap(conditionsOf) : [guardText(guard)];
}

/** A guard as text: its name with its parameters, or the text of the guards that it combines. */
export function guardText(guard: unknown): string {
  const inner = innerGuards(guard);
  if (inner === null) return named('a guard', guard);
  const texts = inner.guards.map((one) =>
    innerGuards(one) ? `(${guardText(one)})` : guardText(one),
  );
  return inner.kind === 'not' ? `not ${texts.join()}` : texts.join(` ${inner.kind} `);
}

type InnerGuards = { kind: 'and' | 'or' | 'not'; guards: readonly unknown[] };

/** The guards that `and`, `or` or `not` combines; null for a named guard. */
function innerGuards(guard: unknown): InnerGuards | null {
  if (typeof guard !== 'function' || !('guards' in guard) || !Array.isArray(guard.guards))
    return null;
  const kind = guard.name;
  if (kind !== 'and' && kind !== 'or' && kind !== 'not') return null;
  return { kind, guards: guard.guards };
}

/** An action as text: its name and, in brackets, what its parameters say. */
const actionText = (action: unknown): string => named('an action', action);

function named(what: string, object: unknown): string {
  if (typeof object === 'string') return object;
  if (typeof object === 'object' && object !== null && 'type' in object) {
    const params = 'params' in object ? object.params : undefined;
    const name = String(object.type);
    if (params === undefined) return name;
    if (typeof params === 'object' && params !== null)
      return `${name}(${Object.values(params).map(String).join(', ')})`;
  }
  throw new Error(`${what} of a chart is no name`);
}
