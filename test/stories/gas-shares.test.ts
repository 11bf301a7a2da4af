/**
 * The tip that is said to be usual rises, which nobody has to pay. Strangers let one promise after the other come due: each may
 * offer what is its own and what is free, so that what dave withholds can be claimed all the same.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, openPayerAndPayee, show, startTheft, WHOLE } from '../support/gas-theft.ts';

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['the tip does not rise', 6, 0n],
  ['it rises to what gas costs', 16, 1n],
  ['it rises to twenty times what gas costs', 16, 20n],
  ['it rises to 300 times what gas costs', 6, 300n],
])(
  'bob can claim what dave withholds when %s',
  async (_, locks, tip) => {
    world = startGasWorld(SHORT);
    const { simulated } = world.network;
    const theft = await startTheft(world);
    await world.setMoney('bob', MONEY);
    const { payer, payee, lock } = await openPayerAndPayee(theft);
    await lock(190n, locks);
    await world.stopMining();
    await world.mine(2n);
    // From now on a secret that is shown goes to the chain at once.
    world.close([payer.stranger], theft.bob().ownAddress);
    await world.mine(6n);
    await theft.agree();
    theft.withhold();
    await theft.pay();
    simulated.setWeather({ usualTip: tip * simulated.head().baseFee });
    for (const secret of payer.secrets) {
      await show(payee, secret);
      await world.mine(1n);
    }
    simulated.setWeather({ usualTip: 0n });
    await world.mine(2n * world.timeouts.revealTimeout + 2n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
