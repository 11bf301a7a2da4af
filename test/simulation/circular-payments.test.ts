/** A node pays itself over two of its channels, to move money from the one to the other. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { cheat, pay, smallScenario, TIME_TO_SETTLE, type Tree } from './small-scenarios.ts';

const [OWN, FIRST, LAST] = [0, 1, 2];
const AMOUNT = 100_000;
const CAPACITY = 1_000_000n;
/** Those between take about 20 units each. */
const FEE = 40n;

/** A ring of three, whose first node pays itself over the others. */
async function paidHome(attacks: readonly Tree[] = [], path = [FIRST, LAST, OWN]) {
  const scenario = smallScenario('home', 'A node pays itself.', {
    topology: { kind: 'ring', nodes: 3 },
    capacity: String(CAPACITY),
    defaults: { fees: { flat: '0', proportional_ppm: 200, imbalance_ppm: 0 } },
    steps: [{ ...pay(OWN, OWN, AMOUNT), path }],
    attacks,
    busy: 14,
    ...TIME_TO_SETTLE,
  });
  const result = await simulate({ scenario, seed: 1 });
  const own = result.nodes[OWN];
  const [out, back] = [FIRST, LAST].map((partner) => {
    const channel = result.channels.find(({ a, b }) => a + b === partner && a * b === OWN);
    return channel?.a === OWN ? channel.endA : channel?.endB;
  });
  if (own === undefined) throw new Error('a ring of three');
  return { ...result, own, gain: own.wealthAfter - own.wealthBefore, sides: [out, back] };
}

describe('a payment to oneself', () => {
  it('moves money from one channel to another, for the fees of those between', async () => {
    const { violation, own, gain, payments, sides } = await paidHome();
    expect(violation).toBeNull();
    // It is no payment of anybody.
    expect(payments.started).toBe(0);
    // What the fees do not take comes home.
    expect(gain).toBe(-FEE);
    const [out = 0n, back = 0n] = sides;
    expect(back).toBeGreaterThanOrEqual(CAPACITY + BigInt(AMOUNT));
    expect(out + back).toBe(2n * CAPACITY - FEE);
    // It stands in the history twice, as sent and as received.
    expect([own.sent, own.received, own.mediated, own.failed]).toEqual([1, 1, 0, 0]);
  });

  it('may begin with either channel', async () => {
    const { violation, sides } = await paidHome([], [LAST, FIRST, OWN]);
    expect(violation).toBeNull();
    expect(sides.map((side = 0n) => side > CAPACITY)).toEqual([true, false]);
  });

  it.each<[string, Tree]>([
    ['the last never unlocks', cheat('withheld_unlocks', LAST)],
    ['the first never unlocks', cheat('withheld_unlocks', FIRST)],
    ['the first shows the secret late', cheat('late_reveal', FIRST)],
    ['the last shows the secret late', cheat('late_reveal', LAST)],
    ['the first forwards to nobody', cheat('ghost_mediator', FIRST)],
  ])('costs no more when %s', async (_, plan) => {
    const { violation, own, gain } = await paidHome([plan]);
    expect(violation).toBeNull();
    expect([own.sent, own.received, own.loss, gain >= -FEE]).toEqual([1, 1, 0n, true]);
  });

  const changed = (field: string, by: number) => {
    const value = { kind: 'shifted', by };
    return { do: 'change', type: 'lock', field, value, is_hidden: true };
  };
  const withheld = { do: 'drop', type: 'unlock', times: 10 };
  it.each<[string, Tree[]]>([
    ['gives it for a shorter time, and withholds it', [changed('lock.expiration', -6), withheld]],
    ['gives it for a longer time', [changed('lock.expiration', 3)]],
    ['gives it once more, and withholds it', [{ do: 'double', type: 'lock' }, withheld]],
    ['says another identifier', [changed('paymentId', 1)]],
    ['gives less than was promised', [changed('lock.amount', -5_000)]],
  ])('never costs more when the last %s', async (_, moves) => {
    const { violation, own, gain } = await paidHome([cheat('moves', LAST, { moves })]);
    expect(violation).toBeNull();
    expect([own.sent === own.received, own.loss, gain >= -FEE]).toEqual([true, 0n, true]);
  });

  it('fails and costs nothing when the last holds the transfer', async () => {
    const moves = [{ do: 'drop', type: 'lock', times: 10 }];
    const { violation, gain, own } = await paidHome([cheat('moves', LAST, { moves })]);
    expect(violation).toBeNull();
    expect([own.failed, own.sent, own.received, gain]).toEqual([1, 0, 0, 0n]);
  });
});
