/** What a scenario demands of its run can fail: of each kind of step and of each measure, one run in which it does. */
import { expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import type { MEASURES } from '../../src/simulation/scenario/schema/expectations.ts';
import type { Step } from '../../src/simulation/scenario/schema/steps.ts';
import { inChannel, type Part, pay, smallScenario, type Tree } from './small-scenarios.ts';

type Failing = Part & { text: RegExp };
const fault = (kind: string, at_block: number, blocks: number, nodes = '0'): Tree => {
  return { kind, nodes, when: { at_block, blocks } };
};
const DEAD = { faults: [fault('kill', 1, 20)], busy: 25 };
const success = { at_block: 3, expect: 'success' };
const ofNodes = (what: string, more: Tree = {}): Tree => {
  return { do: what, nodes: '0', at_block: 3, ...more };
};
const service = (what: string, expected: string, at_block = 3): Tree => {
  return { do: what, node: 0, amount: '5 tokens', at_block, expect: expected };
};

/** Violated by the payments of `PLAIN`, or by their want. */
const PLAIN: Part = { steps: [pay(0, 2, 10, 1), pay(0, 1, 5000, 2)] };
const atLeast = (at_least: number | string) => ({ at_least });
const atMost = (at_most: number | string) => ({ at_most });
/** A bound that the run does not keep, and what was measured. */
const MEASURED: Record<keyof typeof MEASURES, { part?: Part; bound: Tree; actual: RegExp }> = {
  success_rate: { bound: atLeast(0.9), actual: /^0\.5$/ },
  succeeded_payments: { bound: atLeast(2), actual: /^1$/ },
  failed_payments: { bound: atMost(0), actual: /^1$/ },
  stuck_payments: {
    part: { steps: [pay(0, 1, 10, 4)], silent: 1, calm: 0 },
    bound: atMost(0),
    actual: /^1$/,
  },
  stuck_locks: {
    part: { steps: [pay(0, 1, 10, 4), pay(2, 0, 10, 4)], silent: 0, calm: 0 },
    bound: atMost(0),
    actual: /^2$/,
  },
  latency_blocks_p50: { bound: atLeast(5), actual: /^[0-4](\.\d+)?$/ },
  latency_blocks_p99: { bound: atLeast(5), actual: /^[0-4](\.\d+)?$/ },
  lock_slack_blocks: { bound: atLeast(0), actual: /nothing/ },
  messages_per_payment: { bound: atMost(1), actual: /^\d+/ },
  gas_per_payment: { bound: atLeast(1), actual: /^0$/ },
  depleted_channels: { bound: atLeast(0.1), actual: /^0$/ },
  settled_channels: { bound: atLeast(1), actual: /^0$/ },
  kills: { part: { ...DEAD, steps: [] }, bound: atMost(0), actual: /^1$/ },
  honest_loss: { bound: atLeast('1'), actual: /^0 TOK$/ },
  attacker_gain: { bound: atLeast('1'), actual: /^0 TOK$/ },
  fee_income: { bound: atLeast('1'), actual: /^0 TOK$/ },
};

const STEPS: Record<Step['do'], readonly Failing[]> = {
  open_channel: [
    {
      steps: [inChannel('open_channel', 0, 1, { deposit: '5', ...success })],
      text: /^open_channel of node-0 in block 3 was to be a success: /,
    },
  ],
  deposit: [
    {
      ...DEAD,
      steps: [inChannel('deposit', 0, 1, { amount: '5', ...success })],
      text: /^deposit of node-0 in block 3 was to be a success: node_down$/,
    },
  ],
  withdraw: [
    {
      steps: [inChannel('withdraw', 0, 1, { amount: '5000', ...success })],
      text: /^withdraw of node-0 in block 3 was to be a success: /,
    },
    {
      steps: [inChannel('withdraw', 0, 1, { amount: '5', ...success })],
      silent: 1,
      busy: 4,
      calm: 1,
      text: /never answers withdraw|had no end when the run ended/,
    },
  ],
  close: [
    {
      steps: [inChannel('close', 0, 1, { at_block: 3, expect: 'failure' })],
      text: /^close of node-0 in block 3 was to be a failure: it was done$/,
    },
  ],
  await_settled: [
    {
      steps: [inChannel('await_settled', 0, 2, { at_block: 3, within: 4 })],
      text: /^the channel of 0 and 2, to be settled by block 7, was not there in block 3$/,
    },
    {
      faults: [fault('kill', 8, 20)],
      steps: [
        inChannel('close', 0, 1, { at_block: 6 }),
        inChannel('await_settled', 0, 1, { at_block: 7, within: 5 }),
      ],
      busy: 30,
      text: /^the channel of 0 and 1, to be settled by block 12, is closed$/,
    },
  ],
  join: [
    {
      ...DEAD,
      steps: [{ do: 'join', node: 0, funds: '50', ...success }],
      text: /^join of node-0 in block 3 was to be a success: node_down$/,
    },
  ],
  fill_user_deposit: [
    {
      steps: [service('fill_user_deposit', 'failure')],
      text: /^fill_user_deposit of node-0 in block 3 was to be a failure: it was done$/,
    },
  ],
  plan_user_withdrawal: [
    {
      steps: [service('plan_user_withdrawal', 'success')],
      text: /^plan_user_withdrawal of node-0 in block 3 was to be a success: /,
    },
  ],
  withdraw_user_deposit: [
    {
      steps: [service('withdraw_user_deposit', 'success')],
      text: /^withdraw_user_deposit of node-0 in block 3 was to be a success: /,
    },
  ],
  pay: [
    {
      ...DEAD,
      steps: [{ ...pay(0, 1, 10, 8), expect: 'success' }],
      text: /^the payment of 0 to 1 in block 8 was to be a success: node_down$/,
    },
    {
      steps: [{ ...pay(0, 1, 10, 3), expect: 'failure' }],
      text: /^the payment of 0 to 1 in block 3 was to be a failure: it was done$/,
    },
    // Its process ends in order, so that nobody is left who owes an answer.
    {
      steps: [{ ...pay(0, 1, 10, 2), expect: 'success' }, ofNodes('stop')],
      silent: 1,
      text: /^the payment of 0 to 1 in block 2 (had no end|was to be a success)/,
    },
    {
      steps: [{ ...pay(0, 1, 10, 4), expect: 'failure' }],
      silent: 1,
      calm: 0,
      text: /1 payments never end|had no end when the run ended/,
    },
  ],
  leave: [
    {
      ...DEAD,
      steps: [ofNodes('leave', { expect: 'success' })],
      text: /^leave of node-0 in block 3 was to be a success: node_down$/,
    },
  ],
  try_channels: [
    { ...DEAD, steps: [ofNodes('try_channels')], text: /is not possible: it is down$/ },
    {
      faults: [fault('loss', 1, 20)].map((one) => ({ ...one, share: 0.1 })),
      steps: [ofNodes('try_channels')],
      busy: 25,
      text: /is not possible: something is in the way$/,
    },
    {
      topology: { kind: 'empty', nodes: 2 },
      steps: [ofNodes('try_channels', { at_block: 20 })],
      busy: 25,
      text: /is not possible: it can pay nobody$/,
    },
  ],
  stop: [
    {
      steps: [ofNodes('pause', { at_block: 2, blocks: 100 }), ofNodes('stop')],
      text: /^stop of node-0 in block 3 had no end when the run ended$/,
    },
  ],
  start: [
    {
      faults: [fault('unreachable', 2, 40)],
      steps: [ofNodes('stop', { at_block: 1 }), ofNodes('start')],
      busy: 23,
      calm: 0,
      text: /^start of node-0 in block 3 had no end when the run ended$/,
    },
  ],
  // The last two only do something: what others demand fails by them.
  kill: [
    {
      steps: [ofNodes('kill'), { ...pay(0, 1, 10, 5), expect: 'success' }],
      text: /^the payment of 0 to 1 in block 5 was to be a success: node_down$/,
    },
  ],
  pause: [
    {
      steps: [ofNodes('pause', { blocks: 100 }), { ...pay(1, 0, 10, 4), expect: 'success' }],
      text: /^the payment of 1 to 0 in block 4 was to be a success: /,
    },
  ],
};

it.each(Object.entries(MEASURED))('an expectation of %s fails', async (measure, one) => {
  const expectations = [{ measure, ...one.bound }];
  const scenario = smallScenario('small', measure, { ...(one.part ?? PLAIN), expectations });
  const { verdict, expectations: found } = await simulate({ scenario, seed: 1 });
  expect(verdict).toBe('failed');
  expect(found.map(({ isMet }) => isMet)).toEqual([false]);
  expect(found[0]?.actual).toMatch(one.actual);
});

it.each(Object.entries(STEPS).flatMap(([kind, all]) => all.map((one, n) => ({ kind, n, ...one }))))(
  'a step $kind fails ($n)',
  async ({ kind, text, ...part }) => {
    const { verdict, violation } = await simulate({
      scenario: smallScenario('small', kind, part),
      seed: 1,
    });
    expect(verdict).toBe('failed');
    expect(violation?.text).toMatch(text);
  },
);

it('a lock that nobody ends is a failure', async () => {
  const part: Part = { steps: [pay(0, 2, 10, 4)], silent: 2, calm: 0 };
  const { violation } = await simulate({
    scenario: smallScenario('small', 'a lock', part),
    seed: 1,
  });
  expect(violation?.text).toMatch(/^node-[01] has 1 locks that never end$/);
});
