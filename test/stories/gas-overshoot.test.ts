/** Closes for dust that fall due in one block, and the budget that all strangers share. */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop } from '../support/gas-shop.ts';
import { TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const LIFETIME = 60n;
let world: GasWorld;
afterEach(() => world.network.stop());

it.each([[0], [320]])(
  'passes on payments of a new stranger after %i closes for one unit of junk',
  async (count) => {
    world = startGasWorld(SHORT);
    const { start, open, buy } = createShop(world);
    const bob = await start('bob');
    const seller = await start('erin');
    const customer = await start('alice');
    await open(bob, seller);
    await open(customer, bob);
    await world.setMoney('bob', 10n ** 22n);
    const of = await world.createJunk('JUNK');
    await world.network.mine(2n);
    await until(() => bob.tokenNetworkOf(of.token) !== null, 'known');
    const strangers = world.open(bob.ownAddress, { of, count, settleTimeout: 100n });
    await world.network.mine(3n);
    await until(() => bob.channels({ token: of.token }).length === count, 'known');
    await world.owe(strangers, 'bob', LIFETIME);
    await world.network.mine(LIFETIME + 42n);
    await world.mine(30n);
    await bob.checkNotifications();
    const answer = await Promise.race([
      buy(customer, [bob, seller], TOKENS / 10n),
      new Promise<string>((resolve) => setTimeout(() => resolve('no answer'), 20_000)),
    ]);
    expect(answer).toBe('paid');
  },
  90_000,
);
