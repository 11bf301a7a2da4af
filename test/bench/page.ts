/**
 * The pages of a node with 500 channels and 100,000 payments in headless Chromium, beside a node that is nearly new: how
 * soon each can be used, what the calls behind them take, and what open pages cost payments. Then the page of a devnet
 * with 5,000 payments, and the inspector's over 10,000 actors.
 */
import type { Browser } from 'playwright-core';
import { launchBrowser, openWatched } from '../support/chromium.ts';
import { measureActors, median } from './page-actors.ts';
import { DEVNET_VISITS, startPageDevnet } from './page-devnet.ts';
import { type PageNode, startPageNetwork } from './page-network.ts';
import { type Visited, visited, visitsOf } from './page-visits.ts';
import { quantile } from './path-search.ts';
import { cpuMsOf } from './process-figures.ts';
import { type Measured, report, round } from './report.ts';

const LARGE = { channels: 500, payments: 100_000 };
const SMALL = { channels: 3, payments: 100 };
const DEVNET_PAYMENTS = 5_000;
const ROUNDS = 5;
/** What a reader should not have to wait longer for. */
const AIM = 'at most 2,000 ms';
const CALLS = 200;
const PATHS = [
  '/inspector/overview',
  '/inspector/actors',
  '/wallet/facts',
  '/api/v1/channels',
  '/wallet/payments?offset=0&limit=50',
  `/wallet/payments?offset=${LARGE.payments - 50}&limit=50`,
];
const CALLERS = 16;
const PAYMENTS = 600;
const PAGES = [0, 1, 5];
/** Open pages and their absence take turns so many times. */
const TURNS = 4;

const usable = (name: string, { usable, slowest, task }: Visited, beside: Visited): Measured[] => [
  {
    metric: `${name}: usable`,
    ...{ value: round(usable), unit: 'ms', reference: round(beside.usable), aim: AIM },
  },
  {
    metric: `${name}: slowest, longest task`,
    value: round(slowest),
    unit: `ms, ${round(task)} ms`,
  },
];

async function measureVisits(browser: Browser, nodes: readonly PageNode[]): Promise<Measured[]> {
  const [large, small] = nodes;
  if (large === undefined || small === undefined) throw new Error('a node is missing');
  const others = visitsOf(small.channel);
  const rows: Measured[] = [];
  for (const [at, visit] of visitsOf(large.channel).entries()) {
    const places = [{ base: large.node.api, visit }];
    const other = others[at];
    if (other !== undefined) places.push({ base: small.node.api, visit: other });
    const [seen, beside] = await visited(browser, places, ROUNDS);
    if (seen !== undefined && beside !== undefined) rows.push(...usable(visit.name, seen, beside));
  }
  return rows;
}

/** Milliseconds that each of so many calls took, one after the other, in ascending order. */
async function timesOf(url: string): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const begin = performance.now();
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    times.push(performance.now() - begin);
  }
  return times.toSorted((a, b) => a - b);
}

async function measureCalls(nodes: readonly PageNode[]): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const path of PATHS) {
    const times: number[][] = [];
    for (const { node } of nodes) times.push(await timesOf(`${node.api}${path}`));
    for (const q of [0.5, 0.99]) {
      const [value = 0, reference = 0] = times.map((all) => round(quantile(all, q)));
      rows.push({ metric: `GET ${path}: p${100 * q}`, value, unit: 'ms', reference });
    }
  }
  return rows;
}

/** Payments of the large node while so many first pages of it are open, beside payments while none is. */
async function measurePayments(browser: Browser, { node, pay }: PageNode): Promise<Measured[]> {
  type Run = { pages: number; rates: number[]; p50s: number[]; spent: number[] };
  const runs = PAGES.map((pages): Run => ({ pages, rates: [], p50s: [], spent: [] }));
  await pay(PAYMENTS, CALLERS);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const run of runs) {
      const opened = [];
      for (let page = 0; page < run.pages; page += 1)
        opened.push(await openWatched(browser, `${node.api}/inspector/`));
      for (const { page } of opened) await page.locator('.channel').first().waitFor();
      const before = cpuMsOf(node.pid);
      const { rate, p50 } = await pay(PAYMENTS, CALLERS);
      run.spent.push((1_000 * (cpuMsOf(node.pid) - before)) / PAYMENTS);
      run.rates.push(rate);
      run.p50s.push(p50);
      for (const { page } of opened) await page.context().close();
    }
  const [alone] = runs;
  return runs.flatMap(({ pages, rates, p50s, spent }) => {
    const row = (metric: string, unit: string, value: number[], reference = value): Measured => ({
      metric: `payments, ${pages} open pages: ${metric}`,
      ...{ value: round(median(value)), unit, reference: round(median(reference)) },
    });
    return [
      row('rate', 'payments/s', rates, alone?.rates),
      row('p50', 'ms', p50s, alone?.p50s),
      row('CPU time of the node', 'µs/payment', spent, alone?.spent),
    ];
  });
}

async function measureDevnet(browser: Browser): Promise<Measured[]> {
  const [large, small] = [await startPageDevnet(DEVNET_PAYMENTS), await startPageDevnet(10)];
  try {
    const rows: Measured[] = [];
    for (const visit of DEVNET_VISITS) {
      const places = [large, small].map(({ url: base }) => ({ base, visit }));
      const [seen, beside] = await visited(browser, places, ROUNDS);
      if (seen !== undefined && beside !== undefined)
        rows.push(...usable(visit.name, seen, beside));
    }
    return rows;
  } finally {
    await large.end();
    await small.end();
  }
}

async function measureNodes(browser: Browser): Promise<Measured[]> {
  const { nodes, end } = await startPageNetwork([LARGE, SMALL]);
  try {
    const [large] = nodes;
    if (large === undefined) throw new Error('a node is missing');
    return [
      ...(await measureVisits(browser, nodes)),
      ...(await measureCalls(nodes)),
      ...(await measurePayments(browser, large)),
    ];
  } finally {
    await end();
  }
}

const browser = await launchBrowser();
try {
  const rows = await measureActors(browser);
  rows.push(...(await measureNodes(browser)), ...(await measureDevnet(browser)));
  report('page', rows);
} finally {
  await browser.close();
}
