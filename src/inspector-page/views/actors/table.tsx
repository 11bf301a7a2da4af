/** The actors as a table that only renders the rows in sight. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ListedActor } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { personName } from '../../../page-parts/labels.ts';
import { regionsOf, rowName } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import { leftText } from './draw.ts';
import { type ActorsColumn, COLUMNS, type Limits, sortedBy, urgencyOf } from './groups.ts';
import { MARKS } from './legend.tsx';
import type { ActorsLook } from './look.ts';

const ROW_HEIGHT = 32;
/** Rows that are rendered above and below the visible ones. */
const SPARE = 8;
const LABELS: Record<ActorsColumn, string> = {
  deadline: 'Deadline',
  actor: 'Actor',
  state: 'State',
  partner: 'Partner',
  payment: 'Payment',
  amount: 'Amount',
};
const FIGURES: readonly ActorsColumn[] = ['payment', 'amount'];

type TableProps = {
  rows: readonly ListedActor[];
  nowBlock: bigint;
  limits: Limits;
  look: ActorsLook;
  onLook(change: Partial<ActorsLook>): void;
};

export function ActorsTable({ rows, nowBlock, limits, look, onLook }: TableProps) {
  const [top, setTop] = useState(0);
  const scroller = useRef<HTMLElement>(null);
  const sorted = useMemo(
    () => sortedBy(rows, look.column, look.isDown),
    [rows, look.column, look.isDown],
  );
  const inSight = Math.ceil((scroller.current?.clientHeight ?? 800) / ROW_HEIGHT);
  const from = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE);
  const to = Math.min(sorted.length, from + inSight + 2 * SPARE);
  return (
    <section
      class="actors-table"
      aria-label="Actors as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      ref={scroller}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <table aria-rowcount={sorted.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th
                key={column}
                scope="col"
                class={FIGURES.includes(column) ? 'number' : undefined}
                aria-sort={
                  look.column === column ? (look.isDown ? 'descending' : 'ascending') : 'none'
                }
              >
                <button
                  type="button"
                  onClick={() => onLook({ column, isDown: look.column === column && !look.isDown })}
                >
                  {LABELS[column]}
                  <span aria-hidden="true">
                    {look.column === column && (look.isDown ? ' ↓' : ' ↑')}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={from * ROW_HEIGHT} />
          {sorted.slice(from, to).map((row, index) => (
            <Row
              key={row.actor}
              row={row}
              nowBlock={nowBlock}
              limits={limits}
              index={from + index + 2}
            />
          ))}
          <Space height={(sorted.length - to) * ROW_HEIGHT} />
        </tbody>
      </table>
    </section>
  );
}

/** Empty space in place of rows out of sight. */
function Space({ height }: { height: number }) {
  return height === 0 ? null : <tr style={{ height: `${height}px` }} />;
}

type RowProps = { row: ListedActor; nowBlock: bigint; limits: Limits; index: number };

function Row({ row, nowBlock, limits, index }: RowProps) {
  const { kind, name } = rowName(row);
  const urgency = urgencyOf(row, nowBlock, limits);
  return (
    <tr aria-rowindex={index}>
      <td data-urgency={urgency}>
        <span class="mark" aria-hidden="true">
          {MARKS[urgency]}
        </span>{' '}
        {leftText(row, nowBlock)}
        {row.deadlineBlock !== null && <small> #{`${row.deadlineBlock}`}</small>}
      </td>
      <td>
        <a href={pageHash({ view: 'chart', actor: row.actor })}>
          {kind} {name}
        </a>
      </td>
      <td>
        <code>{regionsOf(row.state).join(' + ')}</code>
      </td>
      <td>
        <People row={row} />
      </td>
      <td class="number">{row.paymentId !== null && `${row.paymentId}`}</td>
      <td class="number">
        <Sum row={row} />
      </td>
    </tr>
  );
}

/** The partner, and the target. */
function People({ row: { partner, target } }: { row: ListedActor }) {
  if (partner === null) return null;
  return (
    <>
      <span title={partner}>{personName(partner)}</span>
      {target !== null && target !== partner && <span title={target}> → {personName(target)}</span>}
    </>
  );
}

/** The amount of a payment, or both balances of a channel. */
function Sum({ row: { actor, amount, balances, token } }: { row: ListedActor }) {
  if (balances !== null)
    return (
      <>
        <AmountText value={balances.own} token={token} isBare of={`${actor}/own.balance`} /> /{' '}
        <AmountText value={balances.partner} token={token} of={`${actor}/partner.balance`} />
      </>
    );
  return amount === null ? null : (
    <AmountText value={amount} token={token} of={`${actor}/amount`} />
  );
}
