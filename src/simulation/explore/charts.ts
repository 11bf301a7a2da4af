/** All pairs of state and event that the charts of the node's actors handle, whatever their guards then decide. */

import type { AnyStateNode } from 'xstate';
import type { Kind } from '../../../machines/contexts.ts';
import { getOrMake } from '../../basics/get-or-make.ts';
import { stateId } from '../../inspector/charts/edges.ts';
import { KINDS, kindOf } from '../../node/runtime/actors/kinds.ts';

/** A state that handles an event, by its path in the chart; '' is the chart itself. */
export type Pair = { kind: Kind; state: string; event: string };

/** A wildcard in a chart, which matches all events of one family. */
const ANY = /^[a-z]+\.\*$/;

export const pairKey = ({ kind, state, event }: Pair): string => `${kind}|${state}|${event}`;

/** All pairs of all charts, except for the internal events of XState. */
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

/**
 * Finds the pairs that an event met in a state, which is written as in the journal: of inner states before outer
 * ones.
 */
export function createPairFinder(): (kind: Kind, state: string, event: string) => readonly Pair[] {
  const active = new Map<string, readonly AnyStateNode[]>();

  function activeIn(kind: Kind, state: string): readonly AnyStateNode[] {
    const key = `${kind}|${state}`;
    return getOrMake(active, key, () => activeNodes(KINDS[kind].machine.root, state).nodes);
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

/**
 * Whether one state is inside the other. The inner one decides first: the outer one only sees events that it
 * leaves.
 */
function isWithin(inner: string, outer: string): boolean {
  return inner !== outer && (outer === '' || inner.startsWith(`${outer}.`));
}

/** The active states below this one, and the rest of the text, which is about other regions. */
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
