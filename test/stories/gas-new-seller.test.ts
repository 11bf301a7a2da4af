/** A seller that has earned next to nothing, whom strangers pay one unit each. */
import { afterEach, expect, it } from 'vitest';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop } from '../support/gas-shop.ts';
import { MONEY } from '../support/gas-theft.ts';
import { good } from '../support/network.ts';
import { until } from '../support/until.ts';

let world: GasWorld;
let base = 0n;
afterEach(() => world.network.stop());

it.each([
  ['nobody else pays', 0],
  ['forty strangers have paid it one unit each', 40],
])(
  'sells over a mediator when %s',
  async (_, count) => {
    world = startGasWorld(SHORT);
    const { network } = world;
    const { start, open, buy } = createShop(world);
    const bob = await start('bob');
    const customer = await start('alice');
    const seller = await start('erin');
    await open(customer, bob);
    await open(bob, seller);
    const facts = { token: network.token, partner: network.addressOf('dave'), totalDeposit: 0n };
    good(
      await network.whileMining(
        seller.openChannel({ ...facts, settleTimeout: null, revealTimeout: null }),
      ),
    );
    await world.setMoney('erin', MONEY);
    await seller.checkNotifications();
    const strangers = world.open(seller.ownAddress, {
      of: world.ordinary,
      count,
      settleTimeout: 100n,
    });
    await network.mine(3n);
    await until(() => seller.channels({ token: network.token }).length === count + 2, 'known');
    const speakers = strangers.map((one) => world.speaker(one, 'erin'));
    for (const speaker of speakers) world.lock(speaker, 'erin', { lifetime: 90n, isShown: true });
    await world.heard(speakers, 1);
    for (const [n, { says, secrets }] of speakers.entries())
      says.unlock({ paymentId: base + BigInt(n + 1), secret: secrets[0] ?? ZERO_HASH });
    base += BigInt(count);
    await world.heard(speakers, 2);
    const answer = await Promise.race([
      buy(customer, [bob, seller]),
      new Promise<string>((resolve) => setTimeout(() => resolve('no answer'), 20_000)),
    ]);
    expect(answer).toBe('paid');
  },
  90_000,
);
