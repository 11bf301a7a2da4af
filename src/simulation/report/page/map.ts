/**
 * The network as a map: who has channels with whom, how much went through them, and who was robbed or robbed
 * others.
 */

import { larger } from '../../../basics/amount.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type MapPoint, placeNodes } from '../../../inspector/place-nodes.ts';
import { sum } from '../results/figures.ts';
import type { ChannelResult, NodeResult, RunResult } from '../results/result.ts';
import { sayAmount, sayCount, textOf, type Words } from '../results/said.ts';
import { shareOf } from '../results/statistics.ts';
import { claimMarkup } from './figure.ts';
import { short } from './frame.ts';
import { type Markup, markup } from './markup.ts';
import { drawnPanel } from './panel.ts';

/** More could neither be drawn within a second nor be told apart. */
const MOST_NODES = 1000;
const MOST_CHANNELS = 5000;
/** How many nodes have their names on the map: those through which most went. */
const NAMED = { wide: 24, narrow: 6 };
/** Room for the name above the largest node. */
const PADDING = 38;
/** Widths of lines that can be told apart. */
const STEPS = 60;
/** The line of the channel through which most went, in pixels, and the thinnest that can still be seen. */
const WIDEST = { wide: 6, narrow: 3 };
const THINNEST = 0.3;
/** The node through which most went has so many times the radius that the least visible one has. */
const SPOT_SHARES = { least: 0.25, most: 1.6 };
/** A square of this side has the area of a circle with a radius of 1. */
const SQUARE = Math.sqrt(Math.PI);

/** `through`: what went through the node's channels. */
type Spot = { node: NodeResult; through: bigint; place: MapPoint; radius: number };
type Mapped = {
  spots: readonly Spot[];
  /** Lines that look the same, which are drawn as one path. */
  lines: readonly Lines[];
  /** What went through the open channel with the widest line. */
  most: bigint;
};
type DrawnChannel = { channel: ChannelResult; from: MapPoint; to: MapPoint };
/** `steps`: width of the line, of the most that there are, for channels that are open and used. */
type Lines = {
  kind: 'unused' | 'closed' | 'flow';
  steps: number;
  drawn: readonly DrawnChannel[];
};

/** Null when there are no nodes. */
export function mapPanel(result: RunResult): Markup | null {
  if (result.nodes.length === 0) return null;
  const mapped = mapOf(result);
  const summary = mapWords(result, mapped);
  return drawnPanel({
    title: 'Who is connected and what went through',
    summary,
    readouts: mapped.spots.map((spot) => spotWords(spot, result)),
    size: 'map',
    legend: [
      { name: 'honest', ink: 'honest' },
      { name: 'honest and robbed', ink: 'robbed' },
      { name: 'attacker', ink: 'attacker' },
      { name: 'closed channel', ink: 'closed' },
    ],
    draw: (width) => drawMap(mapped, width, textOf(summary)),
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
    const own = through.get(node.index) ?? 0n;
    const share = most === 0 ? 0 : Number(own) / most;
    // The area stands for the amount.
    const size = Math.max(SPOT_SHARES.least, SPOT_SHARES.most * Math.sqrt(share));
    return { node, through: own, place: places[rank] ?? CENTRE, radius: base * size };
  });
  return { spots, ...linesOf(drawn, places, positions) };
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
): Pick<Mapped, 'lines' | 'most'> {
  const placed = channels.map((channel) => ({
    channel,
    from: places[positions.get(channel.a) ?? 0] ?? CENTRE,
    to: places[positions.get(channel.b) ?? 0] ?? CENTRE,
  }));
  const open = placed.filter(({ channel }) => channel.state === 'open');
  const most = open.map(({ channel }) => flowOf(channel)).reduce(larger, 0n);
  const flows = new Map<number, DrawnChannel[]>();
  for (const one of open.filter(({ channel }) => flowOf(channel) > 0n))
    getOrMake(flows, Math.ceil(shareOf(flowOf(one.channel), most) * STEPS), () => []).push(one);
  const used = [...flows].sort(([a], [b]) => a - b);
  const lines: Lines[] = [
    { kind: 'unused', steps: 0, drawn: open.filter(({ channel }) => flowOf(channel) === 0n) },
    { kind: 'closed', steps: 0, drawn: placed.filter(({ channel }) => channel.state !== 'open') },
    ...used.map(([steps, drawn]): Lines => ({ kind: 'flow', steps, drawn })),
  ];
  return { lines: lines.filter(({ drawn }) => drawn.length > 0), most };
}

function drawMap({ spots, lines }: Mapped, width: number, summary: string): Markup {
  const height = Math.round(Math.min(width, Math.max(300, width * 0.56)));
  const size = Math.min(1, width / 760);
  const at = ({ x, y }: MapPoint) => ({
    x: short(PADDING + x * (width - 2 * PADDING)),
    y: short(PADDING + y * (height - 2 * PADDING)),
  });
  const widest = width > 500 ? WIDEST.wide : WIDEST.narrow;
  const paths = lines.map(({ kind, steps, drawn }) => {
    const path = drawn.map(
      ({ from, to }) => `M${at(from).x} ${at(from).y}L${at(to).x} ${at(to).y}`,
    );
    const ends = drawn.map(({ channel: { a, b } }) => `${a}-${b}`).join(' ');
    const pixels = Math.max(THINNEST, Number(((steps / STEPS) * widest).toFixed(2)));
    const stroke = kind === 'flow' ? markup` stroke-width="${pixels}"` : null;
    return markup`<path class="${kind}"${stroke} d="${path.join('')}" data-channels="${ends}"/>`;
  });
  const told = spots.map(({ place }) => `${at(place).x} ${at(place).y}`);
  const names = namedSpots(spots, width, height).map(({ node, place, radius }) => {
    const { x, y } = at(place);
    return markup`<text class="mid name" x="${x}" y="${short(Number(y) - radius * size - 5)}">${node.name}</text>`;
  });
  // The busiest nodes are drawn last, over the others.
  const dots = spots.map((spot) => drawSpot(spot, at(spot.place), size)).reverse();
  return markup`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" tabindex="0" aria-label="Map of the network. ${summary}" data-free="yes" data-places="${told.join('\n')}">${paths}${dots}${names}<circle class="pointer" cx="-99" cy="-99" r="11"/></svg>`;
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
  { node, through, radius }: Spot,
  { x, y }: { x: string; y: string },
  size: number,
): Markup {
  const r = radius * size;
  const claim = claimMarkup({ of: `node:${node.index}/through`, value: through, unit: 'token' });
  if (node.isHonest) {
    const kind = node.loss === 0n ? 'spot' : 'spot robbed';
    return markup`<circle class="${kind}" cx="${x}" cy="${y}" r="${r.toFixed(2)}"${claim}/>`;
  }
  const side = r * SQUARE;
  const [left, top] = [Number(x) - side / 2, Number(y) - side / 2];
  return markup`<rect class="spot attacker" x="${left.toFixed(2)}" y="${top.toFixed(2)}" width="${side.toFixed(2)}" height="${side.toFixed(2)}"${claim}/>`;
}

function spotWords({ node, through }: Spot, { token }: RunResult): Words {
  const of = `node:${node.index}`;
  return [
    ...[`${node.name} (${node.role}), sent `, sayCount(`${of}/sent`, node.sent)],
    ...[', received ', sayCount(`${of}/received`, node.received)],
    ...[', passed on ', sayCount(`${of}/mediated`, node.mediated)],
    ...[', in all ', sayAmount(`${of}/through`, through, token), ' through its channels'],
    ...[', earned ', sayAmount(`${of}/fees_earned`, node.feesEarned, token)],
    ...(node.loss > 0n ? [', lost ', sayAmount(`${of}/loss`, node.loss, token)] : []),
    ...(node.kills > 0 ? [', killed ', sayCount(`${of}/kills`, node.kills, 'time')] : []),
  ];
}

function mapWords({ nodes, channels, token }: RunResult, { spots, lines, most }: Mapped): Words {
  const shown = lines.reduce((count, { drawn }) => count + drawn.length, 0);
  const isWhole = spots.length === nodes.length && shown === channels.length;
  const cut = isWhole
    ? []
    : [
        ...[' Drawn are the busiest: ', sayCount('map/nodes', spots.length), ' nodes and '],
        ...[sayCount('map/channels', shown, 'channel'), '.'],
      ];
  const key =
    most === 0n
      ? []
      : [
          ...[' The widest line stands for ', sayAmount('map/most_flow', most, token)],
          ': widths of lines and areas of nodes are in proportion, as far as that can be seen.',
        ];
  return [
    ...[sayCount('nodes/count', nodes.length, 'node'), ', '],
    ...[sayCount('channels/count', channels.length, 'channel'), '; '],
    sayAmount('channels/flow', sum(channels.map(flowOf)), token),
    ...[' went through them.', ...key, ...cut],
  ];
}

function flowOf({ flowAB, flowBA }: ChannelResult): bigint {
  return flowAB + flowBA;
}

function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
