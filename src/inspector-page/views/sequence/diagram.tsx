/** A sequence diagram of one or several nodes: a row for each arrow, the newest at the bottom. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { shortId } from '../../../inspector/texts/short-id.ts';
import { TableHead } from '../../../page-parts/table-head.tsx';
import type { Arrow, DiagramProps, Sequence, SequenceItem } from './arrows.ts';
import { ArrowDetail } from './detail.tsx';
import type { Lifeline } from './lifelines.ts';

const ROW = 30;
const HEAD = 44;
/** When scrolled to within so many px of its end, the list follows new arrows. */
const NEAR_END = 48;

export function SequenceDiagram(props: DiagramProps) {
  const { sequence } = props;
  const { lifelines, items } = sequence;
  const chosen = useMemo(() => signal<string | null>(null), []);
  const list = useFollowedEnd(items);
  const column = columnOf(lifelines.length);
  const width = column * lifelines.length;
  return (
    <div class="seq" ref={list} data-record="">
      <div class="seq-grid" style={{ '--seq-names': `${width}px` }}>
        <div class="seq-head" style={{ height: `${HEAD}px` }}>
          <span
            class="seq-step"
            title="Its place in the journal of the node; lines between are blocks"
          >
            step
          </span>
          <div class="seq-names">
            {lifelines.map((line) => (
              <Name key={line.id} line={line} width={column} />
            ))}
          </div>
          <span class="seq-detail">what was said</span>
        </div>
        {items.map((item) => (
          <Item
            key={item.kind === 'arrow' ? item.arrow.id : keyOf(item)}
            {...props}
            item={item}
            column={column}
            isChosen={item.kind === 'arrow' && item.arrow.id === chosen.value}
            onChoose={(id) => {
              chosen.value = chosen.value === id ? null : id;
            }}
          />
        ))}
      </div>
    </div>
  );
}

function useFollowedEnd(items: readonly SequenceItem[]) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const place = list.current;
  if (place !== null)
    isAtEnd.current = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_END;
  useLayoutEffect(() => {
    const shown = list.current;
    if (shown !== null && isAtEnd.current) shown.scrollTop = shown.scrollHeight;
  }, [items]);
  return list;
}

/** On a screen that is narrower, only a chosen arrow says what was said. As in sequence.css. */
const NARROW = 600;
/** Room of a narrow screen beside the columns. */
const BESIDE = 80;

/** The width of a column: enough for a message's name between neighbours. */
function columnOf(count: number): number {
  const isNarrow = innerWidth < NARROW;
  const room = isNarrow ? innerWidth - BESIDE : innerWidth / 2;
  return Math.max(isNarrow ? 92 : 116, Math.min(184, Math.floor(room / Math.max(1, count))));
}

const KINDS: Record<Lifeline['kind'], string> = {
  caller: 'API',
  node: 'node',
  actor: 'actor',
  partner: 'partner',
  chain: '',
};

function Name({ line, width }: { line: Lifeline; width: number }) {
  const [machine = '', ...which] = line.name.split(' ');
  const isOneOfMany = line.kind === 'actor' && which.length > 0;
  const [kind, name] = isOneOfMany ? [machine, which.join(' ')] : [KINDS[line.kind], line.name];
  return (
    <span
      class={`seq-name seq-name-${line.kind}`}
      style={{ width: `${width}px` }}
      title={line.actor ?? line.node ?? line.name}
    >
      <span class="mark-quiet">{kind}</span> {name}
    </span>
  );
}

function keyOf(item: Exclude<SequenceItem, { kind: 'arrow' }>): string {
  return item.kind === 'block' ? `#${item.block}` : item.text;
}

type ItemProps = DiagramProps & {
  item: SequenceItem;
  column: number;
  isChosen: boolean;
  onChoose(id: string): void;
};

function Item({ item, column, isChosen, onChoose, ...props }: ItemProps) {
  const { lifelines } = props.sequence;
  if (item.kind === 'block')
    return (
      <div class="seq-tick">
        <span>#{item.block.toString()}</span>
        <Lines count={lifelines.length} column={column} height={20} />
      </div>
    );
  if (item.kind === 'gap') return <p class="seq-gap">Not known: {item.text}</p>;
  const { arrow } = item;
  return (
    <>
      <button
        type="button"
        class={`seq-row${isChosen ? ' is-chosen' : ''}`}
        aria-expanded={isChosen}
        onClick={() => onChoose(arrow.id)}
      >
        <span class="seq-step">{arrow.sent?.seq ?? arrow.taken?.seq}</span>
        <span class="unseen">{wordsOf(arrow, lifelines)}</span>
        <ArrowDrawing arrow={arrow} lifelines={lifelines} column={column} />
        <span class="seq-detail" title={arrow.detail}>
          {FATES[arrow.fate]} {arrow.detail}
          {arrow.outcome !== null && <span class="seq-outcome"> → {arrow.outcome}</span>}
        </span>
      </button>
      {isChosen && <ArrowDetail {...props} arrow={arrow} />}
    </>
  );
}

const FATES = { told: '', again: '(again)', open: '(not arrived)' };

/** What the drawing of an arrow shows. */
function wordsOf(arrow: Arrow, lifelines: readonly Lifeline[]): string {
  const [from, to] = [arrow.from, arrow.to].map(
    (id) => lifelines.find((line) => line.id === id)?.name ?? '',
  );
  const way = arrow.from === arrow.to ? `at ${from}` : `from ${from} to ${to}`;
  return `${arrow.label} ${way}`;
}

type LinesProps = { count: number; column: number; height: number };

function Lines({ count, column, height }: LinesProps) {
  return (
    <svg class="seq-drawing" width={count * column} height={height} aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <LifelinePart key={index} x={middle(index, column)} height={height} />
      ))}
    </svg>
  );
}

const middle = (index: number, column: number) => (index + 0.5) * column;

function LifelinePart({ x, height }: { x: number; height: number }) {
  return <line class="seq-life" x1={x} x2={x} y1={0} y2={height} />;
}

type DrawingProps = { arrow: Arrow; lifelines: readonly Lifeline[]; column: number };

function ArrowDrawing({ arrow, lifelines, column }: DrawingProps) {
  const [from, to] = [arrow.from, arrow.to].map((id) =>
    middle(
      lifelines.findIndex((line) => line.id === id),
      column,
    ),
  );
  if (from === undefined || to === undefined) return null;
  const y = ROW - 8;
  const isNote = from === to;
  const tip = to + (to > from ? -2 : 2);
  const back = to > from ? -7 : 7;
  return (
    <svg
      class={`seq-drawing seq-${arrow.kind} seq-fate-${arrow.fate}${isFailure(arrow) ? ' seq-failure' : ''}`}
      width={lifelines.length * column}
      height={ROW}
      aria-hidden="true"
    >
      {lifelines.map((line, index) => (
        <LifelinePart key={line.id} x={middle(index, column)} height={ROW} />
      ))}
      {isNote ? (
        <circle class="seq-dot" cx={from} cy={ROW / 2} r={4} />
      ) : (
        <>
          <line class="seq-line" x1={from} x2={tip} y1={y} y2={y} />
          <path
            class="seq-tip"
            d={`M${tip + back} ${y - 4} L${tip} ${y} L${tip + back} ${y + 4}`}
          />
        </>
      )}
      {isNote ? (
        <NoteLabel text={arrow.label} x={from} isAtEnd={from > (lifelines.length - 1) * column} />
      ) : (
        <text class="seq-label" x={(from + to) / 2} y={y - 6} text-anchor="middle">
          {arrow.label}
        </text>
      )}
    </svg>
  );
}

/** Beside the dot at `x`; on the left of the last lifeline, where the drawing ends. */
function NoteLabel({ text, x, isAtEnd }: { text: string; x: number; isAtEnd: boolean }) {
  return (
    <text
      class="seq-label"
      x={isAtEnd ? x - 10 : x + 10}
      y={ROW / 2 + 4}
      text-anchor={isAtEnd ? 'end' : 'start'}
    >
      {text}
    </text>
  );
}

/** Whether the arrow is a note of a failure. */
function isFailure({ kind, label }: Arrow): boolean {
  return kind === 'note' && (label === 'paymentFailed' || label === 'alert');
}

/** The diagram as a table. */
export function SequenceTable({ sequence: { items, lifelines } }: { sequence: Sequence }) {
  const nameOf = (id: string) => lifelines.find((line) => line.id === id)?.name ?? id;
  const arrows = items.flatMap((item) => (item.kind === 'arrow' ? [item.arrow] : []));
  return (
    <div class="pane-wide">
      <table class="exact">
        <TableHead columns={['Block', 'Step', 'From', 'To', 'What', 'Of it', 'State after']} />
        <tbody>
          {arrows.map((arrow) => (
            <tr key={arrow.id}>
              <td>#{arrow.block.toString()}</td>
              <td>{arrow.sent?.seq ?? arrow.taken?.seq}</td>
              <td>{nameOf(arrow.from)}</td>
              <td>{nameOf(arrow.to)}</td>
              <td>{arrow.label}</td>
              <td>
                {FATES[arrow.fate]} {arrow.detail}
              </td>
              <td>{arrow.outcome === null ? '' : shortId(arrow.outcome)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
