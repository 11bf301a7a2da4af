/** Small scenarios, each about one thing that nodes do. The crash runs let a node die at every point of them. */
import { CRASH_SEED } from '../../src/simulation/run/crash-points.ts';
import type { Crash } from '../../src/simulation/run/play.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { buildNetwork } from '../../src/simulation/scenario/topology.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import {
  cheat,
  close,
  inChannel,
  leave,
  type Part,
  pay,
  smallScenario,
  TIME_TO_SETTLE,
} from './small-scenarios.ts';

const PARTS: Readonly<Record<string, Part>> = {
  'a payment': { nodes: 2, steps: [pay(0, 1, 10)] },
  'a payment back': { nodes: 2, steps: [pay(0, 1, 10), pay(1, 0, 20, 2)] },
  'a mediated payment': { steps: [pay(0, 2, 10)] },
  'a payment over two mediators': { nodes: 4, steps: [pay(0, 3, 10)] },
  'payments that cross': { steps: [pay(0, 2, 10), pay(2, 0, 15)] },
  'three payments at once': { steps: [pay(0, 2, 10), pay(0, 2, 11), pay(0, 1, 12)] },
  'a payment over the mediator and one to it': { steps: [pay(0, 2, 10), pay(0, 1, 7)] },
  'a payment to oneself': {
    topology: { kind: 'ring', nodes: 3 },
    steps: [{ ...pay(0, 0, 10), path: [1, 2, 0] }],
  },
  'a payment that is too large': { steps: [pay(0, 2, 5_000)] },
  'a payment to somebody silent': {
    // Longer than the lock lives, so that it expires.
    steps: [pay(0, 2, 10)],
    silent: 2,
    busy: 30,
  },
  'a payment whose secret comes late': {
    steps: [pay(0, 2, 10)],
    attacks: [cheat('late_reveal', 2)],
    busy: 12,
    ...TIME_TO_SETTLE,
  },
  'an unlock that never comes': {
    steps: [pay(0, 2, 10)],
    attacks: [cheat('withheld_unlocks', 0)],
    busy: 14,
    ...TIME_TO_SETTLE,
  },
  'an unlock that never comes to the target': {
    nodes: 2,
    steps: [pay(0, 1, 10)],
    busy: 14,
    ...TIME_TO_SETTLE,
    attacks: [cheat('withheld_unlocks', 0)],
  },
  'a ghost in the payload': {
    steps: [pay(0, 2, 10)],
    attacks: [cheat('ghost_mediator', 0)],
    ...TIME_TO_SETTLE,
  },
  'a deposit': { nodes: 2, steps: [inChannel('deposit', 0, 1, { amount: '50' })] },
  'two deposits': {
    nodes: 2,
    steps: [
      inChannel('deposit', 0, 1, { amount: '50' }),
      inChannel('deposit', 1, 0, { amount: '5' }),
    ],
  },
  'a withdrawal': { nodes: 2, steps: [inChannel('withdraw', 0, 1, { amount: '50' })] },
  'withdrawals of both': {
    nodes: 2,
    steps: [
      inChannel('withdraw', 0, 1, { amount: '9' }),
      inChannel('withdraw', 1, 0, { amount: '8' }),
    ],
  },
  'a withdrawal beside a payment': {
    nodes: 2,
    steps: [inChannel('withdraw', 0, 1, { amount: '50' }), pay(0, 1, 10), pay(1, 0, 10)],
  },
  'a withdrawal that nobody agrees to': {
    nodes: 2,
    steps: [inChannel('withdraw', 0, 1, { amount: '50' })],
    silent: 1,
    busy: 110,
  },
  'a channel that is opened': {
    topology: { kind: 'empty', nodes: 2 },
    nodes: 2,
    steps: [inChannel('open_channel', 0, 1, { deposit: '70' })],
  },
  'a channel that both fund': {
    topology: { kind: 'empty', nodes: 2 },
    nodes: 2,
    steps: [inChannel('open_channel', 0, 1, { deposit: '70', partner_deposit: '30' })],
    busy: 8,
  },
  'a close': { nodes: 2, steps: [pay(0, 1, 10), close(0, 1, 2)], ...TIME_TO_SETTLE },
  'a close by both': {
    nodes: 2,
    steps: [pay(0, 1, 10), close(0, 1, 2), close(1, 0, 2)],
    ...TIME_TO_SETTLE,
  },
  'a close in the middle of a payment': {
    steps: [pay(0, 2, 10), close(1, 2, 1)],
    ...TIME_TO_SETTLE,
  },
  'a close before the mediator': { steps: [pay(0, 2, 10), close(0, 1, 1)], ...TIME_TO_SETTLE },
  'a close with an old proof': {
    nodes: 2,
    steps: [pay(0, 1, 10), pay(0, 1, 10, 2), pay(1, 0, 5, 3)],
    attacks: [{ plan: 'stale_close', nodes: '1', from_block: 4 }],
    busy: 10,
    ...TIME_TO_SETTLE,
  },
  'the end of all channels': { steps: [pay(0, 2, 10), leave(3)], ...TIME_TO_SETTLE },
  'the end with payments under way': {
    steps: [pay(0, 2, 10), pay(2, 0, 10), leave(1)],
    ...TIME_TO_SETTLE,
  },
  'a mediator that charges': {
    steps: [pay(0, 2, 100)],
    defaults: { fees: { flat: '2', proportional_ppm: 10_000, imbalance_ppm: 0 } },
  },
  'a stop in order': {
    steps: [
      pay(0, 2, 10),
      { do: 'stop', at_block: 2, nodes: '1' },
      { do: 'start', at_block: 4, nodes: '1' },
    ],
    busy: 7,
  },
};

export const CRASH_SCENARIOS: readonly string[] = Object.keys(PARTS);
/** The scenarios in which nodes also die twice. */
export const CORE_SCENARIOS: readonly string[] = [
  'a payment',
  'a mediated payment',
  'two deposits',
  'a withdrawal',
  'a close',
  'a close with an old proof',
];

/** The scenario of this name. Throws when there is none. */
export function crashScenario(name: string): Scenario {
  return smallScenario(name, `Nodes die at every point of ${name}.`, partNamed(name));
}

/** The same with a standby for this node, which takes over after so many seconds of silence (null: when told). */
export function replicatedScenario(
  name: string,
  node: number,
  takeoverAfter: number | null,
): Scenario {
  const part = partNamed(name);
  const replicated = { nodes: String(node), standby: { takeover_after: takeoverAfter } };
  const settings = [...(part.settings ?? []), replicated];
  return smallScenario(name, `A replicated node dies at every point of ${name}.`, {
    ...part,
    settings,
  });
}

function partNamed(name: string): Part {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`simulation: there is no crash scenario "${name}"`);
  return part;
}

/**
 * The points that honest nodes pass before the calm phase when no node dies, in the order of nodes and points. A
 * point is a place in the code and how often it was passed.
 */
export async function crashPointsOf(scenario: Scenario): Promise<Crash[]> {
  const { nodes } = buildNetwork(scenario, createRandomness(CRASH_SEED));
  const honest = new Set(nodes.filter(({ isHonest }) => isHonest).map(({ index }) => index));
  const calmBlock = Number(scenario.run.blocks - scenario.run.calm);
  const met = new Map<string, { index: number; point: string; times: number }>();
  let isCalm = false;
  await simulate({
    scenario,
    seed: CRASH_SEED,
    onBlock({ block }) {
      isCalm = block + 1 >= calmBlock;
      return true;
    },
    onPoint(index, point) {
      if (isCalm || !honest.has(index)) return;
      const key = `${index} ${point}`;
      const known = met.get(key) ?? { index, point, times: 0 };
      known.times += 1;
      met.set(key, known);
    },
  });
  return [...met.values()].flatMap(({ index, point, times }) =>
    Array.from({ length: times }, (_, n) => ({ index, point, nth: n + 1 })),
  );
}
