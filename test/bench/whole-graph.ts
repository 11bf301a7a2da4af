/**
 * A network of Lightning's size: 6,006 nodes, and as many payments as are asked for, on two threads, with the invariants of a
 * hundred nodes. `--list FILE`: the channels that `sluice simulate import` wrote, else a network that grows around hubs.
 * `--payments`, `--parts`, and `--checked all` are told, too.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { simulateInParts } from '../../src/simulation/part-thread/in-parts.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { report, round } from './report.ts';

const BLOCKS = 20;
const CALM = 8;
/** What the aims of the project ask for. */
const AIM = { seconds: 600, mebibytes: 4_096 };

const { values } = parseArgs({
  options: {
    list: { type: 'string' },
    payments: { type: 'string', default: '100000' },
    parts: { type: 'string', default: '2' },
    checked: { type: 'string', default: 'random:100' },
    json: { type: 'string' },
  },
});

const perBlock = Number(values.payments) / BLOCKS;
const topology =
  values.list === undefined
    ? '{ kind: scale_free, nodes: 6006, links: 5 }'
    : '{ kind: import, channels: { file: list.csv } }';
// Amounts are small beside channels, so that most payments arrive: a payment that fails takes less.
const text = `
version: 1
title: A network of the size of Lightning
description: Payments of everybody to everybody.
network:
  topology: ${topology}
  ${values.list === undefined ? 'capacity: { kind: constant, amount: 1000000000 }' : ''}
  token: { symbol: BTC, decimals: 11 }
services: { path_finding: { kind: shared } }
defaults: { settle_timeout: 100 }
nodes: [{ nodes: all, reveal_timeout: 14 }]
traffic:
  - rate: { kind: constant, per_block: ${perBlock} }
    amount: { kind: lognormal, median: 2000000, sigma: 1, most: 20000000 }
run: { blocks: ${BLOCKS + CALM}, calm: ${CALM}, parts: ${values.parts}, checked: "${values.checked}" }
`;
const { list } = values;
const parsed = parseScenario(text, 'whole-graph', () =>
  list === undefined ? null : readFileSync(list, 'utf8'),
);
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1_000;
let standsAfter = 0;
const result = await simulateInParts({
  scenario: parsed.scenario,
  seed: 1,
  onBlock({ block, payments }) {
    if (block === 0) standsAfter = seconds();
    console.error(`block ${block}, ${payments} payments, ${round(seconds())} s`);
    return true;
  },
});
const { user, system } = process.cpuUsage();
const { started, succeeded } = result.payments;
console.error(`${result.verdict} ${JSON.stringify(result.payments)}`);
if (result.violation !== null) console.error(result.violation.text);
report('whole-graph', [
  { metric: 'channels', value: result.channels.length, unit: '' },
  { metric: 'payments', value: started, unit: '' },
  { metric: 'that arrived', value: round((100 * succeeded) / started), unit: '%' },
  {
    metric: 'nothing was violated',
    value: result.violation === null ? 1 : 0,
    unit: '',
    reference: 1,
  },
  { metric: 'until the first block', value: round(standsAfter), unit: 's' },
  {
    metric: 'from the beginning to the end',
    value: round(seconds()),
    unit: 's',
    reference: AIM.seconds,
  },
  {
    metric: 'work for each payment',
    value: round((1_000 * (seconds() - standsAfter)) / started),
    unit: 'ms',
  },
  { metric: 'work of all cores', value: round((user + system) / 1e6), unit: 's' },
  {
    metric: 'memory at most',
    value: round(process.resourceUsage().maxRSS / 1_024),
    unit: 'MiB',
    reference: AIM.mebibytes,
  },
]);
