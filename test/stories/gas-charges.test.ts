/** What is charged to budgets when there is money for one transaction only. */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { startTheft } from '../support/gas-theft.ts';

let world: GasWorld;
afterEach(() => world.network.stop());

it('charges nothing for what it does not send', async () => {
  world = startGasWorld(SHORT);
  const theft = await startTheft(world);
  const { bob } = theft;
  const strangers = world.open(bob().ownAddress, {
    of: world.ordinary,
    count: 130,
    settleTimeout: 20n,
    given: 1n,
  });
  await world.network.mine(3n);
  await theft.knows(132);
  // Enough for a settlement at today's price, not for what a transaction has to offer.
  await world.setMoney('bob', 185_000n * GWEI);
  world.close(strangers, bob().ownAddress);
  const block = world.head();
  await world.mine(100n);
  const gas = world.gasSince(block + 1n, (from) => from === bob().ownAddress);
  await bob().checkNotifications();
  const found = bob().notifications();
  expect(gas).toBeLessThan(200_000n);
  expect(JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).not.toContain(
    'gas_budget_spent',
  );
}, 60_000);
