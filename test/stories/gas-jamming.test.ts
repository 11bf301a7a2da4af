/** Strangers hold locks over a mediator to accomplices: payments of who has paid its fees before are passed on all the same. */
import { afterEach, describe, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop, FEE } from '../support/gas-shop.ts';
import { MONEY } from '../support/gas-theft.ts';
import { TOKENS } from '../support/network.ts';

const RICH = 10n ** 22n;
const TERMS = { flat: FEE, proportional: 0n, imbalance: 0n, capFees: true };
const AFTERWARDS = 41n;
/** As much as each key finds free when those before it have taken theirs. */
const GREEDY = [160, 120, 60, 30, 15, 8, 4, 2, 1, 1];

let world: GasWorld;
afterEach(() => world.network.stop());

/** What came of seven payments of a customer over bob: five, and two while strangers hold their locks. */
type Jam = { locks: number[]; wei: bigint; amount: bigint; price?: bigint };
async function payThrough({ locks, wei, amount, price }: Jam): Promise<string[]> {
  world = startGasWorld(SHORT, { fees: { byToken: new Map(), others: TERMS } });
  const { start, open, buy, hold, addAccomplices } = createShop(world);
  const bob = await start('bob');
  const [customer, seller] = [await start('alice'), await start('erin')];
  await open(customer, bob);
  await open(bob, seller);
  const answers: string[] = [];
  for (let n = 0; n < 5; n++) answers.push(await buy(customer, [bob, seller]));
  const accomplices = await addAccomplices(bob, 4);
  await world.setMoney('bob', wei);
  await bob.checkNotifications();
  await hold(bob, { locks, settleTimeout: 100n, lifetime: 99n, amount }, accomplices);
  await world.mine(5n);
  answers.push(await buy(customer, [bob, seller], price));
  await world.mine(AFTERWARDS);
  answers.push(await buy(customer, [bob, seller], price));
  return answers;
}
const ALL_PAID = Array.from({ length: 7 }, () => 'paid');
const NEXT_TO_NOTHING = FEE + 1n;

describe('a mediator', () => {
  it.each([
    ['nobody holds locks', [], MONEY],
    ['one key holds twenty locks, and there is little money for gas', [20], MONEY],
    ['ten keys hold locks', GREEDY, RICH],
  ])(
    'passes on small payments of who has paid it before when %s',
    async (_, locks, wei) => {
      expect(await payThrough({ locks, wei, amount: NEXT_TO_NOTHING })).toEqual(ALL_PAID);
    },
    90_000,
  );

  it.each([
    ['nobody holds locks', []],
    ['one key holds forty locks that come back to it, and there is little money for gas', [40]],
  ])(
    'passes on payments of value of who has paid it before when %s',
    async (_, locks) => {
      const [amount, price] = [TOKENS / 20n, TOKENS / 4n];
      expect(await payThrough({ locks, wei: MONEY, amount, price })).toEqual(ALL_PAID);
    },
    90_000,
  );
});
