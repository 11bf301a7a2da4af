/** The payments of a scenario, generated one after the other: a million of them are never in memory at once. */

import type { Budget } from '../../node/runtime/knowledge/budgets.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import { createAmounts, createWeightedPick, exponential } from './distributions.ts';
import { power } from './numbers/arithmetic.ts';
import type { Scenario } from './schema/schema.ts';
import { select } from './schema/selection.ts';
import type { Flow, Payees, Payers, Rate } from './schema/traffic.ts';
import type { NodePlan } from './topology.ts';

export type Payment = {
  /** The index of its flow in the scenario. */
  flow: number;
  /** Counted from the block in which the network is set up. */
  atBlock: bigint;
  /** Milliseconds after that block, if blocks are mined at regular times. */
  offsetMs: number;
  from: number;
  to: number;
  /** In the smallest unit. */
  amount: bigint;
  /** In blocks; null: the node chooses. */
  lockTimeout: bigint | null;
  /** The name of the flow, as which the payer pays, and the most that it pays in 24 hours; null: no matter. */
  budget: Budget | null;
};
export type Traffic = {
  /** The next payment in the order of time; null: there are no more. */
  next(): Payment | null;
};

export function createTraffic(
  scenario: Scenario,
  nodes: readonly NodePlan[],
  randomness: Randomness,
): Traffic {
  const flows = scenario.traffic.map((flow, place) => {
    const draw = randomness.of(`traffic/${flow.name ?? place}`);
    return { place, payments: paymentsOf({ scenario, flow, place, nodes, draw }) };
  });
  // The next payment of each flow, of which the earliest is taken.
  const waiting = flows.map(({ payments }) => nextOf(payments));
  return {
    next() {
      let first: Payment | null = null;
      for (const payment of waiting)
        if (payment !== null && (first === null || isEarlier(payment, first))) first = payment;
      const from = first === null ? undefined : flows[first.flow];
      if (from !== undefined) waiting[from.place] = nextOf(from.payments);
      return first;
    },
  };
}

function isEarlier(one: Payment, other: Payment): boolean {
  return one.atBlock === other.atBlock
    ? one.offsetMs < other.offsetMs
    : one.atBlock < other.atBlock;
}

function nextOf(payments: Iterator<Payment>): Payment | null {
  const { done, value } = payments.next();
  return done === true ? null : value;
}

type FlowParts = {
  scenario: Scenario;
  flow: Flow;
  place: number;
  nodes: readonly NodePlan[];
  draw: Draw;
};

/** A payment to the payer itself is drawn again; after too many tries it is left out. */
function* paymentsOf({ scenario, flow, place, nodes, draw }: FlowParts): Generator<Payment> {
  const { chain, run } = scenario;
  const blockMs = chain.blockTime * 1_000;
  const until = Number(flow.untilBlock ?? run.blocks - run.calm);
  const amounts = createAmounts(flow.amount, draw);
  const payer = createPayers(flow.from, nodes, draw);
  const payee = createPayees(flow.to, nodes, draw);
  for (const at of momentsOf(flow.rate, chain.blockTime, draw)) {
    const position = Number(flow.fromBlock) + at;
    if (position >= until) return;
    const from = payer();
    const to = from === null ? null : anotherThan(from, payee);
    if (from === null || to === null) continue;
    const block = Math.floor(position);
    const offsetMs = Math.floor((position - block) * blockMs);
    const amount = amounts();
    const { lockTimeout, perDay } = flow;
    const budget = perDay === null ? null : { caller: flow.name ?? `flow ${place}`, perDay };
    const atBlock = BigInt(block);
    yield { flow: place, atBlock, offsetMs, from, to, amount, lockTimeout, budget };
  }
}

/** The times of a flow's payments in blocks (with fractions) from the flow's beginning; without end. */
function* momentsOf(rate: Rate, blockTime: number, draw: Draw): Generator<number> {
  if (rate.kind === 'bursts') {
    const every = Number(rate.everyBlocks);
    const within = Number(rate.withinBlocks);
    for (let burst = 0; ; burst++)
      for (let n = 0; n < rate.payments; n++) yield burst * every + (within * n) / rate.payments;
  }
  const perBlock = rate.perBlock ?? (rate.perSecond ?? 0) * blockTime;
  if (rate.kind === 'constant') for (let n = 0; ; n++) yield n / perBlock;
  for (let at = 0; ; ) {
    at += exponential(draw) / perBlock;
    yield at;
  }
}

type PickPayer = () => number | null;
type PickPayee = (from: number) => number | null;

function createPayers(payers: Payers, nodes: readonly NodePlan[], draw: Draw): PickPayer {
  switch (payers.kind) {
    case 'uniform':
      return pickOf(nodes, draw);
    case 'nodes':
      return pickOf(select(payers.nodes, nodes, draw), draw);
    case 'hubs':
      return pickOf(select([payers], nodes, draw), draw);
    case 'zipf':
      return createWeightedPick(
        nodes.map(({ index }) => 1 / power(index + 1, payers.exponent)),
        draw,
      );
    case 'gravity':
      return createWeightedPick(
        nodes.map(({ capacity }) => Number(capacity)),
        draw,
      );
  }
}

function createPayees(payees: Payees, nodes: readonly NodePlan[], draw: Draw): PickPayee {
  if (payees.kind === 'next') return (from) => (from + payees.distance) % nodes.length;
  return createPayers(payees, nodes, draw);
}

function pickOf(nodes: readonly NodePlan[], draw: Draw): PickPayer {
  return () => (nodes.length === 0 ? null : draw.pick(nodes).index);
}

const ATTEMPTS = 50;

function anotherThan(from: number, payee: PickPayee): number | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const to = payee(from);
    if (to !== from) return to;
  }
  return null;
}
