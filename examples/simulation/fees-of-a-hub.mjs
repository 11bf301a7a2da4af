/**
 * What should a hub charge? What it earns by its price and by demand, where payers have another way round it. Its network is
 * a list of channels in a file beside this one.
 */
import { readFileSync } from 'node:fs';
import { estimate, simulateSeeds, sweep } from 'sluice/simulation';

const SCENARIO = `
version: 1
title: A hub with a price
description: A hub with a channel to each of six nodes, who are a ring besides; payments go over the hub or round it.
network: { topology: { kind: import, channels: { file: hub.csv } } }
services: { path_finding: { kind: shared } }
defaults:
  reveal_timeout: 20
  settle_timeout: 60
  fees: { flat: 0, proportional_ppm: 2000, imbalance_ppm: 0 }
nodes:
  - { nodes: 0, role: hub, fees: { proportional_ppm: 0 } }
traffic:
  - from: { kind: nodes, nodes: 1..6 }
    to: { kind: nodes, nodes: 1..6 }
    rate: { kind: poisson, per_block: 1 }
    amount: { kind: uniform, least: 0.5 tokens, most: 5 tokens }
run: { blocks: 100, calm: 50 }
`;

/** Reads what a scenario names, such as its list of channels. Null: there is no such file. */
const readFile = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const swept = sweep(
  SCENARIO,
  'hub',
  ['traffic[0].rate.per_block=0.5,1.5', 'nodes[0].fees.proportional_ppm=1000,2000,4500'],
  readFile,
);
if (!swept.ok) throw new Error(JSON.stringify(swept.problems));

const TOKEN = 1e18;
const earned = ({ nodes }) => Number(nodes[0].feesEarned) / TOKEN;
const passedOn = ({ nodes, payments }) => (100 * nodes[0].mediated) / payments.succeeded;
for (const { values, scenario } of swept.variants) {
  // In this very thread: to start others for each of so many short runs would take longer.
  const runs = await simulateSeeds({ scenario, seeds: { from: 1, to: 3 }, isHere: true });
  const [perBlock, ppm] = Object.values(values);
  const { mean, low, high } = estimate(runs, earned);
  console.log(
    `${perBlock} payments a block, ${ppm} ppm: earns ${mean.toFixed(3)} tokens`,
    `(${low.toFixed(3)} to ${high.toFixed(3)})`,
    `with ${estimate(runs, passedOn).mean.toFixed(0)} % of the payments`,
  );
}
