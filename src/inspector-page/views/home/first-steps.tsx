/** What to do with a node that has no channel yet. */
import { curlOf } from '../../../inspector/texts/curl.ts';
import { Copy } from '../../../page-parts/copy.tsx';

/** `token`: a token that has a token network; null: none is known. */
export function FirstSteps({ token }: { token: string | null }) {
  const api = new URL('../api/v1', location.href).href;
  const lines = [
    { title: 'Which tokens have a network', command: `curl ${api}/tokens` },
    {
      title: 'Open a channel with PARTNER, and deposit',
      command: put(`${api}/channels`, {
        token_address: token ?? 'TOKEN',
        partner_address: 'PARTNER',
        total_deposit: '1000',
      }),
    },
    {
      title: 'Pay',
      command: post(`${api}/payments/${token ?? 'TOKEN'}/PARTNER`, { amount: '7' }),
    },
  ];
  return (
    <section class="pane first-steps" aria-label="First steps">
      <h2>There is no channel yet</h2>
      <p>
        A channel stands here with what each side can pay, and a payment while it is under way. Open
        one to see its state chart, its money and each step.
      </p>
      <ol>
        {lines.map(({ title, command }) => (
          <li key={title}>
            {title}: <Copy label="command" text={command} shown={command} />
          </li>
        ))}
      </ol>
      <p class="mark-quiet">Amounts are in the smallest unit of the token.</p>
    </section>
  );
}

const put = (url: string, body: object) => curlOf('PUT', url, body);
const post = (url: string, body: object) => curlOf('POST', url, body);
