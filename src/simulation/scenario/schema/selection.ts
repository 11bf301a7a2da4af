/**
 * Selects the nodes that a line of a scenario names: "all", "3", "0..9", a role, "hubs:10", "random:5", joined by
 * commas.
 */
import type { Draw } from '../../world/randomness.ts';

export type Selection = readonly Part[];
type Part =
  | { kind: 'all' }
  | { kind: 'range'; first: number; last: number }
  /** The nodes with this role in the scenario's `nodes`. */
  | { kind: 'role'; role: string }
  /** The nodes with the most channels. */
  | { kind: 'hubs'; count: number }
  /** So many different nodes, chosen at random. */
  | { kind: 'random'; count: number };

/** The facts of a node by which it can be selected. */
export type Selectable = { index: number; role: string; degree: number };

/** Null when the text is no selection. Numbers have at most six digits. */
export function parseSelection(text: string): Selection | null {
  const parts = text.split(',').map((part) => parsePart(part.trim()));
  return parts.every((part) => part !== null) ? parts : null;
}

function parsePart(text: string): Part | null {
  if (text === 'all') return { kind: 'all' };
  const range = /^(\d{1,6})(?:\.\.(\d{1,6}))?$/.exec(text);
  if (range !== null) {
    const first = Number(range[1]);
    const last = range[2] === undefined ? first : Number(range[2]);
    return first <= last ? { kind: 'range', first, last } : null;
  }
  const counted = /^(hubs|random):(\d{1,6})$/.exec(text);
  if (counted !== null) {
    const count = Number(counted[2]);
    if (count === 0) return null;
    return counted[1] === 'hubs' ? { kind: 'hubs', count } : { kind: 'random', count };
  }
  return isRole(text) ? { kind: 'role', role: text } : null;
}

/** Whether the text is a role: lower-case letters, digits and underscores, but not "all". */
export function isRole(text: string): boolean {
  return /^[a-z][a-z0-9_]{0,39}$/.test(text) && text !== 'all';
}

/** The selected nodes, each once, ordered by index. `draw` is only used for "random:5". */
export function select<T extends Selectable>(
  selection: Selection,
  nodes: readonly T[],
  draw: Draw,
): T[] {
  const chosen = new Set(selection.flatMap((part) => selectPart(part, nodes, draw)));
  return nodes.filter((node) => chosen.has(node));
}

function selectPart<T extends Selectable>(part: Part, nodes: readonly T[], draw: Draw): T[] {
  switch (part.kind) {
    case 'all':
      return [...nodes];
    case 'range':
      return nodes.filter(({ index }) => index >= part.first && index <= part.last);
    case 'role':
      return nodes.filter(({ role }) => role === part.role);
    case 'hubs':
      return nodes
        .toSorted((a, b) => b.degree - a.degree || a.index - b.index)
        .slice(0, part.count);
    case 'random':
      return shuffled(nodes, draw).slice(0, part.count);
  }
}

function shuffled<T>(nodes: readonly T[], draw: Draw): T[] {
  const rest = [...nodes];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(draw.integer(0, rest.length - 1), 1));
  return order;
}

/** The text that `parseSelection` reads. */
export function selectionText(selection: Selection): string {
  return selection.map(partText).join(', ');
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'all':
      return 'all';
    case 'range':
      return part.first === part.last ? `${part.first}` : `${part.first}..${part.last}`;
    case 'role':
      return part.role;
    case 'hubs':
    case 'random':
      return `${part.kind}:${part.count}`;
  }
}
