/** The figures of a report about money: what payers paid, what waited in locks, and how channels began. */
import { describe, expect, it } from 'vitest';
import { imbalances, keyFigures } from '../../src/simulation/report/results/figures.ts';
import { textOf } from '../../src/simulation/report/results/said.ts';
import { figuresOf } from '../../src/simulation/run/summary.ts';
import { observe } from './observed.ts';
import { cheat, inChannel, pay, smallScenario, TIME_TO_SETTLE } from './small-scenarios.ts';

const sum = <T extends number | bigint>(values: readonly T[]) =>
  values.reduce((all, value) => all + BigInt(value), 0n);

describe('the payments of a node that failed', () => {
  it('are those of which its owner was told so, whatever the reason', async () => {
    const scenario = smallScenario('down', 'A node is down.', {
      steps: [
        { do: 'kill', at_block: 1, nodes: '0' },
        { do: 'start', at_block: 5, nodes: '0' },
        ...[2, 3].map((block) => pay(0, 2, 10, block)),
        pay(0, 2, 10, 8),
        pay(2, 0, 5_000, 8),
        pay(2, 1, 5, 9),
      ],
      busy: 14,
    });
    const { result, records } = await observe(scenario, 1);
    expect(result.payments.failed).toEqual({ insufficient_balance: 1, node_down: 2 });
    expect(result.nodes.map(({ failed }) => failed)).toEqual([2, 0, 1]);
    const told = records.filter(({ outcome }) => outcome === 'failed').map(({ from }) => from);
    expect(told.toSorted()).toEqual([0, 0, 2]);
  });
});

describe('the fees of a run', () => {
  it('are what payers paid, beside what mediators earned of it', async () => {
    const scenario = smallScenario('fees', 'A mediator charges.', {
      capacity: '1000000',
      steps: [pay(0, 2, 100_000), pay(2, 0, 50_000, 2), pay(0, 1, 7, 3)],
      defaults: { fees: { flat: '0', proportional_ppm: 1_000, imbalance_ppm: 0 } },
    });
    const { result, records } = await observe(scenario, 1);
    const paid = sum(records.map(({ fee }) => fee ?? 0n));
    expect(sum(result.nodes.map(({ feesPaid }) => feesPaid))).toBe(paid);
    expect(result.nodes[1]?.feesPaid).toBe(0n);
    expect(figuresOf(result)).toMatchObject({ feesPaid: paid, feeIncome: 150n });
    expect(paid).toBeGreaterThan(150n);
    const shown = keyFigures(result).find(({ name }) => name === 'Fees paid');
    expect(shown?.value).toBe(Number(paid));
  });

  it('are of a payment to oneself what did not come home', async () => {
    const scenario = smallScenario('home', 'A node pays itself.', {
      topology: { kind: 'ring', nodes: 3 },
      capacity: '1000000',
      steps: [{ ...pay(0, 0, 100_000), path: [1, 2, 0] }],
      defaults: { fees: { flat: '0', proportional_ppm: 200, imbalance_ppm: 0 } },
    });
    const { result } = await observe(scenario, 1);
    const earned = sum(result.nodes.map(({ feesEarned }) => feesEarned));
    expect(earned).toBeGreaterThan(0n);
    expect(result.nodes[0]?.feesPaid).toBe(earned);
  });
});

describe('the money in locks', () => {
  it('counts for as long as it waited, for each node that locked it', async () => {
    const moves = [{ do: 'hold', type: 'RevealSecret', blocks: 5, times: 9 }];
    const scenario = smallScenario('held', 'A payee keeps its secret for five blocks.', {
      steps: [pay(0, 2, 100)],
      attacks: [cheat('moves', 2, { moves })],
      busy: 9,
      ...TIME_TO_SETTLE,
    });
    const { result } = await observe(scenario, 1);
    const [payer, mediator, payee] = result.nodes.map(({ lockedBlocks }) => lockedBlocks / 100);
    for (const blocks of [payer, mediator]) {
      expect(blocks).toBeGreaterThan(4.5);
      expect(blocks).toBeLessThan(6);
    }
    expect(payee).toBe(0);
    expect(figuresOf(result)).toMatchObject({ attackerLocked: 0 });
    expect(figuresOf(result).honestLocked).toBeCloseTo(100 * ((payer ?? 0) + (mediator ?? 0)), 6);
  });
});

describe('a channel', () => {
  it('is as one-sided in the beginning as it was then, whatever is deposited later', async () => {
    const scenario = smallScenario('later', 'Somebody deposits later, and opens a channel.', {
      split: 'even',
      steps: [
        inChannel('deposit', 0, 1, { amount: '3000' }),
        inChannel('open_channel', 0, 2, { deposit: '70' }),
      ],
      busy: 12,
    });
    const { result } = await observe(scenario, 1);
    expect(result.channels.map(({ beginA, beginB }) => [beginA, beginB])).toEqual([
      [1_000n, 1_000n],
      [1_000n, 1_000n],
      [null, null],
    ]);
    expect(imbalances(result.channels)).toEqual({
      begin: 0,
      end: expect.closeTo((0.6 + 0 + 1) / 3, 5),
    });
    const shown = keyFigures(result).find(({ name }) => name === 'Imbalance of the channels');
    expect(textOf(shown?.note ?? [])).toContain('; 0 % in the beginning');
  });
});
