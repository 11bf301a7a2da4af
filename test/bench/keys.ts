/**
 * What several keys bring to a hub and to a seller: k nodes, each on a machine of its own, the partners spread over
 * them, and a channel between each two. In virtual time, where each key has the same small share of a core and the work of
 * a node takes the time that was measured (`src/simulation/node/costs.ts`): so many payments a second that nearly all
 * arrive within seconds, against one key. Then what the channels between the keys bind: which share of larger payments
 * arrives, by how much is in them.
 */
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { type Measured, report, round } from './report.ts';

const KEYS = [1, 2, 4, 8] as const;
const PARTNERS = 48;
/** Of a key, so that a run has thousands of payments and not a hundred thousand. */
const CORE = 0.01;
const BLOCK_SECONDS = 12;
const BLOCKS = 10;
const CALM = 8;
const SEED = 1;
/** What a partner's channel holds on each side; each payment is of 1. */
const PARTNER_CAPACITY = 1_000;
const LOWEST_RATE = 3;
const STEP = 1.15;
/** A rate is borne when so many of the payments arrive, and half of them within so many milliseconds. */
const LEAST_SHARE = 0.95;
const MOST_MEDIAN_MS = 2_000;

type Use = 'hub' | 'seller';
/** `amount`: of each payment; `isFree`: the code of the keys takes no time. */
type World = {
  use: Use;
  keys: number;
  rate: number;
  between: number;
  amount?: number;
  isFree?: boolean;
};

/** Keys come first: 0 to k − 1. */
function channelsOf({ keys, between }: World): string {
  const rows: string[] = [];
  for (let a = 0; a < keys; a++)
    for (let b = a + 1; b < keys; b++) rows.push(`${a},${b},${between},${between}`);
  for (let partner = 0; partner < PARTNERS; partner++)
    rows.push(`${partner % keys},${keys + partner},${PARTNER_CAPACITY},${PARTNER_CAPACITY}`);
  return rows.map((row) => `          ${row}`).join('\n');
}

function trafficOf({ use, keys, rate, amount: each = 1 }: World): string {
  const partners = `${keys}..${keys + PARTNERS - 1}`;
  const perSecond = (share: number) => `rate: { kind: poisson, per_second: ${rate / share} }`;
  const amount = `amount: { kind: constant, amount: ${each} }`;
  const of = (nodes: string) => `{ kind: nodes, nodes: "${nodes}" }`;
  if (use === 'hub')
    return `  - { from: ${of(partners)}, to: ${of(partners)}, ${perSecond(1)}, ${amount} }`;
  // A buyer pays the key with which it has a channel.
  return Array.from({ length: keys }, (_, key) => {
    const buyers = Array.from({ length: PARTNERS }, (_, at) => at).filter(
      (at) => at % keys === key,
    );
    const from = of(buyers.map((at) => keys + at).join());
    return `  - { from: ${from}, to: ${of(String(key))}, ${perSecond(keys)}, ${amount} }`;
  }).join('\n');
}

function textOf(world: World): string {
  return `
version: 1
title: Keys
description: Some keys and their partners.
network:
  topology:
    kind: import
    channels:
      csv: |
${channelsOf(world)}
services: { path_finding: { kind: shared } }
chain: { block_time: ${BLOCK_SECONDS} }
defaults: { reveal_timeout: 20, settle_timeout: 60 }
${world.isFree === true ? '' : `nodes: [{ nodes: "0..${world.keys - 1}", core: ${CORE} }]`}
traffic:
${trafficOf(world)}
run: { blocks: ${BLOCKS + CALM}, calm: ${CALM} }
`;
}

type Found = { share: number; medianMs: number };

async function run(world: World): Promise<Found> {
  const parsed = parseScenario(textOf(world), 'keys');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const { payments, histograms } = await simulate({ scenario: parsed.scenario, seed: SEED });
  const delays = histograms.latencyMs.flatMap(({ value, count }) =>
    Array<number>(count).fill(value),
  );
  delays.sort((a, b) => a - b);
  const medianMs = delays[Math.floor(delays.length / 2)] ?? Number.POSITIVE_INFINITY;
  return { share: payments.succeeded / payments.started, medianMs };
}

const isBorne = ({ share, medianMs }: Found) => share >= LEAST_SHARE && medianMs <= MOST_MEDIAN_MS;

/** The highest rate of the ladder that is borne, in payments a second. */
async function highestRate(use: Use, keys: number, from: number): Promise<number> {
  let highest = 0;
  for (let rate = from; ; rate *= STEP) {
    const found = await run({ use, keys, rate, between: PARTNER_CAPACITY * PARTNERS });
    console.log(`${use}, ${keys} keys, ${rate.toFixed(1)}/s: ${JSON.stringify(found)}`);
    if (!isBorne(found)) return highest;
    highest = rate;
  }
}

async function rowsOf(use: Use): Promise<Measured[]> {
  const rows: Measured[] = [];
  let first = 0;
  let last = LOWEST_RATE;
  for (const keys of KEYS) {
    const rate = await highestRate(use, keys, last);
    first ||= rate;
    last = Math.max(rate, LOWEST_RATE);
    rows.push({
      metric: `${use}, ${keys} keys: payments that are borne`,
      value: round(rate / CORE),
      unit: '1/s with a core for each',
      reference: round(first / CORE),
    });
  }
  return rows;
}

/** How much of a hub's money in its partners' channels is in those between its keys, all together. */
const SHARES = [0.05, 0.1, 0.25, 0.5, 1] as const;
/** Of a payment, and how many a second there are. */
const LARGE = PARTNER_CAPACITY / 20;
const LARGE_RATE = 10;

/** The share of payments that arrive, by what is in the channels between the keys. */
async function capitalRows(): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const keys of KEYS)
    for (const share of keys === 1 ? SHARES.slice(-1) : SHARES) {
      const channels = (keys * (keys - 1)) / 2;
      const between = Math.floor((share * PARTNERS * PARTNER_CAPACITY) / Math.max(1, 2 * channels));
      const world = { use: 'hub', keys, between, rate: LARGE_RATE, amount: LARGE } as const;
      const found = await run({ ...world, isFree: true });
      rows.push({
        metric: `hub, ${keys} keys, ${keys === 1 ? 'no money' : `${100 * share} % more money`} between them: arrive`,
        value: round(100 * found.share),
        unit: '%',
      });
    }
  return rows;
}

const measured = [await rowsOf('hub'), await rowsOf('seller'), await capitalRows()];
report('keys', measured.flat());
