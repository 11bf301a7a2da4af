/** What the budget of a token pays for that burns just less gas than it may. */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { startTheft } from '../support/gas-theft.ts';

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([[6, 25_000]])(
  'settles %i channels of strangers in a junk token that burns %i gas, for no more than they paid',
  async (count, burns) => {
    world = startGasWorld(SHORT);
    const theft = await startTheft(world);
    await world.setMoney('bob', 10n ** 22n);
    const of = await theft.createJunk(burns);
    const bob = theft.bob().ownAddress;
    const block = world.head();
    const strangers = world.open(bob, { of, count, settleTimeout: 20n, given: 1n });
    await world.network.mine(3n);
    await theft.knows(count, of.token);
    world.close(strangers, bob);
    await world.network.mine(20n);
    await world.mine(40n);
    const bobs = world.gasSince(block + 1n, (from) => from === bob);
    const others = world.gasSince(block + 1n, (from) => from !== bob);
    expect(bobs).toBeGreaterThan(0n);
    expect(bobs).toBeLessThan(others);
  },
  60_000,
);
