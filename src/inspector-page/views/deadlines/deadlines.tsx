/** An actor's deadlines in blocks: as bars on one axis, and as a table. */
import { useEffect } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import { shortId } from '../../../inspector/texts/short-id.ts';
import type { Deadline } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { figureOf } from '../../../page-parts/figure.ts';
import { TableHead } from '../../../page-parts/table-head.tsx';
import { whenDone } from '../../../page-parts/when-done.ts';
import { DrawingLegend } from '../legend.tsx';
import type { ActorViewProps } from '../view.ts';
import {
  axisOf,
  type BlockAxis,
  barOf,
  blockPlace,
  type DeadlineLine,
  type DeadlineUrgency,
  deadlineLines,
  URGENCY_WORDS,
  whenText,
} from './urgency.ts';

export function DeadlinesView({ actor, feed, source, nowBlock }: ActorViewProps) {
  const view = feed.view.value;
  useEffect(() => refresh(source, actor, feed.view), [source, actor, feed.view, nowBlock]);
  if (view === null)
    return (
      <section aria-label="Deadlines" class="panes">
        <p class="pane pane-empty">Waiting for the node …</p>
      </section>
    );
  const axis = axisOf(view.deadlines, nowBlock);
  const lines = deadlineLines(view.deadlines, nowBlock);
  return (
    <section aria-label="Deadlines" class="panes">
      {lines.length === 0 ? (
        <p class="pane pane-empty">
          Nothing is at stake: no lock, no withdrawal and no settlement of this actor is open.
        </p>
      ) : (
        <>
          {axis !== null && <Axis axis={axis} lines={lines} nowBlock={nowBlock} />}
          <DeadlineTable actor={actor} lines={lines} nowBlock={nowBlock} token={view.row.token} />
        </>
      )}
    </section>
  );
}

/**
 * The plan for a lock is its payment's, whose changes are not steps of this actor: so the actor is read again with
 * each block.
 */
function refresh(
  source: InspectorSource,
  actor: string,
  view: ActorViewProps['feed']['view'],
): () => void {
  // A failure is ignored: the feed shows that the node is down, and the last answer stays.
  return whenDone(source.read('actor', `actors/${encodeURIComponent(actor)}`), (answer) => {
    if (view.value === null || answer.seq >= view.value.seq) view.value = answer;
  });
}

const LEGEND = [
  ['swatch due-safe', 'safe'],
  ['swatch due-danger', 'danger: act now'],
  ['swatch due-late', 'too late'],
  ['swatch due-over', 'run out, nothing lost'],
  ['due-diamond', 'planned action', '◆'],
] as const;

type AxisProps = { axis: BlockAxis; lines: readonly DeadlineLine[]; nowBlock: bigint };

const at = (axis: BlockAxis, block: bigint) => ({ left: `${blockPlace(axis, block) / 10}%` });

/** Hidden from screen readers: the table has everything in it. */
function Axis({ axis, lines, nowBlock }: AxisProps) {
  return (
    <div class="pane" aria-hidden="true">
      <header>
        <h2>Blocks</h2>
        <DrawingLegend entries={LEGEND} />
      </header>
      <div class="due-rows">
        <span />
        <div class="due-scale">
          {axis.ticks.map((block) => (
            <span key={`${block}`} class="due-tick" style={at(axis, block)}>
              #{block.toString()}
            </span>
          ))}
          <span class="due-now-label" style={at(axis, nowBlock)}>
            now #{nowBlock.toString()}
          </span>
        </div>
        {lines.map((line) => (
          <Row key={keyOf(line.deadline)} axis={axis} line={line} nowBlock={nowBlock} />
        ))}
      </div>
    </div>
  );
}

function Row({ axis, line, nowBlock }: { axis: BlockAxis; line: DeadlineLine; nowBlock: bigint }) {
  const { deadline, urgency } = line;
  return (
    <>
      <span class="due-name">
        <UrgencyMark urgency={urgency} /> {whatText(deadline)}
      </span>
      <div class="due-track">
        {barOf(deadline, axis).map(({ kind, start, end }) => (
          <span
            key={kind}
            class={`due-part due-${kind}`}
            style={{ left: `${start / 10}%`, width: `${(end - start) / 10}%` }}
          />
        ))}
        <span class="due-past" style={{ width: `${blockPlace(axis, nowBlock) / 10}%` }} />
        {axis.ticks.map((block) => (
          <span key={`${block}`} class="due-grid" style={at(axis, block)} />
        ))}
        <span class="due-now" style={at(axis, nowBlock)} />
        {deadline.actionBlock !== null && (
          <span class="due-diamond due-action" style={at(axis, deadline.actionBlock)}>
            ◆
          </span>
        )}
      </div>
    </>
  );
}

const MARK_COLOURS: Record<DeadlineUrgency, string> = {
  late: 'mark-danger',
  danger: 'mark-warning',
  safe: 'mark-good',
  over: 'mark-quiet',
  waits: 'mark-quiet',
};

function UrgencyMark({ urgency }: { urgency: DeadlineUrgency }) {
  return (
    <span class={`due-mark ${MARK_COLOURS[urgency]}`} aria-hidden="true">
      {URGENCY_WORDS[urgency].mark}
    </span>
  );
}

const COLUMNS = [
  ...['State', 'What'],
  ...['Amount', 'Danger from', 'Expires'].map((name) => [name, 'number'] as const),
  'Planned',
];

type TableProps = {
  actor: string;
  lines: readonly DeadlineLine[];
  nowBlock: bigint;
  token: string | null;
};

function DeadlineTable({ actor, lines, nowBlock, token }: TableProps) {
  return (
    <div class="pane">
      <header>
        <h2>
          {lines.length} {lines.length === 1 ? 'deadline' : 'deadlines'} at block #
          {nowBlock.toString()}, the most urgent first
        </h2>
      </header>
      <div class="pane-wide">
        <table class="exact due-table">
          <TableHead columns={COLUMNS} />
          <tbody>
            {lines.map((line) => (
              <TableRow key={keyOf(line.deadline)} actor={actor} line={line} token={token} />
            ))}
          </tbody>
        </table>
      </div>
      {lines.some(({ deadline }) => deadline.secrethash !== null) && (
        <p class="mark-quiet">
          From the block where a lock expires, the chain pays nobody for it. It is taken back a few
          blocks later, when no reorganisation can change that any more.
        </p>
      )}
    </div>
  );
}

type RowProps = { actor: string; line: DeadlineLine; token: string | null };

function TableRow({ actor, line, token }: RowProps) {
  const { deadline, urgency, toDanger, toExpiry, toAction } = line;
  const { what, side, secrethash } = deadline;
  const of = `${actor}/due.${what}.${side}.${secrethash}`;
  return (
    <tr>
      <td class={`due-state ${MARK_COLOURS[urgency]}`}>
        <UrgencyMark urgency={urgency} /> {URGENCY_WORDS[urgency].word}
      </td>
      <th scope="row" title={deadline.secrethash ?? undefined}>
        {whatText(deadline)}
      </th>
      <td class="number">
        {deadline.amount !== null && (
          <AmountText value={deadline.amount} token={token} of={`${of}.amount`} />
        )}
      </td>
      <BlockCell of={null} block={deadline.dangerBlock} left={toDanger} />
      <BlockCell of={`${of}.expiry`} block={deadline.expiryBlock} left={toExpiry} />
      <td class="due-plan">
        {deadline.action}
        {deadline.actionBlock !== null && toAction !== null && (
          <span class="due-left">
            at #{deadline.actionBlock.toString()}, {whenText(toAction)}
          </span>
        )}
      </td>
    </tr>
  );
}

/** `of`: what the block claims to be; null: nothing that could be worked out in another way. */
type CellProps = { of: string | null; block: bigint | null; left: bigint | null };

function BlockCell({ of, block, left }: CellProps) {
  if (block === null || left === null) return <td class="number mark-quiet">–</td>;
  return (
    <td class="number">
      <span {...(of === null ? {} : figureOf({ of, value: block, unit: 'block' }))}>
        #{block.toString()}
      </span>
      <span class="due-left">{whenText(left)}</span>
    </td>
  );
}

const NAMES: Record<Deadline['what'], string> = {
  lock: 'lock',
  update: 'bring the newest proof',
  settle: 'settle',
  unlock: 'unlock',
  withdraw: 'withdrawal',
  payment: 'payment',
  plan: 'planned withdrawal',
  leave: 'leave the token',
};

/** Names a deadline: `partner's lock 0x1234…abcd`. */
function whatText({ what, side, secrethash }: Deadline): string {
  const whose = side === null ? '' : side === 'own' ? 'own ' : "partner's ";
  return `${whose}${NAMES[what]}${secrethash === null ? '' : ` ${shortId(secrethash)}`}`;
}

function keyOf({ what, side, secrethash, expiryBlock, actionBlock }: Deadline): string {
  return [what, side, secrethash, secrethash === null ? (expiryBlock ?? actionBlock) : ''].join();
}
