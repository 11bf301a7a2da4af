/**
 * What does it cost to jam a hub, and whom? An attacker with one or more keys pays an accomplice through the hub and never
 * finishes; each run has a twin of equal seed without the attack.
 */
import {
  estimate,
  estimateDifference,
  figuresOf,
  parseScenario,
  simulateSeeds,
} from 'sluice/simulation';

/** Nodes 1 to 5 pay each other over the hub, node 0. */
const scenarioOf = (attacks) => {
  const parsed = parseScenario(
    `
version: 1
title: A hub that is jammed
description: Payments over a hub, which somebody fills with locks.
network: { topology: { kind: star, nodes: 8 }, capacity: { kind: constant, amount: 20 tokens } }
services: { path_finding: { kind: shared } }
defaults: { reveal_timeout: 20, settle_timeout: 60, fees: { flat: 0, proportional_ppm: 5000, imbalance_ppm: 0 } }
traffic:
  - rate: { kind: poisson, per_block: 1 }
    from: { kind: nodes, nodes: 1..5 }
    to: { kind: nodes, nodes: 1..5 }
    amount: { kind: uniform, least: 0.5 tokens, most: 4 tokens }
attacks: ${attacks}
run: { blocks: 160, calm: 80 }
`,
    'jamming',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
};

const seeds = { from: 1, to: 3 };
const runs = (attacks) => simulateSeeds({ scenario: scenarioOf(attacks), seeds, workers: 2 });
const peace = await runs('[]');
const jammed = await runs('[{ plan: lock_jamming, nodes: "6..7", victims: "0", from_block: 10 }]');

const TOKEN = 1e18;
const FIGURES = [
  ['payments of others that arrived', (run) => arrivedOfOthers(run)],
  ['fees that the hub earned, tokens', ({ nodes: [hub] }) => Number(hub.feesEarned) / TOKEN],
  ['money of the attacker in locks, tokens × blocks', (run) => lockedBy(run, 6)],
  ['money of the hub in locks, tokens × blocks', (run) => lockedBy(run, 0)],
  ['gas that the attacker spent', (run) => figuresOf(run).attackerGas],
  ['gas that others spent because of it', (run) => figuresOf(run).victimGas],
];

/** Nodes 6 and 7 pay nobody but each other. */
function arrivedOfOthers({ nodes }) {
  return nodes.slice(0, 6).reduce((sum, { sent }) => sum + sent, 0);
}
function lockedBy({ nodes }, index) {
  return nodes[index].lockedBlocks / TOKEN;
}

for (const [name, of] of FIGURES) {
  const [before, after] = [peace, jammed].map((some) => estimate(some, of).mean.toFixed(3));
  const { low, high } = estimateDifference(peace, jammed, of);
  console.log(
    `${name}: ${before} in peace, ${after} jammed; the difference is`,
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
  );
}
