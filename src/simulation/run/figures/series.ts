/** The series of a run: points of some blocks each, with what happened in them and how the channels stood after them. */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { SeriesPoint } from '../../report/results/result.ts';
import { quantile } from '../../report/results/statistics.ts';

export type Standing = Pick<SeriesPoint, 'pendingLocks' | 'capacity' | 'imbalance'>;
/** `latencies`: in blocks, of the payments that succeeded in these blocks. */
export type Point = {
  -readonly [Field in Exclude<keyof SeriesPoint, 'latencyBlocksP50'>]: SeriesPoint[Field];
} & {
  latencies: number[];
};
export type SeriesOptions = {
  /** The newest block, counted from the scenario's first; null: the scenario has not begun. */
  block(): number | null;
  /** Length of the run. */
  blocks: number;
  /** Blocks of one point. */
  pointBlocks: number;
};

export function createSeries({ block, blocks, pointBlocks }: SeriesOptions) {
  const points = new Map<number, Point>();
  const firstOf = (at: number) => Math.floor(at / pointBlocks) * pointBlocks;
  /** What happens when the last block of the run is mined belongs to the last point. */
  const last = firstOf(Math.max(0, blocks - 1));
  /** The first block of the newest point that nobody has looked back at. */
  let open = 0;

  function pointAt(first: number): Point {
    return getOrMake(points, first, () => newPoint(first));
  }
  const newest = () => Math.min(last, firstOf(block() ?? 0));

  return {
    /** The point in which the present block is; null before the scenario's first block. */
    now: (): Point | null => (block() === null ? null : pointAt(newest())),
    /** Notes how the channels stand if the blocks of a point are over since the last call. */
    look(standing: () => Standing): void {
      if (newest() <= open) return;
      open = newest();
      Object.assign(pointAt(open - pointBlocks), standing());
    },
    /** Notes how the channels stand when the run ends. */
    end(standing: Standing): void {
      Object.assign(pointAt(newest()), standing);
    },
    raw: () => [...points.values()],
    /** Adds what happened to nodes of another part. */
    add(others: readonly Point[]) {
      for (const { block, latencies, started, succeeded, failed, messages, payloads } of others) {
        const point = pointAt(block);
        point.latencies.push(...latencies);
        point.started += started;
        point.succeeded += succeeded;
        point.failed += failed;
        point.messages += messages;
        point.payloads += payloads;
      }
    },
    points: (): SeriesPoint[] =>
      [...points.values()].sort((a, b) => a.block - b.block).map(seriesPoint),
  };
}

function newPoint(block: number): Point {
  return {
    block,
    latencies: [],
    ...{ started: 0, succeeded: 0, failed: 0 },
    ...{ messages: 0, payloads: 0, transactions: 0, gasUsed: 0 },
    ...{ pendingLocks: null, capacity: null, imbalance: null },
  };
}

function seriesPoint({ latencies, ...point }: Point): SeriesPoint {
  const counted = latencies.toSorted((a, b) => a - b).map((value) => ({ value, count: 1 }));
  return { ...point, latencyBlocksP50: quantile(counted, 0.5) };
}
