/** As in gas-shares, but the promises of strangers come due within one block: what the first takes is not the second's. */
import { afterEach, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, openPayerAndPayee, show, startTheft, WHOLE } from '../support/gas-theft.ts';

/** What bob has: all that it has promised, and about as much again. */
const SPARSE = 2_000_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['strangers show nothing', 0n, 'never'],
  ['the tip does not rise, and two are shown in one block', 0n, 'together'],
  ['it rises to 300 times, and one is shown in each block', 300n, 'apart'],
  ['it rises to 300 times, and two are shown in one block', 300n, 'together'],
] as const)(
  'bob can claim what dave withholds when %s',
  async (_, tip, when) => {
    world = startGasWorld(SHORT);
    const { simulated } = world.network;
    const theft = await startTheft(world);
    await world.setMoney('bob', MONEY);
    const { payer, payee, lock } = await openPayerAndPayee(theft);
    for (const lifetime of [190n, 190n, 55n, 80n]) await lock(lifetime);
    await world.stopMining();
    await world.mine(2n);
    world.close([payer.stranger], theft.bob().ownAddress);
    await world.mine(6n);
    await world.setMoney('bob', SPARSE);
    await theft.agree();
    theft.withhold();
    await theft.pay();
    const promisedAt = simulated.head().baseFee;
    simulated.setWeather({ usualTip: tip * promisedAt });
    const reveal = async (secret: Secret | undefined) => {
      if (when !== 'never' && secret !== undefined) await show(payee, secret);
    };
    const [first, second, third, fourth] = payer.secrets;
    await reveal(first);
    if (when === 'apart') await world.mine(1n);
    await reveal(second);
    await world.mine(1n);
    await reveal(third);
    await world.mine(29n);
    await reveal(fourth);
    await world.mine(27n);
    simulated.setWeather({ usualTip: 0n });
    await world.mine(2n * world.timeouts.revealTimeout);
    expect(simulated.head().baseFee).toBeLessThan((promisedAt * 21n) / 20n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
