/** Amounts over time as stepped lines on a canvas. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { amountFigure, units } from '../../labels.ts';
import { fractionOf, type Scale, scaleOf } from './series.ts';

const HEIGHT = 200;

/** `ink`: the name of the line's colour in the style sheet. */
export type Line = { ink: 'own' | 'free'; amounts: readonly bigint[]; isDashed?: boolean };
type Shown = {
  lines: readonly Line[];
  /** What is written below each point. */
  labels: readonly string[];
};
type DrawingProps = Shown & {
  token: string | null;
  /** The point under the pointer; null: none. */
  pointed: Signal<number | null>;
};

/** Needs a new key when units change: the axis is as wide as its texts. */
export function MoneyDrawing({ lines, labels, pointed, token }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shown = useRef<Shown>({ lines, labels });
  shown.current = { lines, labels };
  useEffect(() => {
    const host = place.current;
    if (host === null) return;
    const { width } = host.getBoundingClientRect();
    const options = optionsOf({ host, width, shown, pointed, token });
    const made = new uPlot(options, dataOf(shown.current), host);
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
  useEffect(() => plot.current?.setData(dataOf({ lines, labels })), [lines, labels]);
  return (
    <div class="plot" aria-hidden="true" ref={place}>
      <i class="ink-own" />
      <i class="ink-free" />
      <i class="ink-axis" />
      <i class="ink-grid" />
    </div>
  );
}

const scaleIn = ({ lines }: Shown) => scaleOf(lines.flatMap(({ amounts }) => amounts));

function dataOf(shown: Shown): uPlot.AlignedData {
  const scale = scaleIn(shown);
  const lines = shown.lines.map(({ amounts }) =>
    amounts.map((amount) => fractionOf(amount, scale)),
  );
  return [shown.labels.map((_, index) => index), ...lines];
}

/** The colour of a line. A canvas cannot use CSS variables, so the host has an element of each colour. */
function inkOf(host: HTMLElement, name: string): string {
  const sample = host.querySelector(`.ink-${name}`);
  return sample === null ? 'gray' : getComputedStyle(sample).color;
}

type Drawn = {
  token: string | null;
  host: HTMLElement;
  width: number;
  shown: { current: Shown };
  pointed: Signal<number | null>;
};

function optionsOf({ host, width, shown, pointed, token }: Drawn): uPlot.Options {
  const ink = (name: string) => () => inkOf(host, name);
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const series = ({ ink: name, isDashed = false }: Line): uPlot.Series => ({
    stroke: ink(name),
    points: { show: false },
    ...(paths && { paths }),
    ...(isDashed ? { width: 1.5, dash: [6, 4] } : { width: 2 }),
  });
  const axis = {
    stroke: ink('axis'),
    ticks: { stroke: ink('grid'), width: 1 },
    grid: { stroke: ink('grid'), width: 1 },
  };
  const scale = () => scaleIn(shown.current);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: [0, 1.04] } },
    series: [{}, ...shown.current.lines.map(series)],
    axes: [
      {
        ...axis,
        space: 90,
        values: (_, splits) => splits.map((at) => shown.current.labels[at] ?? ''),
      },
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

/** The text of a tick. Ticks are round numbers: in the smallest unit, many zeros are written as a power of ten. */
function axisText(amount: bigint, { ticks }: Scale, token: string | null): string {
  const zeros = /0{6,}$/.exec(`${ticks[1] ?? 0n}`)?.[0].length ?? 0;
  if (units.value === 'tokens' || zeros === 0 || amount === 0n) return amountFigure(amount, token);
  return `${amountFigure(amount / 10n ** BigInt(zeros), null)}e${zeros}`;
}
