/** The network as a drawing: nodes, channels with the capacity of each side, and moving payments. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AmountText } from '../../page-parts/amount.tsx';
import { permille } from '../../page-parts/digits.ts';
import { amountFigure } from '../../page-parts/labels.ts';
import { textAt } from '../base/fields.ts';
import type { MessageFlow } from './flows.ts';
import { between, type MapPlace, nodePlaces, type Sheet, sheetFor } from './places.ts';
import { agreementOf, type NodeSide, type SeenChannel } from './sides.ts';
import type { NetworkNode } from './watch.ts';

type GraphProps = {
  nodes: readonly NetworkNode[];
  channels: readonly SeenChannel[];
  flows: readonly MessageFlow[];
  /** Names of nodes that do not answer. */
  away: ReadonlySet<string>;
  /** Not all nodes have answered yet: a channel that only one side shows may still be confirmed by the other. */
  isAsking: boolean;
  /** The id of the channel that is open beside the drawing. */
  chosen: string | null;
  onChoose(id: string): void;
  /** A line was drawn from one node to another; absent: none can be. */
  onDrawn?: ((ends: { from: string; to: string }) => void) | undefined;
};

/** With more channels only the chosen one shows its capacities: the figures would overlap. */
const MOST_FIGURES = 16;
const VERDICTS = {
  agreed: '',
  alone: ' · one side only',
  underWay: ' · on its way',
  disputed: ' · DISAGREE',
};

export function NetworkGraph(props: GraphProps) {
  const { nodes, channels, away, flows, isAsking, chosen, onChoose, onDrawn } = props;
  const sheet = sheetFor(nodes.length);
  const shape = channels.map((channel) => endsOf(channel, nodes).join()).join(' ');
  // Not computed with each payment: the places depend only on which nodes have channels with each other.
  const places = useMemo(() => placesIn(nodes, channels, sheet), [nodes, shape]);
  const wires = channels.flatMap((channel) => wireOf(channel, { nodes, places, isAsking }) ?? []);
  const drawing = useDrawnLine(onDrawn);
  const most = wires.reduce((most, { left, right }) => {
    const capacity = left.capacity + right.capacity;
    return capacity > most ? capacity : most;
  }, 0n);
  return (
    <>
      <svg
        class="network-graph"
        viewBox={`0 0 ${sheet.width} ${sheet.height}`}
        aria-hidden="true"
        {...drawing.sheet}
      >
        {wires.map((wire) => (
          <WireLine
            key={wire.channel.id}
            wire={wire}
            isChosen={wire.channel.id === chosen}
            hasFigures={wires.length <= MOST_FIGURES || wire.channel.id === chosen}
            breadth={permille(wire.left.capacity + wire.right.capacity, most) / 1000}
            onChoose={() => onChoose(wire.channel.id)}
          />
        ))}
        {drawing.line !== null && <DrawnLine {...drawing.line} places={places} />}
        {nodes.map(({ name }) => {
          const place = places.get(name) ?? { x: 0, y: 0 };
          return (
            <g
              key={name}
              class={away.has(name) ? 'network-node away' : 'network-node'}
              transform={`translate(${place.x} ${place.y})`}
              {...drawing.node(name)}
            >
              <circle r={sheet.radius} />
              <text>{away.has(name) ? `✕ ${name}` : name}</text>
            </g>
          );
        })}
        {flows.slice(-24).map((flow) => (
          <FlowDot key={flow.id} flow={flow} nodes={nodes} places={places} />
        ))}
      </svg>
      {onDrawn && <p class="mark-quiet">Draw a line between two nodes to open a channel.</p>}
      <div class="network-channels">
        {wires.map(({ channel, token, left, right, verdict }) => (
          <button
            key={channel.id}
            type="button"
            aria-pressed={channel.id === chosen}
            onClick={() => onChoose(channel.id)}
          >
            {left.name} can pay <AmountText value={left.capacity} token={token} /> · {right.name}{' '}
            can pay <AmountText value={right.capacity} token={token} />
            {VERDICTS[verdict]}
          </button>
        ))}
      </div>
    </>
  );
}

/** A line that the pointer draws from a node: `at` is where it is now, in the units of the sheet. */
type Line = { from: string; at: MapPlace };

/**
 * Follows the pointer from one node to another. The form below the drawing opens the channel: it does the same for the
 * keyboard.
 */
function useDrawnLine(onDrawn: GraphProps['onDrawn']) {
  const [line, setLine] = useState<Line | null>(null);
  if (onDrawn === undefined) return { line, sheet: {}, node: () => ({}) };
  return {
    line,
    sheet: {
      onPointerMove(event: PointerEvent & { currentTarget: SVGSVGElement }) {
        const at = pointIn(event.currentTarget, event);
        if (at !== null) setLine((now) => now && { ...now, at });
      },
      onPointerUp: () => setLine(null),
      onPointerLeave: () => setLine(null),
    },
    node: (name: string) => ({
      onPointerDown(event: PointerEvent & { currentTarget: SVGGElement }) {
        const { ownerSVGElement: sheet } = event.currentTarget;
        const at = sheet && pointIn(sheet, event);
        if (at !== null) setLine({ from: name, at });
        event.preventDefault();
      },
      onPointerUp() {
        if (line !== null && line.from !== name) onDrawn({ from: line.from, to: name });
      },
    }),
  };
}

function pointIn(sheet: SVGSVGElement, { clientX, clientY }: PointerEvent): MapPlace | null {
  const place = sheet.getScreenCTM();
  if (place === null) return null;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(place.inverse());
  return { x, y };
}

function DrawnLine({ from, at, places }: Line & { places: ReadonlyMap<string, MapPlace> }) {
  const begin = places.get(from);
  if (begin === undefined) return null;
  return <Segment kind="network-drawn" from={begin} to={at} />;
}

type SegmentProps = { kind: string; from: MapPlace; to: MapPlace; width?: number };

function Segment({ kind, from, to, width }: SegmentProps) {
  return (
    <line class={kind} style={{ strokeWidth: width }} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
  );
}

/** The indexes of the channel's two nodes in `nodes`; fewer when one of them is not in this network. */
function endsOf({ sides: [first] }: SeenChannel, nodes: readonly NetworkNode[]): number[] {
  const partner = first.view.money?.partner.address;
  const ends = [
    nodes.findIndex(({ name }) => name === first.node),
    nodes.findIndex(({ address }) => address === partner),
  ];
  return ends.filter((at) => at >= 0);
}

function placesIn(nodes: readonly NetworkNode[], channels: readonly SeenChannel[], sheet: Sheet) {
  const edges = channels.flatMap((channel) => {
    const [from, to] = endsOf(channel, nodes);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  return nodePlaces(
    nodes.map(({ name }) => name),
    edges,
    sheet,
  );
}

/** `label`: the capacity as it is written. */
type End = { name: string; place: MapPlace; capacity: bigint; label: string };
type Wire = {
  channel: SeenChannel;
  token: string | null;
  left: End;
  right: End;
  verdict: ReturnType<typeof agreementOf>['verdict'];
};

type Surroundings = Pick<GraphProps, 'nodes' | 'isAsking'> & {
  places: ReadonlyMap<string, MapPlace>;
};

function wireOf(channel: SeenChannel, { nodes, places, isAsking }: Surroundings): Wire | null {
  const [first, second] = channel.sides;
  const { money } = first.view;
  const partner = nodes.find(({ address }) => address === money?.partner.address);
  const [from, to] = [places.get(first.node), places.get(partner?.name ?? '')];
  if (money === null || partner === undefined || from === undefined || to === undefined)
    return null;
  const token = textAt(first.view.context, 'token');
  const end = (name: string, place: MapPlace, capacity: bigint): End => {
    return { name, place, capacity, label: amountFigure(capacity, token) };
  };
  return {
    channel,
    token,
    left: end(first.node, from, capacityOf(first)),
    right: end(
      partner.name,
      to,
      second === undefined ? money.partner.capacity : capacityOf(second),
    ),
    verdict: isAsking && channel.sides.length < 2 ? 'agreed' : agreementOf(channel).verdict,
  };
}

/** The capacity of a side as its own node shows it. */
function capacityOf({ view }: NodeSide): bigint {
  return view.money?.own.capacity ?? 0n;
}

type WireLineProps = {
  wire: Wire;
  isChosen: boolean;
  hasFigures: boolean;
  /** The channel's capacity as a part of the largest channel's, from 0 to 1. */
  breadth: number;
  onChoose(): void;
};

/** A line in two colours: the part of each side shows how much it can pay. */
function WireLine({ wire, isChosen, hasFigures, breadth, onChoose }: WireLineProps) {
  const { left, right, verdict } = wire;
  const width = { width: 2 + 7 * Math.sqrt(breadth) };
  const share = permille(left.capacity, left.capacity + right.capacity) / 1000;
  const meeting = between(left.place, right.place, 0.15 + 0.7 * share);
  const middle = between(left.place, right.place, 0.5);
  const classes = ['network-wire', verdict, isChosen ? 'chosen' : ''].join(' ');
  return (
    // The buttons below the drawing do the same.
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the mouse
    <g class={classes} onClick={onChoose}>
      <Segment kind="reach" from={left.place} to={right.place} />
      <Segment kind="left" from={left.place} to={meeting} {...width} />
      <Segment kind="right" from={meeting} to={right.place} {...width} />
      {hasFigures &&
        [
          { ...left, at: between(left.place, right.place, 0.32, 16) },
          { ...right, at: between(left.place, right.place, 0.68, -16) },
        ].map(({ name, label, at }) => (
          <text key={name} class="capacity" x={at.x} y={at.y}>
            {label}
          </text>
        ))}
      {verdict === 'agreed' ? null : (
        <text x={middle.x} y={middle.y - 10}>
          {verdict === 'disputed' ? '≠ disagree' : verdict === 'underWay' ? '… on its way' : '½'}
        </text>
      )}
    </g>
  );
}

const SHAPES = { lock: 9, unlock: 9, expired: 7, secret: 5 } satisfies Record<
  MessageFlow['kind'],
  number
>;
const FLIGHT_MS = 900;

/** Moves once from sender to receiver; for readers who want no motion it stays near the receiver for a while. */
function FlowDot({
  flow,
  nodes,
  places,
}: {
  flow: MessageFlow;
  nodes: readonly NetworkNode[];
  places: ReadonlyMap<string, MapPlace>;
}) {
  const dot = useRef<SVGCircleElement>(null);
  const from = places.get(flow.from);
  const to = places.get(nodes.find(({ address }) => address === flow.to)?.name ?? '');
  // Only when the message is new: drawing the same message again must not repeat the movement.
  useEffect(() => {
    if (dot.current === null || from === undefined || to === undefined) return;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const at = ({ x, y }: MapPlace) => `translate(${x}px, ${y}px)`;
    const start = isStill ? between(from, to, 0.8) : from;
    const frames = [
      { transform: at(start), opacity: 1 },
      { transform: at(isStill ? start : to), opacity: 1, offset: 0.95 },
      { transform: at(isStill ? start : to), opacity: 0 },
    ];
    dot.current.animate(frames, { duration: FLIGHT_MS, fill: 'forwards', easing: 'ease-in-out' });
  }, [flow.id]);
  return <circle ref={dot} class={`network-flow ${flow.kind}`} r={SHAPES[flow.kind]} opacity="0" />;
}
