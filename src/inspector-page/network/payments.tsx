/** The payments that nodes of the devnet started, and the messages between the nodes for one of them. */

import { shortId } from '../../inspector/texts/short-id.ts';
import type { ListedActor } from '../../inspector/wire.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { clockText } from '../../page-parts/clock.ts';
import { personName } from '../../page-parts/labels.ts';
import { TableHead } from '../../page-parts/table-head.tsx';
import { useReasons } from './reasons.ts';
import type { NetworkSelection } from './selection.ts';
import { PaymentTrace } from './trace.tsx';
import type { NetworkNode, NodePayment } from './watch.ts';

type PaymentsProps = {
  payments: readonly NodePayment[];
  nodes: readonly NetworkNode[];
  /** Not all nodes have answered yet. */
  isAsking: boolean;
  selection: NetworkSelection;
};

const COLUMNS = [
  ...[['Ended', 'number'] as const, 'Payer', ['Identifier', 'number'] as const],
  ...[['Amount', 'number'] as const, 'Target', 'State', 'Reason'],
];

const keyOf = ({ node, row }: NodePayment) => `${node} ${row.actor}`;

export function Payments({ payments, nodes, isAsking, selection }: PaymentsProps) {
  const reasons = useReasons(payments, nodes);
  const open =
    payments.find((payment) => keyOf(payment) === selection.payment.value) ?? payments[0];
  if (open === undefined)
    return <p>{isAsking ? 'Asking the nodes …' : 'No node has started a payment yet.'}</p>;
  return (
    <div class="network-payments">
      <div class="network-scroll">
        <table>
          <TableHead columns={COLUMNS} />
          <tbody>
            {payments.map((payment) => {
              const { node, row } = payment;
              return (
                <tr key={keyOf(payment)} class={payment === open ? 'chosen' : ''}>
                  <td class="number">{timeText(row)}</td>
                  <td>{node}</td>
                  <td class="number">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={payment === open}
                      onClick={() => selection.choose({ payment: keyOf(payment) })}
                    >
                      {row.paymentId === null ? shortId(row.actor) : String(row.paymentId)}
                    </button>
                  </td>
                  <td class="number">
                    {row.amount === null ? (
                      '–'
                    ) : (
                      <AmountText value={row.amount} token={row.token} />
                    )}
                  </td>
                  <td>{row.target === null ? '–' : personName(row.target)}</td>
                  <td>{row.state}</td>
                  <td class="network-reason">{reasons.get(keyOf(payment)) ?? ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div class="network-scroll">
        <PaymentTrace payment={open} nodes={nodes} />
      </div>
    </div>
  );
}

/** When the payment ended; empty while it is under way. */
function timeText({ endTime }: ListedActor): string {
  return endTime === null ? '' : clockText(endTime);
}
