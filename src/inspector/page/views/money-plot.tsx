/** The balances of a channel over the steps that the page knows. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { ActorFeed } from '../actor-feed.ts';
import { Amount } from '../amount.tsx';
import { amountFigure, units } from '../labels.ts';
import {
  type BalancePoint,
  balancePoints,
  fractionOf,
  type Scale,
  scaleOf,
} from './money-series.ts';

const HEIGHT = 200;
/** Points of the table beside the drawing, the newest. */
const LISTED = 100;

type Of = { token: string | null };

export function BalancePlot({ feed, token }: Of & { feed: ActorFeed }) {
  const [base, steps] = [feed.base.value, feed.steps.value];
  const points = useMemo(() => balancePoints(base, steps), [base, steps]);
  const pointed = useMemo(() => signal<number | null>(null), []);
  const point = points[pointed.value ?? points.length - 1] ?? points.at(-1);
  return (
    <div class="pane">
      <header>
        <h3>Over the known steps</h3>
        <ul class="pane-legend" aria-hidden="true">
          <li>
            <span class="swatch-line line-own" /> own balance
          </li>
          <li>
            <span class="swatch-line line-free" /> own balance without locks
          </li>
        </ul>
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
          <Drawing key={units.value} points={points} pointed={pointed} token={token} />
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

type DrawingProps = Of & { points: readonly BalancePoint[]; pointed: Signal<number | null> };

function Drawing({ points, pointed, token }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shown = useRef(points);
  shown.current = points;
  useEffect(() => {
    const host = place.current;
    if (host === null) return;
    const { width } = host.getBoundingClientRect();
    const made = new uPlot(optionsOf({ host, width, shown, pointed, token }), dataOf(points), host);
    plot.current = made;
    const resized = new ResizeObserver(() => {
      made.setSize({ width: host.clientWidth, height: HEIGHT });
    });
    resized.observe(host);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => made.redraw(false);
    const themed = new MutationObserver(repaint);
    themed.observe(document.documentElement, { attributes: true });
    scheme.addEventListener('change', repaint);
    return () => {
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', repaint);
      made.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf(points)), [points]);
  return (
    <div class="plot" aria-hidden="true" ref={place}>
      <i class="ink-own" />
      <i class="ink-free" />
      <i class="ink-axis" />
      <i class="ink-grid" />
    </div>
  );
}

const amountsIn = (points: readonly BalancePoint[]) => points.map(({ own }) => own);

function dataOf(points: readonly BalancePoint[]): uPlot.AlignedData {
  const scale = scaleOf(amountsIn(points));
  const line = (field: 'own' | 'free') => points.map((point) => fractionOf(point[field], scale));
  return [points.map((_, index) => index), line('own'), line('free')];
}

/** A canvas knows no variables of the style sheet: an element of each colour stands in the host. */
function inkOf(host: HTMLElement, name: string): string {
  const sample = host.querySelector(`.ink-${name}`);
  return sample === null ? 'gray' : getComputedStyle(sample).color;
}

type Drawn = Of & {
  host: HTMLElement;
  width: number;
  shown: { current: readonly BalancePoint[] };
  pointed: Signal<number | null>;
};

function optionsOf({ host, width, shown, pointed, token }: Drawn): uPlot.Options {
  const ink = (name: string) => () => inkOf(host, name);
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const series = (name: string, style: Partial<uPlot.Series>): uPlot.Series => ({
    stroke: ink(name),
    points: { show: false },
    ...(paths && { paths }),
    ...style,
  });
  const axis = {
    stroke: ink('axis'),
    ticks: { stroke: ink('grid'), width: 1 },
    grid: { stroke: ink('grid'), width: 1 },
  };
  const scale = () => scaleOf(amountsIn(shown.current));
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: [0, 1.04] } },
    series: [{}, series('own', { width: 2 }), series('free', { width: 1.5, dash: [6, 4] })],
    axes: [
      { ...axis, values: (_, splits) => splits.map((index) => blockAt(shown.current, index)) },
      {
        ...axis,
        size: (_, labels) => 24 + 7.5 * Math.max(4, ...(labels ?? []).map((label) => label.length)),
        splits: () => scale().ticks.map((amount) => fractionOf(amount, scale())),
        values: () => scale().ticks.map((amount) => axisText(amount, scale(), token)),
      },
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          pointed.value = cursor.idx ?? null;
        },
      ],
    },
  };
}

function blockAt(points: readonly BalancePoint[], index: number): string {
  const point = Number.isInteger(index) ? points[index] : undefined;
  return point === undefined ? '' : `#${point.block}`;
}

/** Ticks are round: in the smallest unit their zeros are written as a power of ten when there are many. */
function axisText(amount: bigint, { ticks }: Scale, token: string | null): string {
  const zeros = /0{6,}$/.exec(`${ticks[1] ?? 0n}`)?.[0].length ?? 0;
  if (units.value === 'tokens' || zeros === 0 || amount === 0n) return amountFigure(amount, token);
  return `${amountFigure(amount / 10n ** BigInt(zeros), null)}e${zeros}`;
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
