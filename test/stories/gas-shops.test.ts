/** Strangers hold locks whose secrets they never show: whoever has bought before, and whoever comes, is served all the same. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  type GasWorld,
  SHORT,
  startGasWorld,
  type Timeouts,
  USUAL,
} from '../support/gas-attack.ts';
import { createShop, type Held } from '../support/gas-shop.ts';
import { MONEY } from '../support/gas-theft.ts';

const RICH = 10n ** 22n;
/** After so many blocks the seller has tried everything again. */
const AFTERWARDS = 41n;

let world: GasWorld;
afterEach(() => world.network.stop());

type Shop = { timeouts: Timeouts; wei: bigint; held: Held };
const tenTimes = (locks: number) => Array.from({ length: 10 }, () => locks);
const SOME: Held = { locks: tenTimes(40), settleTimeout: 100n, lifetime: 99n };
const FULL: Held = { ...SOME, locks: tenTimes(160) };
const ALL_DAY: Held = { ...FULL, settleTimeout: 10_000n, lifetime: 9_900n };
const SHOPS: [string, Shop][] = [
  ['nobody holds locks', { timeouts: SHORT, wei: MONEY, held: { ...SOME, locks: [] } }],
  [
    'ten keys hold locks, and there is little money for gas',
    { timeouts: SHORT, wei: MONEY, held: SOME },
  ],
  ['ten keys hold locks', { timeouts: SHORT, wei: RICH, held: FULL }],
  [
    'ten keys hold locks as long as a settle timeout of 10,000 blocks lets them',
    { timeouts: USUAL, wei: RICH, held: ALL_DAY },
  ],
];

describe('a seller that has put nothing in', () => {
  it.each(SHOPS)(
    'sells to a known customer and to a new one when %s',
    async (_, { timeouts, wei, held }) => {
      world = startGasWorld(timeouts);
      const { start, open, buy, hold } = createShop(world);
      const seller = await start('erin');
      const customer = await start('alice');
      await open(customer, seller);
      const answers = [await buy(customer, [seller])];
      await world.setMoney('erin', wei);
      await seller.checkNotifications();
      await hold(seller, held);
      answers.push(await buy(customer, [seller]));
      await world.mine(AFTERWARDS);
      const another = await start('carol');
      await open(another, seller);
      answers.push(await buy(customer, [seller]), await buy(another, [seller]));
      expect(answers).toEqual(['paid', 'paid', 'paid', 'paid']);
    },
    90_000,
  );
});
