/** Is it worth while to rebalance? Runs with a strategy and without, in pairs of equal seed. */
import { estimate, estimateDifference, figuresOf, simulateSeeds } from 'sluice/simulation';

const scenario = `
version: 1
title: Shops that money flows to
description: Eight nodes who know four neighbours each; every sixth payment goes to one of two shops.
network:
  topology: { kind: small_world, nodes: 8, neighbours: 4, rewired: 0.2 }
  capacity: { kind: constant, amount: 4 tokens }
services: { path_finding: { kind: shared } }
defaults:
  reveal_timeout: 20
  settle_timeout: 60
  fees: { flat: 0, proportional_ppm: 1000, imbalance_ppm: 0 }
traffic:
  - rate: { kind: poisson, per_block: 0.75 }
    amount: { kind: uniform, least: 1 token, most: 3 tokens }
  - to: { kind: nodes, nodes: 0..1 }
    rate: { kind: poisson, per_block: 0.15 }
    amount: { kind: uniform, least: 1 token, most: 3 tokens }
run: { blocks: 140, calm: 60 }
`;
const seeds = { from: 1, to: 4 };
const strategies = new URL('./rebalancing-strategy.mjs', import.meta.url);

/** How payments of nodes to themselves ended. */
const moved = [];
const noted = ({ from, to, outcome }) => from === to && moved.push(outcome);
const without = await simulateSeeds({ scenario, seeds, workers: 2 });
const rebalanced = await simulateSeeds({
  ...{ scenario, seeds, workers: 2, strategies },
  onPayment: noted,
});

const TOKEN = 1e18;
const FIGURES = [
  ['payments that arrived, %', (run) => 100 * figuresOf(run).successRate],
  ['imbalance of the channels, %', (run) => 100 * figuresOf(run).imbalance],
  ['fees paid, tokens', (run) => Number(figuresOf(run).feesPaid) / TOKEN],
  ['money in locks, tokens × blocks', (run) => figuresOf(run).honestLocked / TOKEN],
];
const arrived = moved.filter((outcome) => outcome === 'succeeded').length;
console.log(`${moved.length} payments to oneself, of which ${arrived} arrived`);
for (const [name, of] of FIGURES) {
  const [none, some] = [without, rebalanced].map((runs) => estimate(runs, of).mean.toFixed(2));
  const { low, high } = estimateDifference(without, rebalanced, of);
  console.log(
    `${name}: ${none} without, ${some} with; the difference is`,
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
  );
}
