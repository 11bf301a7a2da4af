/** The payments that nodes of the devnet started. */
import { grouped, shortId } from '../digits.ts';
import { hashOf } from '../router.ts';
import type { NetworkNode, Payment } from './watch.ts';

type PaymentsProps = { payments: readonly Payment[]; nodes: readonly NetworkNode[] };

export function Payments({ payments, nodes }: PaymentsProps) {
  if (payments.length === 0) return <p>No node has started a payment yet.</p>;
  const nameOf = (address: string | null) =>
    nodes.find((node) => node.address === address)?.name ?? shortId(address ?? '–');
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Payer</th>
          <th scope="col">Identifier</th>
          <th scope="col">Amount</th>
          <th scope="col">First hop</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {payments.map(({ node, row }) => {
          const base = nodes.find(({ name }) => name === node)?.base ?? '';
          const link = `${base}${hashOf({ view: 'sequence', actor: row.actor })}`;
          return (
            <tr key={`${node} ${row.actor}`}>
              <td>{node}</td>
              <td class="number">
                <a href={link}>
                  {row.paymentId === null ? shortId(row.actor) : String(row.paymentId)}
                </a>
              </td>
              <td class="number">{row.amount === null ? '–' : grouped(row.amount)}</td>
              <td>{nameOf(row.partner)}</td>
              <td>{row.state}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
