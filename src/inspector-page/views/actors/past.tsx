/** Shown below a short list of actors: the last payments, and what the node owned over time. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ListedActor } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { clockText } from '../../../page-parts/clock.ts';
import { personName } from '../../../page-parts/labels.ts';
import { TableHead } from '../../../page-parts/table-head.tsx';
import { whenDone } from '../../../page-parts/when-done.ts';
import { endingOf } from '../../base/ending.ts';
import { actorName } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import { lastPayments, PAYMENTS } from './last-payments.ts';
import { OwnPlot } from './own-plot.tsx';

type PastProps = {
  source: InspectorSource;
  rows: ReadonlyMap<string, ListedActor>;
  /** Changes whenever `rows` has changed: the map itself stays the same object. */
  version: number;
};

export function ActorsPast({ source, rows, version }: PastProps) {
  const before = useEnded(source);
  const payments = useMemo(() => lastPayments(before, rows.values()), [before, rows, version]);
  return (
    <div class="actors-past">
      {payments.length > 0 && <LastPayments payments={payments} />}
      <OwnPlot source={source} rows={rows} version={version} />
    </div>
  );
}

/** The payments that had ended when the page was opened; later ones come with the stream. */
function useEnded(source: InspectorSource): readonly ListedActor[] {
  const [ended, setEnded] = useState<readonly ListedActor[]>([]);
  useEffect(() => {
    const query = { ended: '1', machine: PAYMENTS.join(','), limit: '10' };
    // A failure is ignored: the list of actors shows that the node does not answer.
    return whenDone(source.read('actors', 'actors', query), ({ actors }) => setEnded(actors));
  }, [source]);
  return ended;
}

const MARKS = { good: '●', bad: '✕', over: '○' };

function LastPayments({ payments }: { payments: readonly ListedActor[] }) {
  return (
    <section class="pane" aria-label="Last payments">
      <header>
        <h2>Last payments</h2>
      </header>
      <div class="pane-wide">
        <table class="exact">
          <TableHead
            columns={['Ended', 'What', 'With', ['Amount', 'number'], ['State', 'past-state']]}
          />
          <tbody>
            {payments.map((row) => (
              <PaymentRow key={row.actor} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function PaymentRow({ row }: { row: ListedActor }) {
  const { actor, target, partner, amount, token, paymentId, endTime, state } = row;
  const { kind, name } = actorName(actor);
  const other = target ?? partner;
  const verdict = endingOf(row, [], null)?.verdict;
  return (
    <tr>
      <td class="number">{endTime === null ? '' : clockText(endTime)}</td>
      <td data-verdict={verdict ?? 'none'}>
        <span class="mark" aria-hidden="true">
          {verdict === undefined ? '…' : MARKS[verdict]}
        </span>{' '}
        <a href={pageHash({ view: 'chart', actor })}>
          {kind} {paymentId === null ? name : `${paymentId}`}
        </a>
      </td>
      <td>{other !== null && <span title={other}>{personName(other)}</span>}</td>
      <td class="number">{amount !== null && <AmountText value={amount} token={token} />}</td>
      <td class="past-state">{state.replaceAll('+', ' + ')}</td>
    </tr>
  );
}
