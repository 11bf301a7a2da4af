/** Who has a channel with whom, in each topology. */
import type { Draw } from '../world/randomness.ts';
import type { Scenario } from './schema/schema.ts';

/** A channel; its first node opens it. */
export type Link = readonly [opener: number, partner: number];
type Topology = Exclude<Scenario['network']['topology'], { kind: 'import' }>;
type Of<Kind extends Topology['kind']> = Extract<Topology, { kind: Kind }>;

/** Two nodes have at most one channel; all networks but `empty` are connected. */
export function linksOf(topology: Topology, draw: Draw): Link[] {
  switch (topology.kind) {
    case 'empty':
      return [];
    case 'line':
      return upTo(topology.nodes - 1).map((n) => [n, n + 1]);
    case 'ring':
      return upTo(topology.nodes).map((n) => [n, (n + 1) % topology.nodes]);
    case 'star':
      return upTo(topology.nodes - 1).map((n) => [n + 1, 0]);
    case 'grid':
      return grid(topology);
    case 'complete':
      return complete(topology.nodes);
    case 'scale_free':
      return scaleFree(topology, draw);
    case 'small_world':
      return smallWorld(topology, draw);
  }
}

function upTo(count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, n) => n);
}

function grid({ rows, columns }: Of<'grid'>): Link[] {
  return upTo(rows * columns).flatMap((n) => {
    const links: Link[] = [];
    if ((n + 1) % columns !== 0) links.push([n, n + 1]);
    if (n + columns < rows * columns) links.push([n, n + columns]);
    return links;
  });
}

function complete(nodes: number): Link[] {
  return upTo(nodes).flatMap((a) => upTo(a).map((b): Link => [a, b]));
}

/**
 * The model of Barabási and Albert: begins with `links` + 1 nodes that all have channels with each other; each
 * further node opens `links` channels, preferably to nodes that have many.
 */
function scaleFree({ nodes, links }: Of<'scale_free'>, draw: Draw): Link[] {
  const found = complete(links + 1);
  // Each node is in this list once per channel, so that a plain pick prefers nodes with many.
  const ends = found.flat();
  for (let node = links + 1; node < nodes; node++) {
    const partners = new Set<number>();
    while (partners.size < links) partners.add(draw.pick(ends));
    for (const partner of partners) {
      found.push([node, partner]);
      ends.push(node, partner);
    }
  }
  return found;
}

/**
 * The model of Watts and Strogatz: a ring in which each node has channels with its nearest neighbours; some
 * channels, except those to the very next node, lead to any other node instead. As channels to the next node stay,
 * the network is always connected.
 */
function smallWorld({ nodes, neighbours, rewired }: Of<'small_world'>, draw: Draw): Link[] {
  const known = upTo(nodes).map(() => new Set<number>());
  const connect = (a: number, b: number) => {
    known[a]?.add(b);
    known[b]?.add(a);
  };
  const ring = upTo(neighbours / 2).flatMap((far) =>
    upTo(nodes).map((n): Link => [n, (n + far + 1) % nodes]),
  );
  for (const [a, b] of ring) connect(a, b);
  return ring.map(([a, b], place) => {
    const isFull = (known[a]?.size ?? 0) >= nodes - 1;
    if (place < nodes || isFull || !draw.happens(rewired)) return [a, b];
    let other = draw.integer(0, nodes - 1);
    while (other === a || known[a]?.has(other)) other = draw.integer(0, nodes - 1);
    known[a]?.delete(b);
    known[b]?.delete(a);
    connect(a, other);
    return [a, other];
  });
}
