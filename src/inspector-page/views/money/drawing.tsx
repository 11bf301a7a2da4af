/** Amounts over time, or over steps, as stepped lines on a canvas. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { amountFigure, units } from '../../../page-parts/labels.ts';
import { onNewColours } from '../../base/seen.ts';
import {
  type Along,
  type AmountScale,
  axisPlaces,
  fractionOf,
  placeText,
  scaleOf,
} from './series.ts';

const HEIGHT = 200;
/** Room above, right, below and left of the axes; on the right for the half of the last label. */
const PADDING: uPlot.Padding = [8, 36, 0, 8];
/** Between two labels of the axis below, in pixels. */
const LABEL_SPACE = 90;
const STEP_AXIS = 'Steps that changed a balance, by their numbers';
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
const FONT = '12px system-ui, sans-serif';

/** `ink`: the name of the line's colour in the style sheet. */
export type BalanceLine = { ink: 'own' | 'free'; amounts: readonly bigint[]; isDashed?: boolean };
type Shown = { lines: readonly BalanceLine[]; along: Along };
type DrawingProps = Shown & {
  token: string | null;
  /** The point under the pointer; null: none. */
  pointed: Signal<number | null>;
};

/** Needs a new key when units change: the axis is as wide as its texts. */
export function MoneyDrawing({ lines, along, pointed, token }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shown = useRef<Shown>({ lines, along });
  shown.current = { lines, along };
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
    const endColours = onNewColours(() => made.redraw(false));
    return () => {
      resized.disconnect();
      endColours();
      made.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf({ lines, along })), [lines, along]);
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
  return [axisPlaces(shown.along), ...lines];
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
  const series = ({ ink: name, isDashed = false }: BalanceLine): uPlot.Series => ({
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
  const isTime = shown.current.along.kind === 'time';
  return {
    width,
    height: HEIGHT,
    padding: PADDING,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: isTime }, y: { range: [0, 1.04] } },
    series: [{}, ...shown.current.lines.map(series)],
    axes: [
      {
        ...axis,
        space: LABEL_SPACE,
        values: (_, splits) => splits.map((place) => placeText(place, shown.current.along)),
        ...(isTime ? {} : { incrs: WHOLE_STEPS, label: STEP_AXIS, labelSize: 20, labelFont: FONT }),
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
function axisText(amount: bigint, { ticks }: AmountScale, token: string | null): string {
  const zeros = /0{6,}$/.exec(`${ticks[1] ?? 0n}`)?.[0].length ?? 0;
  if (units.value === 'tokens' || zeros === 0 || amount === 0n) return amountFigure(amount, token);
  return `${amountFigure(amount / 10n ** BigInt(zeros), null)}e${zeros}`;
}
