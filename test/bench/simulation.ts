/**
 * How fast the simulator is and what it needs: networks of 3, 100, 1,000 and 6,006 nodes, each in a process of its own,
 * so that the memory of one is not that of another; and whether a long run grows. The largest is a little larger than
 * Lightning was when the simulator CLoTH took its picture: 6,006 nodes and 27,100 pairs of them with channels.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { type Measured, report, round } from './report.ts';

/** `blocks`: fewer for the large, so that each takes about as long. `links`: channels of each node that comes. */
const SIZES = [
  { nodes: 3, links: 1, blocks: 100, perBlock: 10 },
  { nodes: 100, links: 2, blocks: 20, perBlock: 50 },
  { nodes: 1_000, links: 5, blocks: 10, perBlock: 50 },
  { nodes: 6_006, links: 5, blocks: 2, perBlock: 50 },
] as const;
/** Every payment of the long run takes three hops. */
const LONG = { nodes: 4, links: 1, blocks: 120, perBlock: 50 } as const;
const SMALLEST = { nodes: 2, links: 1, blocks: 1, perBlock: 1 } as const;
const SEED = 1;
const CALM = 4;
/** A process that takes longer is ended. */
const PATIENCE_MS = 1_800_000;
/**
 * What the aims of the project ask for: three-hop payments a second; MiB for so many nodes, and seconds of a core until
 * their first block.
 */
const AIMED_PAYMENTS = 300;
const AIMED_MEMORY = new Map([
  [1_000, 2_048],
  [6_006, 4_096],
]);
const AIMED_SETUP = new Map([[6_006, 180]]);

type Size = { nodes: number; links: number; blocks: number; perBlock: number };

const measureShape = v.object({
  /** Of everything, and of the blocks of the run alone, in milliseconds. */
  wholeMs: v.number(),
  runMs: v.number(),
  /** Of all cores together, until the first block. */
  setupCpuMs: v.number(),
  /** In the blocks of the run. */
  steps: v.number(),
  payments: v.number(),
  channels: v.number(),
  /** Bytes in use, after a collection: in the middle of the run, and at its end. */
  middle: v.number(),
  end: v.number(),
  /** Bytes that the process had of the machine when most were needed. */
  most: v.number(),
});
type Measure = v.InferOutput<typeof measureShape>;

function textOf({ nodes, links, blocks, perBlock }: Size): string {
  const kind = links === 1 ? 'line' : `scale_free, links: ${links}`;
  const isLong = nodes === LONG.nodes;
  const ends = isLong ? 'from: { kind: nodes, nodes: "0" }, to: { kind: next, distance: 3 }' : '';
  return `
version: 1
title: A benchmark
description: Payments of one token.
network:
  topology: { kind: ${kind}, nodes: ${nodes} }
  capacity: { kind: constant, amount: 100000 tokens }
services: { path_finding: { kind: shared } }
defaults: { reveal_timeout: 20, settle_timeout: 60 }
traffic:
  - { ${ends ? `${ends}, ` : ''}rate: { kind: constant, per_block: ${perBlock} }, amount: { kind: constant, amount: 1 token } }
run: { blocks: ${blocks + CALM}, calm: ${CALM} }
`;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** In a process that was started for it. */
async function measure(size: Size): Promise<Measure> {
  const parsed = parseScenario(textOf(size), 'benchmark');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const used = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const begun = performance.now();
  const marks: { at: number; steps: number; cpuMs: number }[] = [];
  let middle = 0;
  const result = await simulate({
    scenario: parsed.scenario,
    seed: SEED,
    onBlock({ block, steps }) {
      marks.push({ at: performance.now(), steps, cpuMs: cpuMs() });
      if (block === Math.floor(size.blocks / 2)) middle = used();
      return true;
    },
  });
  const ended = performance.now();
  const { at, steps, ...first } = marks[0] ?? { at: begun, steps: 0, cpuMs: 0 };
  return {
    wholeMs: ended - begun,
    runMs: ended - at,
    setupCpuMs: first.cpuMs,
    steps: result.steps - steps,
    payments: result.payments.succeeded,
    channels: result.channels.length,
    middle,
    end: used(),
    most: process.resourceUsage().maxRSS * 1_024,
  };
}

/** Runs in a process of its own; null: that ended without a result, for want of memory or of time. */
function measureApart(size: Size): Promise<Measure | null> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(size)], {
    // As much room for what is new as the threads have in which the program runs simulations.
    execArgv: ['--expose-gc', '--max-semi-space-size=64', '--max-old-space-size=8192'],
    timeout: PATIENCE_MS,
  });
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(v.parse(measureShape, message)));
    child.once('exit', () => resolve(null));
  });
}

function rowsOf(size: Size, found: Measure | null, bare: Measure | null): Measured[] {
  const name = `${size.nodes} nodes`;
  if (found === null || bare === null)
    return [{ metric: `${name}: ran to the end`, value: 0, unit: 'runs', reference: 1 }];
  const seconds = found.runMs / 1_000;
  const memory = found.middle - bare.middle;
  return [
    { metric: `${name}: steps`, value: round(found.steps / seconds), unit: '1/s' },
    { metric: `${name}: payments`, value: round(found.payments / seconds), unit: '1/s' },
    {
      metric: `${name}: until the first block`,
      value: round((found.wholeMs - found.runMs) / 1_000),
      unit: 's',
    },
    {
      metric: `${name}: work until the first block`,
      value: round(found.setupCpuMs / 1_000),
      unit: 's',
      ...referenceIn(AIMED_SETUP, size),
    },
    {
      metric: `${name}: memory for each node`,
      value: round(memory / size.nodes / 1_024),
      unit: 'KiB',
    },
    {
      metric: `${name}: memory for each channel`,
      value: round(memory / found.channels / 1_024),
      unit: 'KiB',
    },
    {
      metric: `${name}: memory at most`,
      value: round(found.most / 2 ** 20),
      unit: 'MiB',
      ...referenceIn(AIMED_MEMORY, size),
    },
  ];
}

function referenceIn(aims: ReadonlyMap<number, number>, { nodes }: Size): { reference?: number } {
  const reference = aims.get(nodes);
  return reference === undefined ? {} : { reference };
}

/** Whether a run becomes larger with its payments. */
function longRows(found: Measure | null): Measured[] {
  if (found === null) return [];
  return [
    {
      metric: `three hops, ${LONG.nodes} nodes: payments`,
      value: round(found.payments / (found.runMs / 1_000)),
      unit: '1/s',
      reference: AIMED_PAYMENTS,
    },
    {
      metric: `memory after ${found.payments} payments, beside that after the half of them`,
      value: round(found.end / 2 ** 20),
      unit: 'MiB',
      reference: round(found.middle / 2 ** 20),
    },
  ];
}

const sizeShape = v.object({
  nodes: v.number(),
  links: v.number(),
  blocks: v.number(),
  perBlock: v.number(),
});
const given = process.send === undefined ? undefined : process.argv[2];
if (given === undefined) {
  const bare = await measureApart(SMALLEST);
  const rows: Measured[] = [];
  for (const size of SIZES) rows.push(...rowsOf(size, await measureApart(size), bare));
  rows.push(...longRows(await measureApart(LONG)));
  report('simulation', rows);
} else {
  process.send?.(await measure(v.parse(sizeShape, JSON.parse(given))));
  process.disconnect();
}
