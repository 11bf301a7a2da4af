/** Nodes that act in a run by the code of whoever runs it. */
import { describe, expect, it } from 'vitest';
import { type SimulationOptions, simulate, simulateSeeds } from '../../src/simulation/library.ts';
import type { PaymentRecord } from '../../src/simulation/report/payment-records.ts';
import { simulate as run } from '../../src/simulation/run/simulate.ts';
import type {
  Answer,
  NodePayment,
  OwnNode,
  Reactions,
  Strategy,
} from '../../src/simulation/run/strategies/strategy.ts';
import { pay, smallScenario, type Tree } from './small-scenarios.ts';

/** A ring of three nodes with a million on each side of each channel. */
const ring = (steps: readonly Tree[] = [], more: Tree = {}) =>
  smallScenario('ring', 'Three nodes.', {
    topology: { kind: 'ring', nodes: 3 },
    capacity: '1000000',
    steps,
    busy: 20,
    ...more,
  });
const strategy = (nodes: string, start: (node: OwnNode) => Reactions): Strategy => {
  return { name: 'test', nodes, start };
};
/** What the first node does at this block, once. */
const atBlock = (block: number, work: (node: OwnNode) => void | Promise<void>) =>
  strategy('0', (node) => ({ onBlock: (now) => (now === block ? work(node) : undefined) }));

const play = (strategies: readonly Strategy[], steps: readonly Tree[] = [], more: Tree = {}) =>
  run({ scenario: ring(steps, more), seed: 1, strategies });

describe('a strategy', () => {
  it('is asked at each block until the calm phase, for each node that it is of', async () => {
    const asked: string[] = [];
    const { violation } = await play([
      strategy('0, 2', ({ name }) => ({ onBlock: (block) => void asked.push(`${name} ${block}`) })),
    ]);
    expect(violation).toBeNull();
    expect(asked).toHaveLength(40);
    expect(asked.slice(0, 3)).toEqual(['node-0 0', 'node-2 0', 'node-0 1']);
  });

  it('is told of the payments of its node', async () => {
    const told: [number, NodePayment][] = [];
    const spy = strategy('all', ({ index }) => ({
      onPayment: (payment) => void told.push([index, payment]),
    }));
    const path = [1, 2];
    await play([spy], [{ ...pay(0, 2, 50_000), path }, pay(0, 2, 5_000_000, 2)], {
      defaults: { fees: { flat: '0', proportional_ppm: 200, imbalance_ppm: 0 } },
    });
    const amount = 50_000n;
    expect(told).toContainEqual([0, { what: 'sent', amount, other: 2 }]);
    expect(told).toContainEqual([1, { what: 'mediated', fee: 10n, other: 0 }]);
    expect(told).toContainEqual([2, { what: 'received', amount: 50_376n, other: 0 }]);
  });

  it('charges for a transfer what it charged when that came, however long it waits', async () => {
    const charging = strategy('1', (node) => ({
      onBlock: (block) => (block === 6 ? node.setFees({ flat: 100n }) : undefined),
    }));
    // At first the second node has not enough for it.
    const waits = { ...pay(0, 2, 500_000, 4), path: [1, 2] };
    const steps = [pay(1, 2, 900_000), waits, pay(2, 1, 600_000, 8)];
    const { violation, nodes } = await play([charging], steps);
    expect([violation, nodes[0]?.sent, nodes[1]?.feesEarned]).toEqual([null, 1, 0n]);
  });

  it('sees its channels, and the network as it is on chain', async () => {
    const seen: unknown[] = [];
    await play(
      [atBlock(2, (node) => void seen.push(node.channels(), node.network()))],
      [pay(0, 1, 1_000)],
    );
    const capacity = 2_000_000n;
    expect(seen).toEqual([
      [
        { partner: 1, own: 999_000n, capacity },
        { partner: 2, own: 1_000_000n, capacity },
      ],
      [
        { a: 0, b: 1, capacity },
        { a: 1, b: 2, capacity },
        { a: 2, b: 0, capacity },
      ],
    ]);
  });

  it('moves money: into channels, out of them, to others and around', async () => {
    const answers: Answer[] = [];
    const { violation, nodes, channels, payments } = await play(
      [
        atBlock(1, async (node) => {
          answers.push(await node.deposit(1, 500n), await node.withdraw(2, 300n));
          answers.push(await node.pay({ to: 2, amount: 70n }));
          answers.push(await node.rebalance({ path: [1, 2], amount: 10_000n, fee: 0n }));
          answers.push(await node.pay({ to: 1, amount: 5_000_000n }));
          answers.push(await node.close(2), await node.open(2, 40n));
        }),
      ],
      [],
      { calm: 90 },
    );
    expect(violation).toBeNull();
    expect(answers.map((answer) => (answer.ok ? 'ok' : answer.code))).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'insufficient_balance',
      'ok',
      'channel_exists',
    ]);
    // What a node pays itself is no payment of anybody.
    expect([payments.started, payments.succeeded]).toEqual([2, 1]);
    expect(channels[0]).toMatchObject({ depositA: 1_000_500n, endA: 990_500n });
    expect(nodes[0]?.loss).toBe(0n);
  });

  it('changes what its node charges, from then on', async () => {
    const paid = async (strategies: readonly Strategy[]) => {
      const step = { ...pay(0, 2, 100_000, 10), path: [1, 2] };
      const { violation, nodes } = await play(strategies, [step]);
      expect(violation).toBeNull();
      return nodes[1]?.feesEarned;
    };
    const charging = strategy('1', (node) => ({
      onBlock: (block) => (block === 3 ? node.setFees({ proportionalPpm: 300n }) : undefined),
    }));
    expect([await paid([]), await paid([charging])]).toEqual([0n, 30n]);
  });

  it('is announced with its new fees, so that payers know them', async () => {
    const charging = strategy('1', (node) => ({
      onBlock: (block) => (block === 3 ? node.setFees({ proportionalPpm: 3_000n }) : undefined),
    }));
    // 0 and 2 have a channel that is too small.
    const scenario = smallScenario('line', 'Three nodes.', {
      capacity: '1000000',
      steps: [pay(0, 2, 100_000, 10)],
      busy: 20,
    });
    const { nodes } = await run({ scenario, seed: 1, strategies: [charging] });
    expect(nodes[1]?.feesEarned).toBe(300n);
  });

  it('is answered when its node is down, or dies while it is asked', async () => {
    const answers: Answer[] = [];
    await play(
      [
        atBlock(1, async (node) => {
          answers.push(await node.deposit(1, 500n), await node.pay({ to: 1, amount: 1n }));
        }),
      ],
      [
        { do: 'kill', at_block: 2, nodes: '0' },
        { do: 'start', at_block: 9, nodes: '0' },
      ],
    );
    expect(answers.map((answer) => (answer.ok ? 'ok' : answer.code))).toEqual([
      'node_died',
      'node_down',
    ]);
  });

  it('is the same in each run, and changes nothing by being there', async () => {
    const random: number[] = [];
    const drawing = strategy('all', (node) => ({
      onBlock: async () => {
        const amount = BigInt(node.random.integer(1, 1_000));
        random.push(Number(amount));
        await node.pay({ to: (node.index + 1) % 3, amount });
      },
    }));
    const idle = strategy('all', (node) => ({ onBlock: () => void node.channels() }));
    const traces = [];
    for (const strategies of [[drawing], [drawing], [idle], []])
      traces.push((await play(strategies)).trace);
    const [first, second, third, fourth] = traces;
    expect(first).toBe(second);
    expect(third).toBe(fourth);
    expect(first).not.toBe(third);
    expect(new Set(random).size).toBeGreaterThan(10);
  });

  it.each<[string, Reactions]>([
    ['at once', { onBlock: () => fail() }],
    ['in a promise', { onBlock: async () => fail() }],
    ['when it is told of a payment', { onPayment: () => fail() }],
  ])('that throws %s ends the run, which names it', async (_, reactions) => {
    const failing = play([strategy('0', () => reactions)], [pay(0, 1, 1)]);
    await expect(failing).rejects.toThrow(/strategy test of node-0: Error: no more/);
  });

  it.each<[string, Strategy, RegExp]>([
    ['that selects nothing', strategy('thieves!', () => ({})), /strategy test: "thieves!"/],
    [
      'for nodes that the network has not',
      strategy('77', () => ({})),
      /strategy test: "77" selects none of the 3 nodes/,
    ],
    [
      'with a fee that is no bigint',
      atBlock(1, (node) => node.setFees(JSON.parse('{"proportionalPpm":3000}'))),
      /strategy test of node-0: TypeError: proportionalPpm must be a bigint/,
    ],
    [
      'with an amount that is no bigint',
      atBlock(1, (node) => void node.pay({ to: 1, ...JSON.parse('{"amount":5}') })),
      /strategy test of node-0: TypeError: amount must be a bigint/,
    ],
    [
      'with a fee out of bounds',
      atBlock(1, (node) => node.setFees({ flat: -1n })),
      /out of bounds/,
    ],
  ])('%s ends the run', async (_, one, text) => {
    await expect(play([one])).rejects.toThrow(text);
  });
});

function fail(): never {
  throw new Error('no more');
}

describe('strategies of a program', () => {
  const strategies = new URL('./rebalancing.ts', import.meta.url);
  const scenario = () => ring([pay(0, 1, 900_000)]);

  it('come as a module, for one run or many', async () => {
    const rows: PaymentRecord[] = [];
    const one = await simulate({
      scenario: scenario(),
      seed: 1,
      strategies,
      onPayment: (row) => rows.push(row),
    });
    expect(rows.map(({ from, to, path, hops }) => ({ from, to, path, hops }))).toEqual([
      { from: 0, to: 1, path: [0, 1], hops: 1 },
      { from: 0, to: 0, path: [0, 2, 1, 0], hops: 3 },
    ]);
    expect(one.channels[0]?.endA).toBe(505_989n);
    const seeds = { from: 1, to: 2 };
    const many = await simulateSeeds({ scenario: scenario(), seeds, strategies });
    expect(many.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(many[0]?.trace).toBe(one.trace);
  });

  it.each<[string, Pick<SimulationOptions, 'strategies'>, RegExp]>([
    ['functions for another thread', { strategies: [strategy('all', () => ({}))] }, /isHere/],
    [
      'a module that is none, without a stack',
      { strategies: './no-such-file.js' },
      /^[^\n]*no-such-file\.js: cannot be imported: [^\n]*$/,
    ],
    [
      'a module without strategies',
      { strategies: new URL('./small-scenarios.ts', import.meta.url) },
      /default export must be a list of strategies/,
    ],
  ])('are refused: %s', async (_, given, text) => {
    await expect(simulate({ scenario: scenario(), ...given })).rejects.toThrow(text);
  });
});
