/** The network as a drawing: nodes, channels with what each side can pay, and moving payments. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { permille } from '../../page-parts/digits.ts';
import { ChannelButtons } from './channel-buttons.tsx';
import { useDrawnLine } from './drawn-line.tsx';
import { FlowDot } from './flow-dot.tsx';
import type { MessageFlow } from './flows.ts';
import { GraphLegend } from './graph-legend.tsx';
import { OpenForm } from './open-form.tsx';
import { OpeningLine } from './opening-line.tsx';
import { type MapPlace, NARROW, nodePlaces, type Sheet, sheetFor } from './places.ts';
import type { DevnetPlay } from './play/play.ts';
import type { SeenChannel } from './sides.ts';
import type { NetworkNode, Opening } from './watched.ts';
import { Segment, WireLine } from './wire.tsx';
import { type Wire, wireOf } from './wires.ts';

type GraphProps = {
  nodes: readonly NetworkNode[];
  channels: readonly SeenChannel[];
  openings: readonly Opening[];
  flows: readonly MessageFlow[];
  /** Names of nodes that do not answer. */
  away: ReadonlySet<string>;
  /** Not all nodes have answered yet. */
  isAsking: boolean;
  /** The newest block of any node. */
  block: bigint;
  /** The id of the channel that is open beside the drawing. */
  chosen: string | null;
  onChoose(id: string): void;
  /** Null: nobody can draw a line here. */
  play: DevnetPlay | null;
  tokens: DevnetNodes['tokens'];
};

/** With more channels only the chosen one shows its capacities: the figures would overlap. */
const MOST_FIGURES = 12;
const MOST_DOTS = 24;
/** Until the place of the drawing is known, in pixels. */
const USUAL_WIDTH = 680;
export function NetworkGraph(props: GraphProps) {
  const { nodes, channels, away, flows, isAsking, block, chosen, onChoose, play } = props;
  const { box, width } = useWidth();
  const sheet = sheetFor(nodes.length, width);
  const edges = edgesOf(channels, nodes);
  // Not computed with each payment: the places depend only on which nodes have channels with each other.
  const places = useMemo(
    () =>
      nodePlaces(
        nodes.map(({ name }) => name),
        edges,
        sheet,
      ),
    [nodes, width, edges.map(({ from, to }) => `${from}-${to}`).join()],
  );
  const wires = channels.flatMap((channel) => wireOf(channel, { places, isAsking, block }) ?? []);
  const drawing = useDrawnLine(play?.draw);
  return (
    <>
      <div class="network-sheet" ref={box}>
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing of which nodes can be pressed */}
        <svg
          class="network-graph"
          viewBox={`0 0 ${sheet.width} ${sheet.height}`}
          height={sheet.height}
          role="group"
          aria-label="Drawing of the network"
          {...drawing.sheet}
        >
          <Wires wires={wires} sheet={sheet} chosen={chosen} onChoose={onChoose} />
          {props.openings.map((opening) => (
            <OpeningLine
              key={`${opening.node} ${opening.partner} ${opening.token}`}
              opening={opening}
              nodes={nodes}
              places={places}
              sheet={sheet}
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
          {flows.slice(-MOST_DOTS).map((flow) => (
            <FlowDot
              key={flow.id}
              flow={flow}
              from={places.get(flow.from)}
              to={places.get(nodes.find(({ address }) => address === flow.to)?.name ?? '')}
            />
          ))}
        </svg>
        {play === null ? null : (
          <OpenForm play={play} tokens={props.tokens} places={places} sheet={sheet} />
        )}
      </div>
      <GraphLegend />
      {play === null ? null : (
        <p class="mark-quiet">
          Draw a line between two nodes to open a channel, or press Enter on one and then on the
          other.
        </p>
      )}
      <ChannelButtons
        wires={wires}
        blockSeconds={play?.view.value?.blockSeconds ?? null}
        chosen={chosen}
        onChoose={onChoose}
      />
    </>
  );
}

/** How wide the place of the drawing is, in pixels. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(USUAL_WIDTH);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const look = new ResizeObserver(([seen]) => {
      if (seen !== undefined) setWidth(Math.max(240, Math.round(seen.contentRect.width)));
    });
    look.observe(box.current);
    return () => look.disconnect();
  }, []);
  return { box, width };
}

function edgesOf(channels: readonly SeenChannel[], nodes: readonly NetworkNode[]) {
  return channels.flatMap(({ parties }) => {
    const [from = -1, to = -1] = parties.map((party) =>
      nodes.findIndex(({ name }) => name === party.name),
    );
    return from < 0 || to < 0 ? [] : [{ from, to }];
  });
}

type WiresProps = Pick<GraphProps, 'chosen' | 'onChoose'> & {
  wires: readonly Wire[];
  sheet: Sheet;
};

function Wires({ wires, sheet, chosen, onChoose }: WiresProps) {
  const most = wires.reduce((most, { whole }) => (whole > most ? whole : most), 0n);
  const isCrowded = wires.length > MOST_FIGURES || sheet.width < NARROW;
  return (
    <>
      {wires.map((wire) => (
        <WireLine
          key={wire.channel.id}
          wire={wire}
          sheet={sheet}
          isChosen={wire.channel.id === chosen}
          hasFigures={!isCrowded || wire.channel.id === chosen}
          breadth={permille(wire.whole, most) / 1000}
          onChoose={() => onChoose(wire.channel.id)}
        />
      ))}
    </>
  );
}

type DrawnProps = { from: string; at: MapPlace | null; places: ReadonlyMap<string, MapPlace> };

function DrawnLine({ from, at, places }: DrawnProps) {
  const begin = places.get(from);
  return begin === undefined || at === null ? null : (
    <Segment kind="network-drawn" from={begin} to={at} />
  );
}
