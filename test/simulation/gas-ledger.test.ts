/**
 * Attacks on the money that a node has for gas, and on what it sells. Each is one of the worlds that the small worlds of all seeds are made of,
 * without anything else. `it`: the node of today breaks the rule.
 */
import { expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { type Part, pay, smallScenario } from './small-scenarios.ts';

const VICTIM = 1;
const JUNK = { to: VICTIM, token: 'worthless' };
const BURNING = { to: VICTIM, token: 'burning' };
const LONG = { settle_timeout: 10_000 };
/** Little more than what the channels of the victim may take, at three times the price. */
const THIN = [{ nodes: String(VICTIM), gas_money: '0.007 ether' }];
/** Enough for that, and for more locks than there are. */
const ENOUGH = [{ nodes: String(VICTIM), gas_money: '0.01 ether' }];
const TIMES = Array.from({ length: 18 }, (_, n) => 1 + 2 * n);

async function violationOf(moves: readonly object[], part: Partial<Part>) {
  const { violation } = await simulate({
    seed: 1,
    scenario: smallScenario('gas', 'Keys of which nobody has heard.', {
      nodes: 4,
      steps: TIMES.map((block) => pay(0, 2, 10, block)),
      attacks: [{ plan: 'moves', nodes: '3', moves }],
      busy: 40,
      calm: 70,
      ...part,
    }),
  });
  return violation?.text ?? null;
}
const toVictim = TIMES.map((block) => pay(0, VICTIM, 1, block));

it('settlements that nobody needs leave a node the gas that it has promised', async () => {
  const moves = [
    { do: 'open', ...BURNING, keys: 8, settle_timeout: 10 },
    { do: 'abandon', ...BURNING, keys: 8, after: 2 },
    { do: 'open', ...JUNK, first: 100, keys: 16, settle_timeout: 12 },
    { do: 'abandon', ...JUNK, first: 100, keys: 16, after: 2 },
  ];
  expect(await violationOf(moves, { settings: THIN })).toBeNull();
});

it('nobody settles a channel with a stranger’s token for all the gas that it burns', async () => {
  const moves = [
    { do: 'open', ...BURNING, keys: 3, settle_timeout: 10 },
    { do: 'abandon', ...BURNING, keys: 3, after: 2 },
  ];
  expect(await violationOf(moves, {})).toBeNull();
});

it('nobody closes, settles and unlocks for one unit of nothing', async () => {
  const moves = [
    { do: 'open', ...BURNING, keys: 3 },
    {
      do: 'stuff',
      ...BURNING,
      keys: 3,
      after: 1,
      show: 'registered',
      secrets: 'shared',
      blocks: 19,
    },
  ];
  expect(await violationOf(moves, {})).toBeNull();
});

it('what strangers put in for a node makes nobody a customer of it', async () => {
  const moves = [{ do: 'open', ...JUNK, ...LONG, keys: 6, gift: 1 }];
  expect(await violationOf(moves, { settings: ENOUGH, steps: toVictim })).toBeNull();
});

it('locks that strangers merely hold keep nobody known from paying', async () => {
  const held = { ...JUNK, keys: 14 };
  const moves = [
    { do: 'open', ...held, ...LONG, deposit: 60 },
    { do: 'stuff', ...held, after: 1, times: 60, blocks: 9_900 },
  ];
  expect(await violationOf(moves, { steps: toVictim })).toBeNull();
}, 60_000);

it.each([
  ['a mediator', 1, 3],
  ['the payer itself', 0, 2],
])('who is paid for a sale redeems it, however late %s unlocks', async (_, cheat, nodes) => {
  const steps = [pay(0, nodes - 1, 10), pay(0, nodes - 1, 10, 5)];
  const settings = [{ nodes: String(nodes - 1), sells: 5 }];
  const attacks = [{ plan: 'late_unlocks', nodes: String(cheat) }];
  expect(await violationOf([], { nodes, steps, attacks, settings })).toBeNull();
});

it.each([
  ['channels without a gift', [{ do: 'open', ...JUNK, ...LONG, keys: 6 }]],
  [
    'few held locks',
    [
      { do: 'open', ...JUNK, ...LONG, keys: 4 },
      { do: 'stuff', ...JUNK, after: 1, keys: 4, blocks: 9_900 },
    ],
  ],
  [
    'channels that are closed again',
    [
      { do: 'open', ...JUNK, settle_timeout: 10, keys: 6 },
      { do: 'abandon', ...JUNK, keys: 6, after: 2 },
    ],
  ],
])('strangers do no harm with %s', async (_, moves) => {
  expect(await violationOf(moves, { settings: ENOUGH, steps: toVictim })).toBeNull();
});
