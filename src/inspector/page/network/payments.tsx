/** The payments that nodes of the devnet started, and what passed between the nodes for one of them. */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Amount } from '../amount.tsx';
import { shortId } from '../digits.ts';
import { personName } from '../labels.ts';
import { PaymentTrace } from './trace.tsx';
import type { NetworkNode, Payment } from './watch.ts';

type PaymentsProps = {
  payments: readonly Payment[];
  nodes: readonly NetworkNode[];
  /** Not all nodes have answered yet. */
  isAsking: boolean;
};

export function Payments({ payments, nodes, isAsking }: PaymentsProps) {
  const chosen = useMemo(() => signal<string | null>(null), []);
  const keyOf = ({ node, row }: Payment) => `${node} ${row.actor}`;
  const open = payments.find((payment) => keyOf(payment) === chosen.value) ?? payments[0];
  if (open === undefined)
    return <p>{isAsking ? 'Asking the nodes …' : 'No node has started a payment yet.'}</p>;
  return (
    <div class="network-payments">
      <table>
        <thead>
          <tr>
            <th scope="col">Payer</th>
            <th scope="col">Identifier</th>
            <th scope="col">Amount</th>
            <th scope="col">Target</th>
            <th scope="col">First hop</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => {
            const { node, row } = payment;
            return (
              <tr key={keyOf(payment)} class={payment === open ? 'chosen' : ''}>
                <td>{node}</td>
                <td class="number">
                  <button
                    type="button"
                    aria-pressed={payment === open}
                    onClick={() => {
                      chosen.value = keyOf(payment);
                    }}
                  >
                    {row.paymentId === null ? shortId(row.actor) : String(row.paymentId)}
                  </button>
                </td>
                <td class="number">
                  {row.amount === null ? '–' : <Amount value={row.amount} token={row.token} />}
                </td>
                <td>{row.target === null ? '–' : personName(row.target)}</td>
                <td>{row.partner === null ? '–' : personName(row.partner)}</td>
                <td>{row.state}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <PaymentTrace payment={open} nodes={nodes} />
    </div>
  );
}
