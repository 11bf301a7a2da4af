/** The balances of a channel over the steps that the page knows. */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { AmountCell, AmountText } from '../../../page-parts/amount.tsx';
import { TableHead } from '../../../page-parts/table-head.tsx';
import type { ActorFeed } from '../../live/actor-feed.ts';
import { DrawingLegend } from '../legend.tsx';
import { type BalanceLine, MoneyDrawing } from './drawing.tsx';
import { type BalancePoint, balancePoints } from './series.ts';

/** The newest points that the table beside the drawing lists. */
const LISTED = 100;

type Of = { token: string | null };

export function BalancePlot({ actor, feed, token }: Of & { actor: string; feed: ActorFeed }) {
  const [base, steps] = [feed.base.value, feed.steps.value];
  const points = useMemo(() => balancePoints(base, steps), [base, steps]);
  const pointed = useMemo(() => signal<number | null>(null), []);
  const point = points[pointed.value ?? points.length - 1] ?? points.at(-1);
  const claim = (what: string) => ({ of: `${actor}/${what}`, at: `seq:${point?.seq}` });
  return (
    <div class="pane">
      <header>
        <h2>Over the known steps</h2>
        <DrawingLegend entries={LEGEND} />
      </header>
      {point === undefined ? (
        <p class="mark-quiet">No step tells of a balance yet.</p>
      ) : (
        <>
          <p class="plot-readout">
            after step {point.seq} at #{point.block.toString()}: own{' '}
            <strong>
              <AmountText value={point.own} token={token} {...claim('own.balance')} />
            </strong>
            , without locks <AmountText value={point.free} token={token} {...claim('own.free')} />,
            partner <AmountText value={point.partner} token={token} {...claim('partner.balance')} />
          </p>
          <MoneyDrawing
            lines={linesOf(actor, points)}
            steps={points.map(({ seq }) => seq)}
            pointed={pointed}
            token={token}
          />
          <details>
            <summary>As a table</summary>
            <PointTable actor={actor} points={points} token={token} />
          </details>
        </>
      )}
      {feed.hasMore.value && (
        <button type="button" onClick={() => void feed.more()}>
          Load older steps
        </button>
      )}
    </div>
  );
}

const LEGEND = [
  ['swatch-line line-own', 'own balance'],
  ['swatch-line line-free', 'own balance without locks'],
] as const;

function linesOf(actor: string, points: readonly BalancePoint[]): BalanceLine[] {
  return [
    { ink: 'own', of: `${actor}/own.balance`, amounts: points.map(({ own }) => own) },
    {
      ink: 'free',
      of: `${actor}/own.free`,
      amounts: points.map(({ free }) => free),
      isDashed: true,
    },
  ];
}

const SUMS = ['Own balance', 'Without locks', "Partner's balance"];

function PointTable({
  actor,
  points,
  token,
}: Of & { actor: string; points: readonly BalancePoint[] }) {
  return (
    <div class="proofs pane-wide">
      <table class="exact">
        <TableHead columns={['Step', 'Block', ...SUMS.map((name) => [name, 'number'] as const)]} />
        <tbody>
          {points
            .slice(-LISTED)
            .reverse()
            .map(({ seq, block, own, free, partner }) => (
              <tr key={seq}>
                <td>{seq}</td>
                <td>#{block.toString()}</td>
                <AmountCell
                  value={own}
                  token={token}
                  of={`${actor}/own.balance`}
                  at={`seq:${seq}`}
                />
                <AmountCell value={free} token={token} of={`${actor}/own.free`} at={`seq:${seq}`} />
                <AmountCell
                  value={partner}
                  token={token}
                  of={`${actor}/partner.balance`}
                  at={`seq:${seq}`}
                />
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
