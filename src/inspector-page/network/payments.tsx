/** The payments that nodes of the devnet started, and the messages between the nodes for one of them. */

import { shortId } from '../../inspector/texts/short-id.ts';
import type { ListedActor } from '../../inspector/wire.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { clockText } from '../../page-parts/clock.ts';
import { figureOf } from '../../page-parts/figure.ts';
import { personName } from '../../page-parts/labels.ts';
import { TableHead } from '../../page-parts/table-head.tsx';
import { useReasons } from './reasons.ts';
import { newestFirst } from './refresh.ts';
import type { NetworkSelection } from './selection.ts';
import { PaymentTrace } from './trace.tsx';
import type { NetworkNode, NodePayment, NodePayments } from './watched.ts';

type PaymentsProps = {
  byNode: ReadonlyMap<string, NodePayments>;
  /** Names of nodes that do not answer: what they have paid is not shown. */
  away: ReadonlySet<string>;
  nodes: readonly NetworkNode[];
  /** Not all nodes have answered yet. */
  isAsking: boolean;
  selection: NetworkSelection;
};

const COLUMNS = [
  ...[['Ended', 'number'] as const, 'Payer', ['Identifier', 'number'] as const],
  ...[['Amount', 'number'] as const, 'Target', 'State', 'Reason'],
];

const MOST_ROWS = 50;

const keyOf = ({ node, row }: NodePayment) => `${node} ${row.actor}`;

export function Payments({ byNode, away, nodes, isAsking, selection }: PaymentsProps) {
  const told = [...byNode].filter(([node]) => !away.has(node));
  const all = told.flatMap(([, { shown }]) => shown).sort(newestFirst);
  const payments = all.slice(0, MOST_ROWS);
  const isCut = all.length > MOST_ROWS || told.some(([, { isCut }]) => isCut);
  const reasons = useReasons(payments, nodes);
  const open =
    payments.find((payment) => keyOf(payment) === selection.payment.value) ?? payments[0];
  if (open === undefined)
    return <p>{isAsking ? 'Asking the nodes …' : 'No node has started a payment yet.'}</p>;
  return (
    <div class="network-payments">
      <div class="network-scroll">
        {isCut ? (
          <p class="mark-quiet">The newest: there are more in the nodes’ histories.</p>
        ) : null}
        {away.size === 0 ? null : (
          <p class="mark-quiet">Without those of {[...away].join(', ')}: no answer.</p>
        )}
        <table>
          <TableHead columns={COLUMNS} />
          <tbody>
            {payments.map((payment) => {
              const { node, row } = payment;
              const of = `${node}/${row.actor}`;
              return (
                <tr key={keyOf(payment)} class={payment === open ? 'chosen' : ''}>
                  <td
                    class="number"
                    {...(row.endTime === null
                      ? {}
                      : figureOf({ of: `${of}/ended`, value: row.endTime, unit: 'ms' }))}
                  >
                    {timeText(row)}
                  </td>
                  <td>{node}</td>
                  <td class="number">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={payment === open}
                      onClick={() => selection.choose({ payment: keyOf(payment) })}
                    >
                      {row.paymentId === null ? (
                        shortId(row.actor)
                      ) : (
                        <span
                          {...figureOf({
                            of: `${of}/paymentId`,
                            value: row.paymentId,
                            unit: 'count',
                          })}
                        >
                          {String(row.paymentId)}
                        </span>
                      )}
                    </button>
                  </td>
                  <td class="number">
                    {row.amount === null ? (
                      '–'
                    ) : (
                      <AmountText value={row.amount} token={row.token} of={`${of}/amount`} />
                    )}
                  </td>
                  <td
                    {...(row.target === null
                      ? {}
                      : figureOf({ of: `${of}/target`, value: row.target, unit: 'word' }))}
                  >
                    {row.target === null ? '–' : personName(row.target)}
                  </td>
                  <td {...figureOf({ of: `${of}/state`, value: row.state, unit: 'word' })}>
                    {row.state}
                  </td>
                  <td class="network-reason">{reasons.get(keyOf(payment)) ?? ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div class="network-scroll network-trace">
        <PaymentTrace payment={open} nodes={nodes} />
      </div>
    </div>
  );
}

/** When the payment ended; empty while it is under way. */
function timeText({ endTime }: ListedActor): string {
  return endTime === null ? '' : clockText(endTime);
}
