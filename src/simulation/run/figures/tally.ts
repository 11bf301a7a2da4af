/** Counts what happens in a run, in a size that does not grow with the number of payments. */
import type { Batch } from '../../../store/base/batch.ts';
import type { Histogram } from '../../report/results/result.ts';
import { createFlows } from './flows.ts';
import { createNodeTallies, type NodeTally, type TallyWorld } from './node-tallies.ts';
import { createSeries, type Point, type SeriesOptions } from './series.ts';

export type Tally = ReturnType<typeof createTally>;
/** A payment of this node. `isCounted` false: it is nobody's payment, but money that the node moves. */
type Started = { from: number; isCounted: boolean; block: number; at: number };
type Counted = 'started' | 'succeeded' | 'failed' | 'transactions' | 'gasUsed';

/** The longest latency in blocks that is counted by itself. */
const MOST_LATENCY = 10_000;
/** Latencies in milliseconds are counted in steps of this size, up to the longest. */
const DELAY_MS = 10;
const MOST_DELAY_MS = 600_000;

export function createTally(nodes: number, { world, time, ...options }: TallyOptions) {
  const nodeTallies = createNodeTallies(nodes, world, time);
  const flows = createFlows();
  const failed = new Map<string, number>();
  const latencies = new Map<number, number>();
  const delays = new Map<number, number>();
  const points = new Map<string, number>();
  const bounds = new Map<string, number>();
  const slacks = new Map<number, number>();
  const calls = new Map<string, { count: number; gas: number }>();
  const messages = new Map<string, number>();
  const series = createSeries(options);
  const block = () => options.block() ?? 0;
  let started = 0;
  let succeeded = 0;

  function count(what: Counted, by = 1) {
    const point = series.now();
    if (point !== null) point[what] += by;
  }

  return {
    ...nodeTallies,
    /** Counts a batch that a node has written. */
    commit(index: number, batch: Batch) {
      nodeTallies.commit(index, batch);
      flows.step(index, batch.proofs);
    },
    /** What an end of a channel, named by its actor's id, says of what went through it. */
    flowsOf: flows.of,
    /** To note how the channels stand when the blocks of a point are over, and in the end. */
    series: { look: series.look, end: series.end },
    /** A node sends another one a payload with messages of these types. */
    sent(from: number, types: readonly string[]) {
      const point = series.now();
      if (point === null) return;
      nodeTallies.of(from).messagesSent += types.length;
      point.payloads += 1;
      point.messages += types.length;
      for (const type of types) messages.set(type, (messages.get(type) ?? 0) + 1);
    },
    /** A payload with so many messages has reached a node. */
    heard(to: number, count: number) {
      if (series.now() !== null) nodeTallies.of(to).messagesReceived += count;
    },
    /** A sealed payload of any node has reached this one. */
    overheard(to: number) {
      const point = series.now();
      if (point === null) return;
      nodeTallies.of(to).messagesReceived += 1;
      point.payloads += 1;
      point.messages += 1;
    },
    /** Counts a payment, unless a node pays itself. `at`: milliseconds of any clock. */
    begin(at: number, { from, to }: { from: number; to: number }): Started {
      const isCounted = from !== to;
      if (isCounted) {
        started += 1;
        count('started');
      }
      return { from, isCounted, block: block(), at };
    },
    /** `at`: milliseconds of the same clock as in `begin`. `code` null: the payment has succeeded. */
    end(payment: Started, at: number, code: string | null) {
      if (code !== null) nodeTallies.of(payment.from).failedCount += 1;
      if (!payment.isCounted) return;
      if (code !== null) {
        failed.set(code, (failed.get(code) ?? 0) + 1);
        count('failed');
        return;
      }
      succeeded += 1;
      const blocks = Math.min(MOST_LATENCY, block() - payment.block);
      latencies.set(blocks, (latencies.get(blocks) ?? 0) + 1);
      const ms = Math.min(MOST_DELAY_MS, Math.round((at - payment.at) / DELAY_MS) * DELAY_MS);
      delays.set(ms, (delays.get(ms) ?? 0) + 1);
      count('succeeded');
      series.now()?.latencies.push(blocks);
    },
    /** An honest node has refused something because of this bound. */
    bound: (name: string) => void bounds.set(name, (bounds.get(name) ?? 0) + 1),
    point: (name: string) => void points.set(name, (points.get(name) ?? 0) + 1),
    /** A secret was registered so many blocks before the expiration of a lock that pays an honest node. */
    slack: (blocks: number) => void slacks.set(blocks, (slacks.get(blocks) ?? 0) + 1),
    /** A transaction with this call was mined. */
    call(name: string, gasUsed: bigint) {
      const known = calls.get(name) ?? { count: 0, gas: 0 };
      calls.set(name, { count: known.count + 1, gas: known.gas + Number(gasUsed) });
      count('transactions');
      count('gasUsed', Number(gasUsed));
    },
    /** All that was counted, for another thread. */
    raw: () => ({
      nodes: nodeTallies.raw(),
      flows: flows.raw(),
      series: series.raw(),
      counts: { started, succeeded },
      failed: [...failed],
      latencies: [...latencies],
      delays: [...delays],
      points: [...points],
      bounds: [...bounds],
      slacks: [...slacks],
      messages: [...messages],
    }),
    /** Adds what was counted in another part. What was mined each part has seen. */
    add(raw: RawTally, isTheirs: (index: number) => boolean) {
      nodeTallies.add(raw.nodes, isTheirs);
      flows.add(raw.flows);
      series.add(raw.series);
      started += raw.counts.started;
      succeeded += raw.counts.succeeded;
      addCounts(failed, raw.failed);
      addCounts(latencies, raw.latencies);
      addCounts(delays, raw.delays);
      addCounts(points, raw.points);
      addCounts(bounds, raw.bounds);
      addCounts(slacks, raw.slacks);
      addCounts(messages, raw.messages);
    },
    /** Number of payments that were started up to now. */
    started: () => started,
    /** What was counted, as a result has it. */
    results: () => ({
      payments: { started, succeeded, failed: byName(failed) },
      series: series.points(),
      histograms: {
        latencyBlocks: histogramOf(latencies),
        latencyMs: histogramOf(delays),
        lockSlackBlocks: histogramOf(slacks),
      },
      messagesByType: byName(messages),
      transactionsByType: byName(calls),
      faultPoints: byName(points),
      bounds: byName(bounds),
    }),
  };
}
/** What `raw` of a tally gives. */
export type RawTally = {
  nodes: { tallies: NodeTally[]; fees: [string, bigint][] };
  flows: ReturnType<ReturnType<typeof createFlows>['raw']>;
  series: Point[];
  counts: { started: number; succeeded: number };
  failed: [string, number][];
  latencies: [number, number][];
  delays: [number, number][];
  points: [string, number][];
  bounds: [string, number][];
  slacks: [number, number][];
  messages: [string, number][];
};

function addCounts<Key>(counts: Map<Key, number>, more: readonly [Key, number][]) {
  for (const [key, count] of more) counts.set(key, (counts.get(key) ?? 0) + count);
}

type TallyOptions = SeriesOptions & {
  world(): TallyWorld;
  /** Virtual time in blocks, with fractions. */
  time(): number;
};

function byName<T>(counted: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...counted].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How often there was each value, ascending. */
export function histogramOf(counted: ReadonlyMap<number, number>): Histogram {
  return [...counted].sort(([a], [b]) => a - b).map(([value, count]) => ({ value, count }));
}
