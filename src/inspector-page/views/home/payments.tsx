/** Payments as they come: those under way, then those that ended last. */
import type { ListedActor, Overview } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { clockText } from '../../../page-parts/clock.ts';
import { figureOf } from '../../../page-parts/figure.ts';
import { personName } from '../../../page-parts/labels.ts';
import { endingOf } from '../../base/ending.ts';
import { otherEndOf } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';

export function Payments({ payments }: Pick<Overview, 'payments'>) {
  const { live, shown } = payments;
  return (
    <section class="pane" aria-label="Payments">
      <header>
        <h2>Payments</h2>
        <span class="mark-quiet">
          <span {...figureOf({ of: 'node/live_payments', value: live, unit: 'count' })}>
            {live.toLocaleString('en')}
          </span>{' '}
          under way
        </span>
      </header>
      {shown.length === 0 && (
        <p class="mark-quiet">Nobody has paid yet. A payment stands here while it is under way.</p>
      )}
      <ul class="payments">
        {shown.map((row) => (
          <Payment key={row.actor} row={row} />
        ))}
      </ul>
    </section>
  );
}

/** `arrow`: the way of the money, seen from this node. */
const WAYS: Record<string, { arrow: string; word: string }> = {
  initiator: { arrow: '→', word: 'paid to' },
  target: { arrow: '←', word: 'received from' },
  mediator: { arrow: '⇄', word: 'passed on for' },
};
const WORDS = { good: '', bad: 'failed', over: 'over' };

function Payment({ row }: { row: ListedActor }) {
  const { actor, machine, amount, token, endTime } = row;
  const { arrow, word } = WAYS[machine] ?? { arrow: '', word: machine };
  const verdict = endingOf(row, [], null)?.verdict ?? null;
  const other = otherEndOf(row);
  return (
    <li data-verdict={verdict ?? 'none'}>
      <time>{endTime === null ? '' : clockText(endTime)}</time>
      <a href={pageHash({ view: 'sequence', actor })} title={`identifier ${row.paymentId}`}>
        <span class="mark" aria-hidden="true">
          {verdict === 'bad' ? '✕' : arrow}
        </span>{' '}
        {word} {other === null ? 'somebody' : personName(other)}
      </a>
      <span class="mark-quiet">{verdict === null ? 'under way' : WORDS[verdict]}</span>
      {amount !== null && <AmountText value={amount} token={token} of={`${actor}/amount`} />}
    </li>
  );
}
