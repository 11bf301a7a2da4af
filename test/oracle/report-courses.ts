/** What a report should say of distributions and of the course of a run. */
import type {
  Histogram,
  RunResult,
  SeriesPoint,
} from '../../src/simulation/report/results/result.ts';

/** Null: there is no such figure, or nothing was measured. */
export type So = number | bigint | string | null;

/** `12` of `block:12`. */
export const numberIn = (at: string | null): number => Number(at?.slice(at.indexOf(':') + 1));

export const total = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};
export const permille = (part: number, whole: number): So =>
  whole === 0 ? null : (part / whole) * 1000;

export const HISTOGRAMS: Record<string, (result: RunResult) => Histogram> = {
  latency_blocks: ({ histograms }) => histograms.latencyBlocks,
  latency_ms: ({ histograms }) => histograms.latencyMs,
  latency_messages: ({ histograms }) => histograms.latencyMessages,
  lock_slack: ({ histograms, dangerSlackBlocks }) =>
    dangerSlackBlocks < 0 ? [] : histograms.lockSlackBlocks,
};

export function histogramFigure(histogram: Histogram, what: string, at: string | null): So {
  const values = histogram.flatMap(({ value, count }) => Array<number>(count).fill(value));
  if (values.length === 0) return null;
  const percentile = /^p(\d+)$/.exec(what)?.[1];
  if (percentile !== undefined) {
    const rank = Math.max(1, Math.ceil((Number(percentile) * values.length) / 100));
    return values[rank - 1] ?? null;
  }
  if (what === 'locks') return values.length;
  if (what === 'value') return null;
  if (what !== 'within') return null;
  return permille(values.filter((value) => value <= numberIn(at)).length, values.length);
}

/** A point of the course at `block:…`, its newest (`_last`) or its greatest or least value. */
export function seriesFigure(result: RunResult, what: string, at: string | null): So {
  const course = /^(.*?)(_last|_most|_least)?$/.exec(what);
  const values = courseOf(result, course?.[1] ?? '');
  if (at !== null) return values.find(({ block }) => block === numberIn(at))?.value ?? null;
  const measured = values.flatMap(({ value }) => (value === null ? [] : [value]));
  if (course?.[2] === '_last') return measured.at(-1) ?? null;
  const sorted = measured.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return (course?.[2] === '_least' ? sorted[0] : sorted.at(-1)) ?? null;
}

/** A course as it should be drawn: the value from `block` until `end`; a share in thousandths. */
export function courseOf({ series, blocks }: RunResult, name: string) {
  const value = (point: SeriesPoint, end: number): number | bigint | null => {
    const { started, succeeded, failed, pendingLocks, imbalance, capacity } = point;
    if (name === 'success')
      return succeeded + failed === 0 ? null : (succeeded * 1000) / (succeeded + failed);
    if (name === 'started') return started / (end - point.block);
    if (name === 'locks') return pendingLocks;
    if (name === 'imbalance') return imbalance === null ? null : imbalance * 1000;
    return name === 'capacity' ? capacity : null;
  };
  return series.map((point, at) => {
    const end = series[at + 1]?.block ?? Math.max(blocks, point.block + 1);
    return { block: point.block, end, value: value(point, end) };
  });
}
