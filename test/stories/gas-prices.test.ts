/** The prices that a seller can be paid over a mediator, with its operator’s word on the token. */
import { afterEach, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop } from '../support/gas-shop.ts';
import { TOKENS } from '../support/network.ts';

let world: GasWorld;
afterEach(() => world.network.stop());
const PRICE = TOKENS / 10_000n;

it('sells at every price', async () => {
  const tokenValues = new Map<Address, bigint>();
  world = startGasWorld(SHORT);
  const { start, open, buy } = createShop(world);
  // PRICE is worth twice the gas of a registration, to the seller alone.
  tokenValues.set(world.network.token, 120_000n * GWEI * 10_000n);
  const bob = await start('bob');
  const customer = await start('alice');
  await world.network.fund('erin', 10n * TOKENS);
  const seller = await world.network.start('erin', { settings: { tokenValues } as never });
  await open(customer, bob);
  await open(bob, seller);
  await world.setMoney('erin', 10n ** 22n);
  await seller.checkNotifications();
  const answers: string[] = [];
  for (const amount of [PRICE / 4n, 2n * PRICE, 3n * PRICE, PRICE]) {
    const paying = Promise.race([
      buy(customer, [bob, seller], amount),
      new Promise<string>((resolve) => setTimeout(() => resolve('no answer'), 20_000)),
    ]);
    answers.push(await paying);
  }
  expect(answers).toEqual(['paid', 'paid', 'paid', 'paid']);
}, 90_000);
