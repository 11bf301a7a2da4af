/** Scenarios of a few nodes in which one thing happens, with the shortest timeouts that nodes accept. */
import type { RunEvent } from '../../src/simulation/run/build.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { validate } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';

/** A scenario as the plain data of a file. */
export type Tree = Record<string, unknown>;
export type Part = {
  nodes?: number;
  topology?: Tree;
  split?: string;
  /** Total deposit of each channel, in the token's smallest unit. */
  capacity?: string;
  steps: readonly Tree[];
  traffic?: readonly Tree[];
  faults?: readonly Tree[];
  attacks?: readonly Tree[];
  /** The node that never answers. */
  silent?: number;
  /** Settings of single nodes, as in a file's `nodes`. */
  settings?: readonly Tree[];
  defaults?: Tree;
  chain?: Tree;
  services?: Tree;
  expectations?: readonly Tree[];
  /** Blocks in which things happen, and calm blocks in which all of it must end. */
  busy?: number;
  calm?: number;
  /** Share of the seeds with real keys, signatures and seals. */
  crypto?: number;
};

const CONFIRMATIONS = 1;
const REVEAL = 10;
const SETTLE = 20;

/** The calm blocks that are needed to finish when all channels are closed at the end. */
export const TIME_TO_SETTLE = { calm: 2 * SETTLE + 40 };

export const pay = (node: number, to: number, amount: number, at_block = 1): Tree => {
  return { do: 'pay', at_block, node, to, amount: String(amount) };
};
export const inChannel = (what: string, node: number, partner: number, more: Tree = {}): Tree => {
  return { do: what, at_block: 1, node, partner, ...more };
};
export const cheat = (plan: string, node: number, more: Tree = {}): Tree => {
  return { plan, nodes: String(node), ...more };
};
export const close = (node: number, partner: number, at_block: number): Tree => {
  return inChannel('close', node, partner, { at_block });
};
/** All nodes close and settle all channels. */
export const leave = (at_block: number): Tree => ({ do: 'leave', nodes: 'all', at_block });

/** The scenario of these parts. Throws when it is not valid. */
export function smallScenario(name: string, description: string, part: Part): Scenario {
  const { nodes = 3, steps, attacks = [], faults = [], traffic = [], busy = 5, calm = 50 } = part;
  const { defaults = {}, chain = {}, settings = [], services, split, silent, crypto = 0 } = part;
  const quiet = silent === undefined ? [] : [{ nodes: String(silent), behaviour: 'silent' }];
  const value = {
    version: 1,
    title: name,
    description,
    network: {
      topology: part.topology ?? { kind: 'line', nodes },
      capacity: { kind: 'constant', amount: part.capacity ?? '1000' },
      token: { symbol: 'TOK', decimals: 0 },
      ...(split === undefined ? {} : { split }),
    },
    chain: { block_time: 12, confirmations: CONFIRMATIONS, ...chain },
    defaults: {
      reveal_timeout: REVEAL,
      settle_timeout: SETTLE,
      gas_money: '10 ether',
      fees: { flat: '0', proportional_ppm: 0, imbalance_ppm: 0 },
      ...defaults,
    },
    ...(services === undefined ? {} : { services }),
    nodes: [...settings, ...quiet],
    steps,
    traffic,
    faults,
    attacks,
    expectations: part.expectations ?? [],
    run: { blocks: busy + calm, calm, crypto },
  };
  const parsed = validate({ value, lineOf: () => null }, name.replaceAll(' ', '-'));
  if (!parsed.ok) throw new Error(`simulation: ${name}: ${JSON.stringify(parsed.problems)}`);
  return parsed.scenario;
}

/** A line of three nodes without traffic, and whatever is given, written as in a file. */
export function scenarioOf(given: object): Scenario {
  const value = {
    version: 1,
    title: 'Small',
    description: 'For one question.',
    network: { topology: { kind: 'line', nodes: 3 } },
    ...given,
  };
  const parsed = validate({ value, lineOf: () => null }, 'small');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

/** Runs it and keeps all that is told of it. */
export async function eventsOf(scenario: Scenario, seed: number) {
  const events: RunEvent[] = [];
  const result = await simulate({ scenario, seed, onEvent: (event) => void events.push(event) });
  return { events, result };
}
