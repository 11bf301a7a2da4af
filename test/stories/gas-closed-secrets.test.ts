/**
 * Bob is told the secrets of payments to himself when the channel is closed and little time is left. He claims none that he has
 * not weighed: else each would take what is set aside for what dave withholds.
 */
import { afterEach, expect, it } from 'vitest';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { type GasWorld, GWEI, newKey, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, SECRET, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
const COUNT = 17;
/** Enough for all that bob promises to dave and erin, and a registration besides. */
const LITTLE = 500_000n * GWEI;
const A_MOMENT = 2_000;

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
    const { network } = world;
    const { simulated } = network;
    const theft = await startTheft(world);
    const { bob, line } = theft;
    await world.setMoney('bob', MONEY);
    const terms = { of: world.ordinary, count: 1, settleTimeout: 400n, deposit: 20n * TOKENS };
    const [payer] = world.open(bob().ownAddress, terms).map((one) => world.speaker(one, 'bob'));
    if (payer === undefined) throw new Error('it is there');
    await network.mine(3n);
    await theft.knows(3);
    await bob().checkNotifications();
    await line.agree();
    const { says } = payer;
    const expiration = world.head() + 65n;
    const secrets = Array.from({ length: COUNT }, (_, n) => secretOf(1_000 + n));
    for (const [n, secret] of secrets.entries()) {
      const secrethash = secrethashOf(secret);
      says.say(
        says.lockMessage({
          paymentId: BigInt(1_000 + n),
          initiator: initiator === 'itself' ? says.address : newKey().address,
          target: bob().ownAddress,
          lock: { amount: TOKENS / 4n, expiration, secrethash },
          metadata: routesMetadata([says.address, bob().ownAddress], null),
        }),
      );
    }
    await world.heard([payer], COUNT);
    await world.stopMining();
    await world.mine(2n);
    world.close([payer.stranger], bob().ownAddress);
    await world.mine(8n);
    await world.setMoney('bob', money);
    await bob().checkNotifications();
    await line.agree();
    theft.withhold();
    const paid = { amount: AMOUNT, secret: secretOf(SECRET) };
    const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], paid));
    paying.catch(() => {});
    await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
    good(await paying);
    const promisedAt = simulated.head().baseFee;
    const promisedIn = world.head();
    await world.mine(expiration - 19n - world.head());
    simulated.setWeather({ usualTip: tip * promisedAt });
    for (const secret of secrets.slice(0, shown)) {
      says.reveal(secret);
      await new Promise((resolve) => setTimeout(resolve, A_MOMENT));
      await world.mine(1n);
    }
    simulated.setWeather({ usualTip: 0n });
    await world.mine(promisedIn + 3n * world.timeouts.revealTimeout - world.head());
    expect(simulated.head().baseFee).toBeLessThan((promisedAt * 21n) / 20n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
