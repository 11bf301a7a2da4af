/** Payments over a slow line: how many a second, and how often each message was sent for them. */
import { setTimeout as delay } from 'node:timers/promises';
import { createCaller } from './callers.ts';
import { type Metrics, metricsOf } from './node-metrics.ts';
import { cpuMsOf, mainThreadCpuMsOf } from './process-figures.ts';
import type { SlowNetwork } from './slow-network.ts';

export type Load = {
  callers: number;
  /** How long payments are counted. */
  countMs: number;
  /** From a call to its answer, at least: the way to the partner and back. */
  roundTripMs: number;
};
export type Run = Awaited<ReturnType<typeof payOverLine>>;

/** How many messages of each type a direct payment takes at most when none is repeated. */
const NEEDED: ReadonlyMap<string, number> = new Map([
  ['Update', 2],
  ['RevealSecret', 1],
  ['Processed', 2],
]);
export const NEEDED_TYPES = [...NEEDED.keys()];
/** Round trips before payments are counted: the callers begin one after the other during the first. */
const TRIPS_BEFORE = 3;
const LEAST_BEFORE_MS = 1_000;
const PROBE_PAUSE_MS = 100;
const PATIENCE_MS = 180_000;

const nodesOf = ({ payer, payee }: SlowNetwork) => [payer, payee];

/** Waits until no message waits for its acknowledgement any more. */
async function settled(network: SlowNetwork): Promise<Metrics[]> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const all = await Promise.all(nodesOf(network).map(({ api }) => metricsOf(api)));
    if (all.every((metrics) => metrics.value('pcn_outbox_depth') === 0)) return all;
    if (performance.now() > end) throw new Error('messages still wait for their acknowledgement');
    await delay(PROBE_PAUSE_MS);
  }
}

function countsOf(all: readonly Metrics[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const metrics of all)
    for (const [type, count] of metrics.sent()) counts.set(type, (counts.get(type) ?? 0) + count);
  return counts;
}

/** Calls that are made one after the other until `isOver`; the answers are noted when they come. */
async function payAgain({ payer, path }: SlowNetwork, load: PayLoad): Promise<void> {
  await delay(load.afterMs);
  const caller = createCaller(payer.api);
  while (!load.isOver()) {
    const asked = performance.now();
    const { status } = await caller.call('POST', path, { amount: '1' });
    load.answered(status, performance.now() - asked);
  }
  caller.close();
}
type PayLoad = {
  afterMs: number;
  isOver(): boolean;
  answered(status: number, milliseconds: number): void;
};

/** Payments by all callers at once, from silence to silence. */
export async function payOverLine(network: SlowNetwork, { callers, countMs, roundTripMs }: Load) {
  const before = countsOf(await settled(network));
  const pids = nodesOf(network).map(({ pid }) => pid);
  let isCounting = false;
  let isOver = false;
  let paid = 0;
  let failed = 0;
  const counted: number[] = [];
  const calling = Array.from({ length: callers }, (_, at) =>
    payAgain(network, {
      // All at once would stay together, and the rate would depend on how many waves fit into the time.
      afterMs: (at * roundTripMs) / callers,
      isOver: () => isOver,
      answered(status, milliseconds) {
        if (status === 200) paid += 1;
        else failed += 1;
        if (status === 200 && isCounting) counted.push(milliseconds);
      },
    }),
  );
  await delay(Math.max(LEAST_BEFORE_MS, TRIPS_BEFORE * roundTripMs));
  const begin = performance.now();
  const cpuBefore = pids.map(cpuMsOf);
  const mainBefore = pids.map(mainThreadCpuMsOf);
  isCounting = true;
  await delay(countMs);
  isCounting = false;
  const seconds = (performance.now() - begin) / 1_000;
  const spent = pids.map((pid, at) => cpuMsOf(pid) - (cpuBefore[at] ?? 0));
  const spentByMain = pids.map((pid, at) => mainThreadCpuMsOf(pid) - (mainBefore[at] ?? 0));
  isOver = true;
  await Promise.all(calling);
  const after = countsOf(await settled(network));
  const sent = (type: string) => (after.get(type) ?? 0) - (before.get(type) ?? 0);
  const perPayment = (costs: readonly number[]) => costs.map((ms) => ms / counted.length);
  counted.sort((a, b) => a - b);
  const total = (of: Iterable<number>) => [...of].reduce((sum, one) => sum + one, 0);
  return {
    rate: counted.length / seconds,
    failed,
    /** Milliseconds from the call to its answer. */
    p50: counted[Math.floor(counted.length / 2)] ?? Number.NaN,
    /** How often each message of this type was sent. */
    sends: (type: string) => sent(type) / (paid * (NEEDED.get(type) ?? Number.NaN)),
    /** The same of all messages, whatever their type. */
    allSends: total([...after.keys()].map(sent)) / (paid * total(NEEDED.values())),
    /** Types of messages that no payment needs, and how many were sent. */
    others: [...after.keys()].flatMap((type): [string, number][] =>
      NEEDED.has(type) || sent(type) === 0 ? [] : [[type, sent(type)]],
    ),
    /** Milliseconds of CPU time of payer and payee for each payment; of all their threads, and of the main one alone. */
    spent: perPayment(spent),
    spentByMain: perPayment(spentByMain),
  };
}
