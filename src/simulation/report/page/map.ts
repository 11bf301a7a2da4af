/**
 * The network as a map: who has channels with whom, how much went through them, and who was robbed or robbed
 * others.
 */

import { larger } from '../../../basics/amount.ts';
import { type MapPoint, placeNodes } from '../../../inspector/place-nodes.ts';
import { sum } from '../results/figures.ts';
import { countOf, plain, tokens } from '../results/numbers.ts';
import type { ChannelResult, NodeResult, RunResult } from '../results/result.ts';
import { shareOf } from '../results/statistics.ts';
import { short, toldAt } from './chart.ts';
import { type Markup, markup } from './markup.ts';
import { drawnPanel } from './panel.ts';

/** More could neither be drawn within a second nor be told apart. */
const MOST_NODES = 1000;
const MOST_CHANNELS = 5000;
/** How many nodes have their names on the map: those through which most went. */
const NAMED = { wide: 24, narrow: 6 };
const PADDING = 26;
/** Widths of lines that can be told apart. */
const STEPS = 60;
/** The line of the channel through which most went, in pixels, and the thinnest that can still be seen. */
const WIDEST = { wide: 6, narrow: 3 };
const THINNEST = 0.3;
/** The node through which most went has so many times the radius that the least visible one has. */
const SPOT_SHARES = { least: 0.25, most: 1.6 };

type Spot = { node: NodeResult; place: MapPoint; radius: number; rank: number };
type Mapped = {
  spots: readonly Spot[];
  /** Lines that look the same, which are drawn as one path. */
  lines: readonly Lines[];
};
/** `share`: of what went through the busiest channel, for those that are open and used. */
type Lines = {
  kind: 'unused' | 'closed' | 'flow';
  share: number;
  ends: readonly [MapPoint, MapPoint][];
};

/** Null when there are no nodes. */
export function mapPanel(result: RunResult): Markup | null {
  if (result.nodes.length === 0) return null;
  const mapped = mapOf(result);
  const summary = mapWords(result, mapped);
  return drawnPanel({
    title: 'Who is connected and what went through',
    summary,
    size: 'map',
    legend: [
      { name: 'honest', ink: 'honest' },
      { name: 'honest and robbed', ink: 'robbed' },
      { name: 'attacker', ink: 'attacker' },
      { name: 'closed channel', ink: 'closed' },
    ],
    draw: (width) => drawMap(mapped, result, width, summary),
  });
}

function mapOf({ nodes, channels }: RunResult): Mapped {
  const through = new Map<number, bigint>();
  const add = (index: number, amount: bigint) =>
    through.set(index, (through.get(index) ?? 0n) + amount);
  for (const channel of channels) {
    add(channel.a, flowOf(channel));
    add(channel.b, flowOf(channel));
  }
  const busiest = nodes.toSorted(
    (a, b) =>
      descending(through.get(a.index) ?? 0n, through.get(b.index) ?? 0n) || a.index - b.index,
  );
  const shown = busiest.slice(0, MOST_NODES);
  const positions = new Map(shown.map(({ index }, at) => [index, at]));
  const drawn = channels
    .filter(({ a, b }) => positions.has(a) && positions.has(b))
    .sort((a, b) => descending(flowOf(a), flowOf(b)))
    .slice(0, MOST_CHANNELS);
  const places = placesOf(shown, drawn, positions);
  const most = Number(through.get(shown[0]?.index ?? 0) ?? 0n);
  const base = 2 + 9 / Math.sqrt(Math.sqrt(shown.length));
  const spots = shown.map((node, rank) => {
    const share = most === 0 ? 0 : Number(through.get(node.index) ?? 0n) / most;
    // The area stands for the amount.
    const size = Math.max(SPOT_SHARES.least, SPOT_SHARES.most * Math.sqrt(share));
    return { node, rank, place: places[rank] ?? CENTRE, radius: base * size };
  });
  return { spots, lines: linesOf(drawn, places, positions) };
}

const CENTRE: MapPoint = { x: 0.5, y: 0.5 };

function placesOf(
  nodes: readonly NodeResult[],
  channels: readonly ChannelResult[],
  positions: ReadonlyMap<number, number>,
): MapPoint[] {
  const edges = channels.map(({ a, b }) => ({
    from: positions.get(a) ?? 0,
    to: positions.get(b) ?? 0,
  }));
  return placeNodes(nodes.length, edges);
}

function linesOf(
  channels: readonly ChannelResult[],
  places: readonly MapPoint[],
  positions: ReadonlyMap<number, number>,
): Mapped['lines'] {
  const ends = (channel: ChannelResult): [MapPoint, MapPoint] => [
    places[positions.get(channel.a) ?? 0] ?? CENTRE,
    places[positions.get(channel.b) ?? 0] ?? CENTRE,
  ];
  const open = channels.filter(({ state }) => state === 'open');
  const most = channels.map(flowOf).reduce(larger, 0n);
  const flows = new Map<number, [MapPoint, MapPoint][]>();
  for (const channel of open.filter((one) => flowOf(one) > 0n)) {
    const share = Math.ceil(shareOf(flowOf(channel), most) * STEPS) / STEPS;
    flows.set(share, [...(flows.get(share) ?? []), ends(channel)]);
  }
  const used = [...flows].sort(([a], [b]) => a - b);
  const unused = open.filter((one) => flowOf(one) === 0n).map(ends);
  const closed = channels.filter(({ state }) => state !== 'open').map(ends);
  const lines: Lines[] = [
    { kind: 'unused', share: 0, ends: unused },
    { kind: 'closed', share: 0, ends: closed },
    ...used.map(([share, places]): Lines => ({ kind: 'flow', share, ends: places })),
  ];
  return lines.filter((line) => line.ends.length > 0);
}

function drawMap(
  { spots, lines }: Mapped,
  result: RunResult,
  width: number,
  summary: string,
): Markup {
  const height = Math.round(Math.min(width, Math.max(300, width * 0.56)));
  const size = Math.min(1, width / 760);
  const at = ({ x, y }: MapPoint) => ({
    x: short(PADDING + x * (width - 2 * PADDING)),
    y: short(PADDING + y * (height - 2 * PADDING)),
  });
  const widest = width > 500 ? WIDEST.wide : WIDEST.narrow;
  const paths = lines.map(({ kind, share, ends }) => {
    const path = ends.map(([from, to]) => `M${at(from).x} ${at(from).y}L${at(to).x} ${at(to).y}`);
    if (kind !== 'flow') return markup`<path class="${kind}" d="${path.join('')}"/>`;
    const pixels = Math.max(THINNEST, Number((share * widest).toFixed(2)));
    return markup`<path class="flow" stroke-width="${pixels}" d="${path.join('')}"/>`;
  });
  const told = spots.map((spot) => {
    const { x, y } = at(spot.place);
    return toldAt(x, y, spotText(spot, result));
  });
  const names = namedSpots(spots, width, height).map(({ node, place, radius }) => {
    const { x, y } = at(place);
    return markup`<text class="mid name" x="${x}" y="${short(Number(y) - radius * size - 5)}">${node.name}</text>`;
  });
  // The busiest nodes are drawn last, over the others.
  const dots = spots.map((spot) => drawSpot(spot, at(spot.place), size)).reverse();
  return markup`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" tabindex="0" aria-label="Map of the network. ${summary}" data-free="yes" data-points="${told.join('\n')}">${paths}${dots}${names}<circle class="pointer" cx="-99" cy="-99" r="11"/></svg>`;
}

/** The busiest nodes, except those whose name would overlap another. */
function namedSpots(spots: readonly Spot[], width: number, height: number): Spot[] {
  const named: Spot[] = [];
  for (const spot of spots.slice(0, width > 500 ? NAMED.wide : NAMED.narrow)) {
    const { x, y } = spot.place;
    const isFree = named.every(
      ({ place }) => Math.abs(place.x - x) * width > 80 || Math.abs(place.y - y) * height > 20,
    );
    if (isFree) named.push(spot);
  }
  return named;
}

/** Attackers are squares, so that not only their colour shows them. */
function drawSpot(
  { node, radius }: Spot,
  { x, y }: { x: string; y: string },
  size: number,
): Markup {
  const r = radius * size;
  if (node.isHonest && node.loss === 0n)
    return markup`<circle class="spot" cx="${x}" cy="${y}" r="${short(r)}"/>`;
  if (node.isHonest)
    return markup`<circle class="spot robbed" cx="${x}" cy="${y}" r="${short(r + 2)}"/>`;
  return markup`<rect class="spot attacker" x="${short(Number(x) - r)}" y="${short(Number(y) - r)}" width="${short(2 * r)}" height="${short(2 * r)}"/>`;
}

function spotText({ node }: Spot, { token }: RunResult): string {
  const parts = [
    `${node.name} (${node.role})`,
    `sent ${plain(node.sent, 0)}, received ${plain(node.received, 0)}, passed on ${plain(node.mediated, 0)}`,
    `earned ${tokens(node.feesEarned, token)}`,
    node.loss > 0n ? `lost ${tokens(node.loss, token)}` : '',
    node.kills > 0 ? `killed ${countOf(node.kills, 'time')}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function mapWords({ nodes, channels, token }: RunResult, { spots, lines }: Mapped): string {
  const shown = lines.reduce((count, { ends }) => count + ends.length, 0);
  const isWhole = spots.length === nodes.length && shown === channels.length;
  const cut = isWhole
    ? ''
    : ` Drawn are the busiest: ${plain(spots.length, 0)} nodes and ${countOf(shown, 'channel')}.`;
  const flow = tokens(sum(channels.map(flowOf)), token);
  const most = channels.map(flowOf).reduce(larger, 0n);
  const key =
    most === 0n
      ? ''
      : ` The widest line stands for ${tokens(most, token)}: widths of lines and areas of nodes are in proportion.`;
  return `${countOf(nodes.length, 'node')}, ${countOf(channels.length, 'channel')}; ${flow} went through them.${key}${cut}`;
}

function flowOf({ flowAB, flowBA }: ChannelResult): bigint {
  return flowAB + flowBA;
}

function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
