/** Amounts over the steps that changed them, as stepped lines. */
import type { Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { amountFigure, tokenUnit, units } from '../../../page-parts/labels.ts';
import { useMeasured } from '../../base/seen.ts';
import { heightOn, roundStep, scaleOf } from './series.ts';

const HEIGHT = 200;
/** Room around the axes, in pixels; on the left for the amounts. */
const ROOM = { top: 10, right: 16, bottom: 44 };
/** Between two numbers of the axis below, and as wide as one letter of an amount. */
const LABEL_SPACE = 80;
const LETTER = 7;

/** `of`: what the line claims to be; `amounts`: one for each step. */
export type BalanceLine = {
  ink: 'own' | 'free';
  of: string;
  amounts: readonly bigint[];
  isDashed?: boolean;
};
type DrawingProps = {
  lines: readonly BalanceLine[];
  /** The numbers of the steps. */
  steps: readonly number[];
  token: string | null;
  /** The step under the pointer, counted from 0; null: none. */
  pointed: Signal<number | null>;
};

export function MoneyDrawing({ lines, steps, token, pointed }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useMeasured(place, ({ clientWidth }) => setWidth(clientWidth));
  const scale = scaleOf(lines.flatMap(({ amounts }) => amounts));
  const labels = scale.ticks.map((amount) => axisText(amount, scale.ticks, token));
  const left = 16 + LETTER * Math.max(...labels.map(({ length }) => length));
  const [across, down] = [width - left - ROOM.right, HEIGHT - ROOM.top - ROOM.bottom];
  const bottom = HEIGHT - ROOM.bottom;
  const last = Math.max(1, steps.length - 1);
  const x = (index: number) => left + (index / last) * across;
  const y = (amount: bigint) => bottom - heightOn(amount, scale) * down;
  const every = Number(
    roundStep(BigInt(last), BigInt(Math.max(1, Math.floor(across / LABEL_SPACE)))),
  );
  return (
    <div class="plot" ref={place}>
      <svg
        aria-hidden="true"
        width={width}
        height={HEIGHT}
        data-plot="balance"
        onPointerMove={({ offsetX }) => {
          const index = Math.round(((offsetX - left) / across) * last);
          pointed.value = Math.min(steps.length - 1, Math.max(0, index));
        }}
        onPointerLeave={() => {
          pointed.value = null;
        }}
      >
        {scale.ticks.map((amount, index) => (
          <g key={`${amount}`} data-tick="y" data-value={`${amount}`} data-unit={tickUnit(token)}>
            <line
              class="ink-grid"
              x1={left}
              x2={width - ROOM.right}
              y1={y(amount)}
              y2={y(amount)}
            />
            <text class="ink-axis" x={left - 8} y={y(amount) + 4} text-anchor="end">
              {labels[index]}
            </text>
          </g>
        ))}
        {ticksOf(steps.length, every).map((index) => (
          <g key={index} data-tick="x" data-value={`${index}`}>
            <line class="ink-grid" x1={x(index)} x2={x(index)} y1={bottom} y2={bottom + 5} />
            <text
              class="ink-axis"
              x={x(index)}
              y={bottom + 18}
              text-anchor={index === last ? 'end' : 'middle'}
            >
              {steps[index]}
            </text>
          </g>
        ))}
        <text class="ink-axis" x={left + across / 2} y={HEIGHT - 6} text-anchor="middle">
          steps that changed a balance
        </text>
        {lines.map(({ ink, of, amounts, isDashed = false }) => (
          <path
            key={ink}
            class={`ink-${ink}`}
            stroke-dasharray={isDashed ? '6 4' : undefined}
            d={amounts
              .map((amount, n) => `${n === 0 ? `M${x(n)} ` : `H${x(n)}V`}${y(amount)}`)
              .join('')}
            data-line={of}
            data-unit={tokenUnit(token)}
            data-points={amounts.map((amount, n) => `${n},${amount}`).join(' ')}
            data-moments={steps.map((seq) => `seq:${seq}`).join(' ')}
          />
        ))}
        {pointed.value !== null && (
          <line
            class="ink-axis"
            x1={x(pointed.value)}
            x2={x(pointed.value)}
            y1={ROOM.top}
            y2={bottom}
          />
        )}
      </svg>
    </div>
  );
}

/** Round numbers of an axis are not always written in the unit of their amounts. */
const tickUnit = (token: string | null) =>
  units.value === 'tokens' ? tokenUnit(token) : undefined;

/** Every so many steps, and the last one. */
function ticksOf(count: number, every: number): number[] {
  const places = Array.from({ length: count }, (_, index) => index);
  return places.filter(
    (index) => index === count - 1 || (index % every === 0 && index + every / 2 < count),
  );
}

/** Ticks are round numbers: in the smallest unit, many zeros are written as a power of ten. */
function axisText(amount: bigint, ticks: readonly bigint[], token: string | null): string {
  const zeros = /0{6,}$/.exec(`${ticks[1] ?? 0n}`)?.[0].length ?? 0;
  if (units.value === 'tokens' || zeros === 0 || amount === 0n) return amountFigure(amount, token);
  return `${amountFigure(amount / 10n ** BigInt(zeros), null)}e${zeros}`;
}
