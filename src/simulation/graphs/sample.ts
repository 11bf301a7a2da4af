/**
 * Chooses some nodes of a graph by a forest fire (Leskovec and Faloutsos 2006): a fire begins at one node and spreads to
 * some of its partners, from each of these to some of theirs, and so on. What burns looks like the whole, with few nodes
 * that have many channels; a plain draw of nodes would leave nearly no channel between them.
 */
import type { NamedChannel } from '../scenario/importing/channel-list.ts';
import type { Draw } from '../world/randomness.ts';

/** The chance that a fire spreads to one more partner: from each node to 2.3 on average. */
const SPREADS = 0.7;

type Sample = { ok: true; channels: NamedChannel[] } | { ok: false; connected: number };

/**
 * The channels among `count` nodes that hang together, out of the largest part of the graph; refused when that part has
 * fewer nodes.
 */
export function sampleOf(channels: readonly NamedChannel[], count: number, draw: Draw): Sample {
  const partners = partnersOf(channels);
  const largest = largestPart(partners);
  if (largest.length < count) return { ok: false, connected: largest.length };
  const burnt = burn(partners, { from: draw.pick(largest), count, draw });
  return { ok: true, channels: channels.filter(({ a, b }) => burnt.has(a) && burnt.has(b)) };
}

type Partners = ReadonlyMap<string, readonly string[]>;

function partnersOf(channels: readonly NamedChannel[]): Partners {
  const partners = new Map<string, string[]>();
  const add = (one: string, other: string) => {
    const known = partners.get(one);
    if (known === undefined) partners.set(one, [other]);
    else known.push(other);
  };
  for (const { a, b } of channels) {
    add(a, b);
    add(b, a);
  }
  return partners;
}

/** The nodes of the largest part in which each can be reached from each. */
function largestPart(partners: Partners): string[] {
  const seen = new Set<string>();
  let largest: string[] = [];
  for (const start of partners.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    const part = [start];
    // The list grows while it is gone through.
    for (const node of part)
      for (const other of partners.get(node) ?? [])
        if (!seen.has(other)) {
          seen.add(other);
          part.push(other);
        }
    if (part.length > largest.length) largest = part;
  }
  return largest;
}

type Fire = { from: string; count: number; draw: Draw };

function burn(partners: Partners, { from, count, draw }: Fire): Set<string> {
  const burnt = new Set([from]);
  const left = (node: string) => (partners.get(node) ?? []).filter((other) => !burnt.has(other));
  /** Burnt nodes that may have partners left, for when the fire dies. */
  const embers = [from];
  let burning = [from];
  while (burnt.size < count) {
    const next: string[] = [];
    for (const node of burning.length > 0 ? burning : [ember(embers, left, draw)])
      for (const other of chosen(left(node), { draw, least: burning.length > 0 ? 0 : 1 })) {
        if (burnt.size === count) break;
        burnt.add(other);
        embers.push(other);
        next.push(other);
      }
    burning = next;
  }
  return burnt;
}

/** A burnt node with partners that are left; those without are forgotten. */
function ember(embers: string[], left: (node: string) => string[], draw: Draw): string {
  for (;;) {
    const at = draw.integer(0, embers.length - 1);
    const node = embers[at];
    if (node !== undefined && left(node).length > 0) return node;
    const last = embers.pop();
    if (last !== undefined && at < embers.length) embers[at] = last;
  }
}

/** As many as chance wants, at least `least`, each as likely. */
function chosen(from: string[], { draw, least }: { draw: Draw; least: number }): string[] {
  const found: string[] = [];
  while (from.length > 0 && (found.length < least || draw.happens(SPREADS)))
    found.push(...from.splice(draw.integer(0, from.length - 1), 1));
  return found;
}
