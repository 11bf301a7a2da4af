/**
 * Strangers' promises, given when gas was cheap, come due together with that of dave, given when it was dear. Gas costs more
 * than they have aside, and less than dave's has: dave's must be registered from its own money.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { openPayerAndPayee, startTheft, WHOLE } from '../support/gas-theft.ts';

const EACH = 30;
const MUCH = 400_000_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['strangers show nothing, and a tip is said to be usual', 0, 20n],
  ['strangers show what was promised when gas was cheap', EACH, 0n],
  ['they show it, and a tip is said to be usual', EACH, 20n],
] as const)(
  'bob can claim what dave withholds when %s',
  async (_, shown, tip) => {
    world = startGasWorld(SHORT);
    const { simulated } = world.network;
    const theft = await startTheft(world);
    await world.setMoney('bob', MUCH);
    const { payer, payee, lock, paid } = await openPayerAndPayee(theft);
    await world.stopMining();
    const cheap = simulated.head().baseFee;
    const expiration = world.head() + 116n;
    await lock(116n, EACH);
    for (const secret of payer.secrets.slice(0, shown)) payee.says.reveal(secret);
    await paid(shown);
    await world.makeDearer(13n);
    await world.mine(6n);
    await theft.agree();
    theft.withhold();
    const dear = simulated.head().baseFee;
    const confirmed = (await theft.bob().stats()).chain?.confirmed ?? 0n;
    await theft.pay(expiration + 1n - confirmed);
    const promised =
      3n * (BigInt(EACH) * 60_000n + 2n * 110_000n) * cheap + 3n * (60_000n + 110_000n) * dear;
    await world.makeDearer(6n);
    await world.setMoney('bob', promised + 500_000n * GWEI);
    simulated.setWeather({ usualTip: tip * dear });
    await world.mine(expiration - world.head() + 2n);
    const top = simulated.head().baseFee;
    expect(top).toBeLessThan(3n * dear);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  120_000,
);
