/**
 * Bob is told the secrets of payments to himself when the channel is closed and little time is left. He claims none that he has
 * not weighed: else each would take what is set aside for what dave withholds.
 */
import { afterEach, expect, it } from 'vitest';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { type GasWorld, GWEI, newKey, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, openPayer, show, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { TOKENS } from '../support/network.ts';

const COUNT = 17;
/** Enough for all that bob promises to dave and erin, and a registration besides. */
const LITTLE = 500_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['nothing is shown', 'other', 0, 300n, MONEY],
  ['the payer is said to be the initiator', 'itself', COUNT, 300n, MONEY],
  ['another is said to be the initiator, and a high tip to be usual', 'other', COUNT, 300n, MONEY],
  ['the payer is said to be the initiator, and bob has little money', 'itself', COUNT, 0n, LITTLE],
  ['another is said to be the initiator, and bob has little money', 'other', COUNT, 0n, LITTLE],
] as const)(
  'bob can claim what dave withholds when %s',
  async (_, initiator, shown, tip, money) => {
    world = startGasWorld(SHORT);
    const { simulated } = world.network;
    const theft = await startTheft(world);
    await world.setMoney('bob', MONEY);
    const payer = await openPayer(theft);
    const { says } = payer;
    const target = theft.bob().ownAddress;
    const expiration = world.head() + 65n;
    const secrets = Array.from({ length: COUNT }, (_, n) => secretOf(1_000 + n));
    for (const [n, secret] of secrets.entries()) {
      const secrethash = secrethashOf(secret);
      says.say(
        says.lockMessage({
          paymentId: BigInt(1_000 + n),
          initiator: initiator === 'itself' ? says.address : newKey().address,
          target,
          lock: { amount: TOKENS / 4n, expiration, secrethash },
          metadata: routesMetadata([says.address, target], null),
        }),
      );
    }
    await world.heard([payer], COUNT);
    await world.stopMining();
    await world.mine(2n);
    world.close([payer.stranger], target);
    await world.mine(8n);
    await world.setMoney('bob', money);
    await theft.agree();
    theft.withhold();
    await theft.pay();
    const promisedAt = simulated.head().baseFee;
    const promisedIn = world.head();
    await world.mine(expiration - 19n - world.head());
    simulated.setWeather({ usualTip: tip * promisedAt });
    for (const secret of secrets.slice(0, shown)) {
      await show(payer, secret);
      await world.mine(1n);
    }
    simulated.setWeather({ usualTip: 0n });
    await world.mine(promisedIn + 3n * world.timeouts.revealTimeout - world.head());
    expect(simulated.head().baseFee).toBeLessThan((promisedAt * 21n) / 20n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
