/** The lifelines of a sequence diagram: their names, what they represent, and their order from the left. */
import { personName } from '../../../page-parts/labels.ts';
import { actorName } from '../../base/names.ts';
import type { TraceSource } from './marks.ts';

/**
 * `node`: the node's address; for a caller, that of the node that it calls; null for the chain. `actor`: only for
 * the lifeline of an actor.
 */
export type Lifeline = {
  id: string;
  kind: 'caller' | 'node' | 'actor' | 'partner' | 'chain';
  name: string;
  node: string | null;
  actor: string | null;
};

export const CHAIN = 'chain';
export const nodeLine = (node: string) => `node ${node}`;
export const callerLine = (node: string) => `caller ${node}`;
export const actorLine = (node: string, actor: string) => `actor ${node} ${actor}`;

/**
 * The lifelines that the arrows use. Nodes are in the order of their sources, a node's actors in the order in which
 * they appear.
 */
export function lifelinesOf(
  arrows: readonly { from: string; to: string }[],
  sources: readonly TraceSource[],
): Lifeline[] {
  const ids = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  const payer = sources.length === 1 ? payerOf(arrows, sources[0]?.address ?? '') : null;
  const lines = ids.map((id) => ({ line: lifelineOf(id, sources), rank: 0 }));
  for (const entry of lines) entry.rank = rankOf(entry.line, sources, payer);
  // The sort is stable: lifelines of the same rank stay in the order in which they appear.
  return lines.sort((a, b) => a.rank - b.rank).map(({ line }) => line);
}

/** The payer's lifeline, if it is a partner: the first message with a partner came from it, and no caller took part. */
function payerOf(arrows: readonly { from: string; to: string }[], node: string): string | null {
  if (arrows.some(({ from, to }) => [from, to].includes(callerLine(node)))) return null;
  const isPartner = (id: string) => id.startsWith('node ') && id !== nodeLine(node);
  const first = arrows.find(({ from, to }) => isPartner(from) || isPartner(to));
  return first !== undefined && isPartner(first.from) ? first.from : null;
}

function rankOf(line: Lifeline, sources: readonly TraceSource[], payer: string | null): number {
  if (line.kind === 'chain') return 4 * sources.length + 2;
  const index = sources.findIndex(({ address }) => address === line.node);
  if (index < 0) return line.id === payer ? 1.5 : 4 * sources.length + 1;
  return 4 * index + { caller: 1, node: 2, actor: 3, partner: 3 }[line.kind];
}

function lifelineOf(id: string, sources: readonly TraceSource[]): Lifeline {
  const [kind, node = '', ...rest] = id.split(' ');
  const actor = rest.join(' ');
  const source = sources.find(({ address }) => address === node);
  const name = source?.name ?? personName(node);
  if (kind === 'actor') return { id, kind, name: nameOf(actor), node, actor };
  if (kind === 'caller') return { id, kind, name: 'caller', node, actor: null };
  if (kind === 'chain') return { id, kind, name: 'chain', node: null, actor: null };
  return { id, kind: source === undefined ? 'partner' : 'node', name, node, actor: null };
}

/**
 * `channel 3`, `initiator 0x1234…abcd`, `keeper channel 3`. A channel's token network is left out: all channels here
 * are of the same.
 */
function nameOf(actor: string): string {
  const [machine = ''] = actor.split(':', 1);
  if (machine === 'keeper') return `keeper channel ${actor.split(':').at(-1)}`;
  return `${machine} ${actorName(actor).name}`.trim();
}
