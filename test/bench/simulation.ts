/**
 * How fast the simulator is and what it needs: networks of 3, 100 and 1,000 nodes, each in a process of its own,
 * so that the memory of one is not that of another; and whether a long run grows.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { type Measured, report, round } from './report.ts';

/**
 * `blocks`: fewer for the large, so that each takes about as long. Of a thousand nodes nobody keeps the whole
 * network, which would be a million copies of channels: they pay their partners.
 */
const SIZES = [
  { nodes: 3, blocks: 300, perBlock: 3 },
  { nodes: 100, blocks: 40, perBlock: 5 },
  { nodes: 1_000, blocks: 4, perBlock: 5 },
] as const;
const LONG = { nodes: 3, blocks: 1_500, perBlock: 1 } as const;
const SMALLEST = { nodes: 2, blocks: 1, perBlock: 1 } as const;
const SEED = 1;
const CALM = 4;
/** A process that takes longer is ended. */
const PATIENCE_MS = 600_000;
const MOST_WITH_ROUTES = 300;
const FEWEST_WITH_HUBS = 10;

type Size = { nodes: number; blocks: number; perBlock: number };

const measureShape = v.object({
  /** Of everything, and of the blocks of the run alone, in milliseconds. */
  wholeMs: v.number(),
  runMs: v.number(),
  /** In the blocks of the run. */
  steps: v.number(),
  payments: v.number(),
  channels: v.number(),
  /** Bytes in use, after a collection: in the middle of the run, and at its end. */
  middle: v.number(),
  end: v.number(),
});
type Measure = v.InferOutput<typeof measureShape>;

function textOf({ nodes, blocks, perBlock }: Size): string {
  const isLarge = nodes > MOST_WITH_ROUTES;
  const isSmall = nodes < FEWEST_WITH_HUBS;
  const kind = isLarge ? 'ring' : isSmall ? 'line' : 'scale_free, links: 2';
  const topology = `{ kind: ${kind}, nodes: ${nodes} }`;
  const to = isLarge ? 'next' : 'uniform';
  return `
version: 1
title: A benchmark
description: Payments of one token.
network: { topology: ${topology} }
services: { path_finding: { kind: ${isLarge ? 'none' : 'local'} } }
defaults: { reveal_timeout: 20, settle_timeout: 60 }
traffic:
  - to: { kind: ${to} }
    rate: { kind: constant, per_block: ${perBlock} }
    amount: { kind: constant, amount: 1 token }
run: { blocks: ${blocks + CALM}, calm: ${CALM} }
`;
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
  const marks: { at: number; steps: number }[] = [];
  let middle = 0;
  const result = await simulate({
    scenario: parsed.scenario,
    seed: SEED,
    onBlock({ block, steps }) {
      marks.push({ at: performance.now(), steps });
      if (block === Math.floor(size.blocks / 2)) middle = used();
      return true;
    },
  });
  const ended = performance.now();
  const { at, steps } = marks[0] ?? { at: begun, steps: 0 };
  return {
    ...{ wholeMs: ended - begun, runMs: ended - at, steps: result.steps - steps },
    ...{ payments: result.payments.succeeded, channels: result.channels.length },
    ...{ middle, end: used() },
  };
}

/** In a process of its own; null: it ended before it could tell, for want of memory or of time. */
function measureApart(size: Size): Promise<Measure | null> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(size)], {
    execArgv: ['--expose-gc'],
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
      metric: `${name}: memory for each node`,
      value: round(memory / size.nodes / 1_024),
      unit: 'KiB',
    },
    {
      metric: `${name}: memory for each channel`,
      value: round(memory / found.channels / 1_024),
      unit: 'KiB',
    },
  ];
}

const sizeShape = v.object({ nodes: v.number(), blocks: v.number(), perBlock: v.number() });
const given = process.send === undefined ? undefined : process.argv[2];
if (given === undefined) {
  const bare = await measureApart(SMALLEST);
  const rows: Measured[] = [];
  for (const size of SIZES) rows.push(...rowsOf(size, await measureApart(size), bare));
  const long = await measureApart(LONG);
  if (long !== null)
    rows.push({
      metric: `memory after ${LONG.blocks} blocks, beside that after the half of them`,
      value: round(long.end / 2 ** 20),
      unit: 'MiB',
      reference: round(long.middle / 2 ** 20),
    });
  report('simulation', rows);
} else {
  process.send?.(await measure(v.parse(sizeShape, JSON.parse(given))));
  process.disconnect();
}
