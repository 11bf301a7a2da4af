/** What has gone wrong with payment channels before, each as the smallest network in which it can. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { crashPointsOf, crashScenario } from './crash-scenarios.ts';
import { inChannel, type Part, pay, smallScenario, TIME_TO_SETTLE } from './small-scenarios.ts';

/** Runs it to its end, in which nothing may break. */
async function run(part: Part) {
  const result = await simulate({ scenario: smallScenario('small', 'One thing.', part), seed: 1 });
  expect(result.violation).toBeNull();
  const calls = (name: string) => result.transactionsByType[name]?.count ?? 0;
  return { ...result, calls };
}

const silence = (nodes: number, at_block: number, blocks: number) => ({
  kind: 'deaf',
  nodes: String(nodes),
  when: { at_block, blocks },
});
const moves = (nodes: number, ...list: object[]) => ({
  plan: 'moves',
  nodes: String(nodes),
  moves: list,
});
const never = (what: 'drop' | 'ignore', type: string) => ({ do: what, type, times: 1_000 });

describe('a mediator', () => {
  it('that paid the target is paid on chain by an initiator that stays silent', async () => {
    const { calls, nodes } = await run({
      steps: [pay(0, 2, 10)],
      attacks: [moves(0, never('drop', 'unlock'))],
      busy: 14,
      ...TIME_TO_SETTLE,
    });
    expect(calls('registerSecret')).toBe(1);
    expect(nodes.map(({ mediated, received }) => [mediated, received])).toEqual([
      ...[
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    ]);
  });

  it('pays no gas for a secret of a transfer that did not go on', async () => {
    const { calls, payments } = await run({
      steps: [pay(1, 2, 900), pay(0, 2, 500, 3)],
      busy: 8,
      ...TIME_TO_SETTLE,
    });
    expect(payments).toMatchObject({ started: 2, succeeded: 1 });
    expect(calls('registerSecret')).toBe(0);
  });

  it('keeps the channel of a payer that unlocks before its time is over', async () => {
    const { calls, channels } = await run({
      steps: [pay(0, 2, 10)],
      attacks: [moves(0, { do: 'hold', type: 'unlock', blocks: 14, times: 20 })],
      busy: 26,
      ...TIME_TO_SETTLE,
    });
    expect(calls('registerSecret')).toBe(1);
    expect(calls('closeChannel')).toBe(0);
    expect(channels.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('claims from a payer that withholds its unlock although its first transactions fail', async () => {
    const { calls, nodes } = await run({
      steps: [pay(0, 2, 10)],
      attacks: [moves(0, never('drop', 'unlock'))],
      faults: [{ kind: 'refused_calls', nodes: '1', when: { at_block: 8, blocks: 4 } }],
      busy: 18,
      ...TIME_TO_SETTLE,
    });
    expect(calls('registerSecret')).toBe(1);
    expect(nodes[1]?.mediated).toBe(1);
  });
});

describe('a mediator whose endpoint stands still', () => {
  const frozen = { kind: 'stale_head', nodes: '1', lag: 20, when: { at_block: 1, blocks: 20 } };

  it('passes nothing on, so that a payer who stays silent costs it nothing', async () => {
    const { payments, nodes } = await run({
      steps: [pay(0, 2, 10, 10)],
      faults: [frozen],
      busy: 22,
      ...TIME_TO_SETTLE,
    });
    expect(payments).toMatchObject({ started: 1, succeeded: 0 });
    expect(nodes[1]?.mediated).toBe(0);
  });

  it('makes no payment of its own until it sees the chain again', async () => {
    const { payments } = await run({
      steps: [pay(1, 2, 10, 10), pay(1, 2, 11, 24)],
      faults: [frozen],
      busy: 26,
    });
    expect(payments).toEqual({ started: 2, succeeded: 1, failed: { syncing: 1 } });
  });
});

describe('a payment', () => {
  it('that is asked for twice at the same time is made once', async () => {
    const asked = { ...pay(0, 1, 10), identifier: 42 };
    const { nodes } = await run({ nodes: 2, steps: [asked, asked] });
    expect([nodes[0]?.sent, nodes[1]?.received]).toEqual([1, 1]);
  });

  it('to a silent partner is answered when its lock has run out', async () => {
    const { payments } = await run({ nodes: 2, steps: [pay(0, 1, 10)], silent: 1, busy: 30 });
    expect(payments).toEqual({ started: 1, succeeded: 0, failed: { lock_expired: 1 } });
  });

  it('whose partner was away until long after its lock leaves the channel usable', async () => {
    const { payments, channels } = await run({
      nodes: 2,
      steps: [pay(0, 1, 10, 2), pay(0, 1, 11, 64)],
      attacks: [moves(1, never('ignore', 'Sync'))],
      faults: [silence(1, 2, 60)],
      busy: 70,
    });
    expect(payments).toMatchObject({ started: 2, succeeded: 1 });
    expect(channels.map(({ state }) => state)).toEqual(['open']);
  });

  it('whose payer goes silent after the secret is claimed on chain and unlocked later', async () => {
    const { calls, nodes, channels } = await run({
      nodes: 2,
      steps: [pay(0, 1, 10)],
      attacks: [moves(0, { do: 'hold', type: 'unlock', blocks: 14, times: 20 })],
      busy: 30,
    });
    expect(calls('registerSecret')).toBe(1);
    expect(nodes[1]?.received).toBe(1);
    expect(channels.map(({ state }) => state)).toEqual(['open']);
  });

  it('that a mediator paid alone, and forgot, has cost the payer nothing and is called failed', async () => {
    const { calls, payments, nodes } = await run({
      steps: [pay(0, 2, 10)],
      attacks: [moves(1, never('drop', 'RevealSecret'))],
      faults: [{ kind: 'disk_old_copy', nodes: '1', age: 3, when: { at_block: 3, blocks: 1 } }],
      busy: 30,
    });
    expect(payments).toEqual({ started: 1, succeeded: 0, failed: { lock_expired: 1 } });
    expect(nodes.map(({ sent, received }) => [sent, received])).toEqual([
      ...[
        [0, 0],
        [0, 0],
        [0, 1],
      ],
    ]);
    expect(calls('registerSecret')).toBe(0);
  });

  it('that is unlocked while the registration of its secret waits for gas money costs no gas', async () => {
    const { calls, nodes } = await run({
      nodes: 2,
      steps: [pay(0, 1, 10)],
      attacks: [moves(0, { do: 'hold', type: 'unlock', blocks: 12, times: 20 })],
      faults: [{ kind: 'no_gas', nodes: '1', when: { at_block: 8, blocks: 6 } }],
      busy: 30,
    });
    expect(nodes[1]?.received).toBe(1);
    expect(calls('registerSecret')).toBe(0);
  });

  it('is on record once although every message comes many times', async () => {
    const { nodes } = await run({
      steps: [pay(0, 2, 10)],
      faults: [{ kind: 'repeats', share: 1, when: { at_block: 0, blocks: 5 } }],
    });
    expect(nodes.map(({ sent, mediated, received }) => [sent, mediated, received])).toEqual([
      ...[
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
    ]);
  });
});

describe('a withdraw', () => {
  const withdraw = (node: number, partner: number, amount: number, at_block = 1) =>
    inChannel('withdraw', node, partner, { amount: String(amount), at_block });

  it('costs no payment although the partner consents with other numbers first', async () => {
    const { payments, calls } = await run({
      nodes: 2,
      steps: [withdraw(0, 1, 30), pay(0, 1, 10, 3)],
      attacks: [
        moves(1, {
          do: 'change',
          type: 'WithdrawConfirmation',
          field: 'nonce',
          value: { kind: 'shifted', by: 3 },
        }),
      ],
      busy: 20,
    });
    expect(payments.succeeded).toBe(1);
    expect(calls('setTotalWithdraw')).toBeLessThanOrEqual(1);
  });

  it('whose partner was away until long after its expiration leaves the channel usable', async () => {
    const { payments } = await run({
      nodes: 2,
      steps: [withdraw(0, 1, 30, 2), pay(0, 1, 900, 110)],
      faults: [silence(1, 2, 100)],
      busy: 115,
    });
    expect(payments).toMatchObject({ started: 1, succeeded: 1 });
  });

  it('of both sides at once is made for both', async () => {
    const { calls } = await run({
      nodes: 2,
      steps: [withdraw(0, 1, 30), withdraw(1, 0, 100)],
      busy: 10,
    });
    expect(calls('setTotalWithdraw')).toBe(2);
  });
});

describe('a partner that closes with an old proof', () => {
  it('is answered with one update, also when the other end dies over it', async () => {
    const scenario = crashScenario('a close with an old proof');
    const points = await crashPointsOf(scenario);
    const over = points.filter(({ point }) => point.startsWith('job.'));
    expect(over.length).toBeGreaterThan(0);
    for (const crash of over) {
      const { transactionsByType, violation } = await simulate({
        scenario,
        seed: 1,
        crashes: [crash],
      });
      expect(violation).toBeNull();
      const updates = transactionsByType['updateNonClosingBalanceProof']?.count;
      expect({ crash, updates }).toEqual({ crash, updates: 1 });
    }
  });
});
