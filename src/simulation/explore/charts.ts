/** What the charts of the node's actors can meet: which event in which state, whatever guard then decides. */
import type { AnyStateNode } from 'xstate';
import type { Kind } from '../../../machines/contexts.ts';
import { stateId } from '../../inspector/edges.ts';
import { KINDS, kindOf } from '../../node/runtime/kinds.ts';

/** A state that says what becomes of an event, by its path in the chart; '' is the chart itself. */
export type Pair = { kind: Kind; state: string; event: string };

/** What an event of any type of this kind is written as in a chart. */
const ANY = /^[a-z]+\.\*$/;

export const pairKey = ({ kind, state, event }: Pair): string => `${kind}|${state}|${event}`;

/** Every pair of all charts, but for what the runtime of the charts says to itself. */
export function possiblePairs(): Pair[] {
  return Object.keys(KINDS).flatMap((name) => {
    const kind = kindOf(name);
    return withChildren(KINDS[kind].machine.root).flatMap((node) =>
      eventsOf(node).map((event) => ({ kind, state: stateId(node), event })),
    );
  });
}

function withChildren(node: AnyStateNode): AnyStateNode[] {
  return [node, ...childrenOf(node).flatMap(withChildren)];
}

function childrenOf(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states);
}

function eventsOf(node: AnyStateNode): string[] {
  return [...node.transitions.keys()].filter(
    (event) => event !== '' && !event.startsWith('xstate.'),
  );
}

/** The pairs that an event met in a state, which is written as in the journal: of inner states before outer ones. */
export function createPairFinder(): (kind: Kind, state: string, event: string) => readonly Pair[] {
  const active = new Map<string, readonly AnyStateNode[]>();

  function activeIn(kind: Kind, state: string): readonly AnyStateNode[] {
    const key = `${kind}|${state}`;
    const known = active.get(key);
    if (known !== undefined) return known;
    const nodes = activeNodes(KINDS[kind].machine.root, state).nodes;
    active.set(key, nodes);
    return nodes;
  }

  return (kind, state, event) => {
    const takers = activeIn(kind, state).flatMap((node) => {
      const taken = eventsOf(node).find((one) => isTaken(one, event));
      return taken === undefined ? [] : [{ kind, state: stateId(node), event: taken }];
    });
    return takers.filter((one) => !takers.some((other) => isWithin(other.state, one.state)));
  };
}

function isTaken(written: string, event: string): boolean {
  return written === event || (ANY.test(written) && event.startsWith(written.slice(0, -1)));
}

/** The inner state decides first: only when it lets an event pass does the outer one see it. */
function isWithin(inner: string, outer: string): boolean {
  return inner !== outer && (outer === '' || inner.startsWith(`${outer}.`));
}

/** The states that are active below this one, and what of the text tells of others. */
function activeNodes(node: AnyStateNode, text: string): { nodes: AnyStateNode[]; rest: string } {
  const nodes = [node];
  let rest = text;
  const regions =
    node.type === 'parallel' ? childrenOf(node).length : Math.min(1, childrenOf(node).length);
  for (let n = 0; n < regions; n++) {
    const [name = ''] = rest.split(/[.+]/, 1);
    const child = node.states[name];
    if (child === undefined) break;
    const below = activeNodes(child, rest.slice(name.length).replace(/^\./, ''));
    nodes.push(...below.nodes);
    rest = n + 1 < regions ? below.rest.replace(/^\+/, '') : below.rest;
  }
  return { nodes, rest };
}
