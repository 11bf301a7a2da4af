/** The ids of a chart's edges: a definition and a replay use the same ones. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** The state's dotted path below the root (`opened.deposit.idle`); the root's is ''. */
export function stateId(node: AnyStateNode): string {
  return node.path.join('.');
}

/** The state's own transitions, by event in the order of the chart; those without an event come last. */
export function edgesOf(node: AnyStateNode) {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

/**
 * `<state>|<event>|<n>`, where n counts that state's transitions for that event from 0: the second way that
 * an idle deposit takes the command is `opened.deposit.idle|cmd.deposit|1`. Without an event the middle is
 * empty. Null for a transition that no chart draws: the way into an initial state.
 */
export function edgeId(edge: AnyTransitionDefinition): string | null {
  const { source, eventType } = edge;
  const alike = eventType === '' ? source.always : source.transitions.get(eventType);
  const index = alike?.indexOf(edge) ?? -1;
  return index === -1 ? null : `${stateId(source)}|${eventType}|${index}`;
}
