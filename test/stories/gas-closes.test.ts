/** Claims of many channels that fall due in one block: each close is weighed after those before it. */
import { afterEach, describe, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { startTheft } from '../support/gas-theft.ts';

const LIFETIME = 60n;
let world: GasWorld;
afterEach(() => world.network.stop());

describe('a node whose partners owe it one unit each', () => {
  it.each([
    ['a token that burns gas, a hundred of them', 100, 800_000],
    ['a token that burns gas, twenty of them', 20, 800_000],
    ['a token that nobody knows', 100, 0],
    ['the token that it has put into channels', 100, -1],
  ] as const)(
    'closes and settles for no more gas than they paid, in %s',
    async (_, count, burns) => {
      world = startGasWorld(SHORT);
      const theft = await startTheft(world);
      await world.setMoney('bob', 10n ** 22n);
      const of = burns < 0 ? world.ordinary : await theft.createJunk(burns);
      const bob = theft.bob().ownAddress;
      const block = world.head();
      const strangers = world.open(bob, {
        of,
        count,
        settleTimeout: world.timeouts.settleTimeout,
        deposit: 2n,
      });
      await world.network.mine(3n);
      await theft.knows(count + (burns < 0 ? 2 : 0), of.token);
      await world.owe(strangers, 'bob', LIFETIME);
      const gas = () => ({
        bobs: world.gasSince(block + 1n, (from) => from === bob),
        others: world.gasSince(block + 1n, (from) => from !== bob),
      });
      await world.network.mine(LIFETIME + world.timeouts.revealTimeout + 2n);
      await world.mine(20n);
      await world.network.mine(world.timeouts.settleTimeout);
      await world.mine(60n);
      const { bobs, others } = gas();
      expect(bobs).toBeLessThan(others);
    },
    120_000,
  );
});
