/** The balances of a channel over the steps that the page knows. */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Amount } from '../../../page-parts/amount.tsx';
import { units } from '../../../page-parts/labels.ts';
import type { ActorFeed } from '../../live/actor-feed.ts';
import { type BalanceLine, MoneyDrawing } from './drawing.tsx';
import { type BalancePoint, balancePoints } from './series.ts';

/** The newest points that the table beside the drawing lists. */
const LISTED = 100;

type Of = { token: string | null };

export function BalancePlot({ feed, token }: Of & { feed: ActorFeed }) {
  const [base, steps] = [feed.base.value, feed.steps.value];
  const points = useMemo(() => balancePoints(base, steps), [base, steps]);
  const along = useMemo(
    () => ({ kind: 'steps' as const, at: points.map(({ seq }) => seq) }),
    [points],
  );
  const pointed = useMemo(() => signal<number | null>(null), []);
  const point = points[pointed.value ?? points.length - 1] ?? points.at(-1);
  return (
    <div class="pane">
      <header>
        <h2>Over the known steps</h2>
        <Legend />
      </header>
      {point === undefined ? (
        <p class="mark-quiet">No step tells of a balance yet.</p>
      ) : (
        <>
          <p class="plot-readout">
            after step {point.seq} at #{point.block.toString()}: own{' '}
            <strong>
              <Amount value={point.own} token={token} />
            </strong>
            , without locks <Amount value={point.free} token={token} />, partner{' '}
            <Amount value={point.partner} token={token} />
          </p>
          <MoneyDrawing
            key={units.value}
            lines={linesOf(points)}
            along={along}
            pointed={pointed}
            token={token}
          />
          <details>
            <summary>As a table</summary>
            <PointTable points={points} token={token} />
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

function Legend() {
  return (
    <ul class="pane-legend" aria-hidden="true">
      <li>
        <span class="swatch-line line-own" /> own balance
      </li>
      <li>
        <span class="swatch-line line-free" /> own balance without locks
      </li>
    </ul>
  );
}

function linesOf(points: readonly BalancePoint[]): BalanceLine[] {
  return [
    { ink: 'own', amounts: points.map(({ own }) => own) },
    { ink: 'free', amounts: points.map(({ free }) => free), isDashed: true },
  ];
}

function PointTable({ points, token }: Of & { points: readonly BalancePoint[] }) {
  return (
    <div class="proofs pane-wide">
      <table class="exact">
        <thead>
          <tr>
            <th>Step</th>
            <th>Block</th>
            <th class="number">Own balance</th>
            <th class="number">Without locks</th>
            <th class="number">Partner's balance</th>
          </tr>
        </thead>
        <tbody>
          {points
            .slice(-LISTED)
            .reverse()
            .map(({ seq, block, own, free, partner }) => (
              <tr key={seq}>
                <td>{seq}</td>
                <td>#{block.toString()}</td>
                <td class="number">
                  <Amount value={own} token={token} />
                </td>
                <td class="number">
                  <Amount value={free} token={token} />
                </td>
                <td class="number">
                  <Amount value={partner} token={token} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
