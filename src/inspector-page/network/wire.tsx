/** A channel in the drawing: a line from rim to rim, of which each side has the part that it can pay. */
import { grouped } from '../../basics/digits.ts';
import { barOf, figureOf } from '../../page-parts/figure.ts';
import { between, type MapPlace, type Sheet } from './places.ts';
import { trackOf, type Wire } from './wires.ts';

type SegmentProps = {
  kind: string;
  from: MapPlace;
  to: MapPlace;
  width?: number;
  facts?: Record<string, string>;
};

export function Segment({ kind, from, to, width, facts = {} }: SegmentProps) {
  const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return <line {...facts} {...ends} class={kind} style={{ strokeWidth: width }} />;
}

type WireLineProps = {
  wire: Wire;
  sheet: Sheet;
  isChosen: boolean;
  hasFigures: boolean;
  /** What the channel holds as a part of the largest one's, from 0 to 1. */
  breadth: number;
  onChoose(): void;
};

export function WireLine({ wire, sheet, isChosen, hasFigures, breadth, onChoose }: WireLineProps) {
  const { ends, bars, whole, isOpen, verdict } = wire;
  const [a, b] = ends;
  const track = trackOf([a.place, b.place], sheet);
  const width = 4 + 6 * Math.sqrt(breadth);
  const at = (part: bigint) => between(track.from, track.to, Number(part) / Number(whole));
  const classes = [verdict, isChosen ? 'chosen' : '', isOpen ? '' : 'closed'];
  return (
    // The buttons below the drawing do the same.
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the mouse
    <g class={`network-wire ${classes.join(' ')}`} onClick={onChoose}>
      <Segment kind="reach" {...track} />
      <Segment kind="track" {...track} facts={{ 'data-track': '' }} />
      {bars.map(({ kind, claim, start }) => (
        <Segment
          key={kind}
          kind={kind}
          from={at(start)}
          to={at(start + BigInt(claim.value))}
          width={width}
          facts={barOf(claim, whole, start)}
        />
      ))}
      {hasFigures && isOpen && <EndFigures wire={wire} />}
      <WireWord wire={wire} track={track} />
    </g>
  );
}

function EndFigures({ wire: { ends } }: { wire: Wire }) {
  const [a, b] = ends;
  return (
    <>
      {[
        { ...a, share: 0.32, aside: 16 },
        { ...b, share: 0.68, aside: -16 },
      ].map(({ name, said, share, aside }) => {
        if (said === null) return null;
        const at = between(a.place, b.place, share, aside);
        const textAnchor = anchorOf(at.x - between(a.place, b.place, share).x);
        return (
          <text
            key={name}
            class="capacity"
            x={at.x}
            y={at.y}
            style={{ textAnchor }}
            {...figureOf(said)}
          >
            {said.label}
          </text>
        );
      })}
    </>
  );
}

/** Beside a steep line a text begins or ends there, so that a long one does not lie on it. `right`: how far right of it. */
function anchorOf(right: number): 'start' | 'middle' | 'end' {
  if (Math.abs(right) < 8) return 'middle';
  return right > 0 ? 'start' : 'end';
}

const WORDS: Record<Wire['verdict'], string> = {
  agreed: '',
  alone: '½',
  away: '?',
  underWay: '… on its way',
  disputed: '≠ disagree',
};

/** What is to be said of the channel, at its middle. */
function WireWord({ wire, track }: { wire: Wire; track: { from: MapPlace; to: MapPlace } }) {
  const { verdict, isOpen, closing } = wire;
  const { x, y } = between(track.from, track.to, 0.5);
  const word = WORDS[verdict];
  return (
    <>
      {isOpen ? null : (
        <text x={x} y={y + 16}>
          closed
          {closing === null ? null : (
            <tspan
              {...figureOf({
                of: `${closing.of}/settlesIn`,
                value: closing.settlesIn,
                unit: 'blocks',
              })}
            >
              {closing.settlesIn === 0n
                ? ' · 0 blocks left'
                : ` · ${grouped(closing.settlesIn)} blocks`}
            </tspan>
          )}
        </text>
      )}
      {word === '' ? null : (
        <text x={x} y={y - 12}>
          {word}
        </text>
      )}
    </>
  );
}
