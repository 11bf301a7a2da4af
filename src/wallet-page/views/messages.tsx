/** What the node told: its notifications, and payments that came in while the page was open. */
import { useState } from 'preact/hooks';
import { createClient } from '../../client/api.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { clockText } from '../../page-parts/clock.ts';
import { amountText, personName } from '../../page-parts/labels.ts';
import type { WalletMessage } from '../state/messages.ts';
import type { Wallet } from '../state/wallet.ts';
import { reasonOf } from '../texts/reasons.ts';

export function MessagesView({ wallet }: { wallet: Wallet }) {
  const { list, forget } = wallet.messages;
  const [said, setSaid] = useState('');
  return (
    <>
      <p>What happens while this page is open comes by itself.</p>
      <p class="buttons">
        <button type="button" onClick={() => void readWaiting(wallet).then(setSaid)}>
          Read what waits at the node
        </button>
        <span role="status">{said}</span>
      </p>
      <p class="hint">Reading takes it from the node: no other reader gets it after that.</p>
      <ul class="payments" aria-label="Messages">
        {list.value.map((message) => (
          <li key={message.id} data-kind={message.isUrgent ? 'failed' : message.kind}>
            <Text message={message} />
            <p class="hint">
              <time datetime={message.time}>{clockText(Date.parse(message.time))}</time>
            </p>
            <p class="buttons">
              <button
                type="button"
                aria-label={`Dismiss: ${nameOf(message)}`}
                onClick={() => forget(message.id)}
              >
                Dismiss
              </button>
            </p>
          </li>
        ))}
      </ul>
      {list.value.length === 0 && <p>Nothing so far.</p>}
    </>
  );
}

/** In the words of its button. */
function nameOf(message: WalletMessage): string {
  return message.kind === 'notification'
    ? message.summary
    : `${amountText(BigInt(message.amount), message.token)} from ${personName(message.from)}`;
}

function Text({ message }: { message: WalletMessage }) {
  if (message.kind === 'notification')
    return (
      <>
        <p>
          <strong>
            {message.isUrgent ? '⚠ ' : ''}
            {message.summary}
          </strong>
        </p>
        <p>{message.body}</p>
      </>
    );
  const { amount, token, from } = message;
  return (
    <p>
      <strong>
        ←{' '}
        <AmountText
          value={BigInt(amount)}
          token={token}
          of={`received:${token}:${message.identifier}/amount`}
        />
      </strong>{' '}
      from {personName(from)}
    </p>
  );
}

/** What to say about it. */
async function readWaiting({ url, options, messages }: Wallet): Promise<string> {
  try {
    const answer = await createClient(url, options()).notifications.$get();
    if (answer.status === 500) return await answer.text();
    if (answer.status !== 200) return reasonOf(await answer.json());
    const waiting = await answer.json();
    messages.add(waiting, new Date().toISOString());
    return waiting.length === 0 ? 'Nothing waits.' : `${waiting.length} read`;
  } catch {
    return 'The node does not answer.';
  }
}
