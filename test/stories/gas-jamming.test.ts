/** Strangers hold locks over a mediator: payments of who has paid its fees before are passed on all the same. */
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

/** The same over bob for the seller, of whose channel they leave no place free. */
const FILLING = [72, 36, 18, 9, 5, 2, 1, 1, 1];

let world: GasWorld;
afterEach(() => world.network.stop());

type Jam = {
  /** How many locks each key of the attackers has; and whether they are for the seller, or for accomplices. */
  locks: number[];
  isForSeller?: boolean;
  /** Fees that another key of theirs has paid. */
  fees?: number;
  /** Payments of the customer before. */
  bought?: number;
  wei: bigint;
  amount?: bigint;
  price?: bigint;
};
/** What came of payments of a customer over bob: those before, and two while strangers hold their locks. */
async function payThrough(jam: Jam): Promise<string[]> {
  const { locks, isForSeller = false, fees = 0, bought = 5, wei, amount = FEE + 1n, price } = jam;
  const answers: string[] = [];
  world = startGasWorld(SHORT, { fees: { byToken: new Map(), others: TERMS } });
  const { start, open, buy, hold, addAccomplices } = createShop(world);
  const bob = await start('bob');
  const [customer, seller] = [await start('alice'), await start('erin')];
  await open(customer, bob);
  await open(bob, seller);
  if (fees > 0) {
    const other = await start('carol');
    await open(other, bob);
    for (let n = 0; n < fees; n++) answers.push(await buy(other, [bob, seller], 10n * FEE));
  }
  for (let n = 0; n < bought; n++) answers.push(await buy(customer, [bob, seller]));
  const payees = isForSeller
    ? [seller.ownAddress]
    : (await addAccomplices(bob, 4)).map(({ stranger }) => stranger.signer.address);
  await world.setMoney('bob', wei);
  await bob.checkNotifications();
  await hold(bob, { locks, settleTimeout: 100n, lifetime: 99n, amount }, payees);
  await world.mine(5n);
  answers.push(await buy(customer, [bob, seller], price));
  await world.mine(AFTERWARDS);
  answers.push(await buy(customer, [bob, seller], price));
  return [...new Set(answers)];
}
const OF_VALUE = { amount: TOKENS / 20n, price: TOKENS / 4n };

describe('a mediator', () => {
  it.each<[string, Jam]>([
    ['nobody holds locks', { locks: [], wei: MONEY }],
    ['one key holds twenty locks, and there is little money for gas', { locks: [20], wei: MONEY }],
    ['ten keys hold locks', { locks: GREEDY, wei: RICH }],
    ['another key has paid more fees than it', { locks: [], fees: 150, wei: MONEY }],
    [
      'one key holds twenty locks, another has paid thirty times its fees, and there is little money for gas',
      { locks: [20], fees: 150, wei: MONEY },
    ],
    [
      'one key holds twenty locks, and another has paid 500 fees',
      { locks: [20], fees: 500, bought: 20, wei: MONEY },
    ],
    [
      'seven keys hold locks for the same seller',
      { locks: FILLING.slice(0, 7), isForSeller: true, wei: RICH },
    ],
    [
      'nine keys hold as many as its channel leaves free',
      { locks: FILLING, isForSeller: true, wei: RICH },
    ],
  ])(
    'passes on small payments of who has paid it before when %s',
    async (_, jam) => {
      expect(await payThrough(jam)).toEqual(['paid']);
    },
    300_000,
  );

  it.each<[string, Jam]>([
    ['nobody holds locks', { locks: [], wei: MONEY, ...OF_VALUE }],
    [
      'one key holds forty locks that come back to it, and there is little money for gas',
      { locks: [40], wei: MONEY, ...OF_VALUE },
    ],
    [
      'one key holds forty locks, another has paid more fees, and there is little money for gas',
      { locks: [40], fees: 150, wei: MONEY, ...OF_VALUE },
    ],
    [
      'nine keys hold as many of next to nothing as its channel leaves free',
      { locks: FILLING, isForSeller: true, wei: RICH, price: TOKENS / 4n },
    ],
  ])(
    'passes on payments of value of who has paid it before when %s',
    async (_, jam) => {
      expect(await payThrough(jam)).toEqual(['paid']);
    },
    300_000,
  );
});
