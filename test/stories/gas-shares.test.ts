/**
 * The tip that is said to be usual rises, which nobody has to pay. Strangers let one promise after the other come due: each may
 * offer what is its own and what is free, so that what dave withholds can be claimed all the same.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, SECRET, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
/** Virtual milliseconds in which bob sends what he wants to. */
const A_MOMENT = 2_000;

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
    const { network } = world;
    const { simulated } = network;
    const theft = await startTheft(world);
    const { bob, line } = theft;
    await world.setMoney('bob', MONEY);
    const terms = { of: world.ordinary, count: 1, settleTimeout: 400n };
    const [payer, payee] = [
      ...world.open(bob().ownAddress, { ...terms, deposit: 20n * TOKENS }),
      ...world.open(bob().ownAddress, { ...terms, deposit: 1n, given: 20n * TOKENS }),
    ].map((one) => world.speaker(one, 'bob'));
    if (payer === undefined || payee === undefined) throw new Error('both are there');
    await network.mine(3n);
    await theft.knows(4);
    world.lock(payee, 'bob', { lifetime: 99n, isShown: false });
    await world.heard([payee], 1);
    await bob().checkNotifications();
    await line.agree();
    const many = { count: locks, lifetime: 190n, amount: TOKENS / 4n, isShown: false };
    world.lock(payer, 'bob', { ...many, over: payee.says.address });
    await world.heard([payer], locks);
    await world.stopMining();
    await world.mine(2n);
    // From now on a secret that is shown goes to the chain at once.
    world.close([payer.stranger], bob().ownAddress);
    await world.mine(6n);
    await bob().checkNotifications();
    await line.agree();
    theft.withhold();
    const paid = { amount: AMOUNT, secret: secretOf(SECRET) };
    const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], paid));
    paying.catch(() => {});
    await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
    good(await paying);
    simulated.setWeather({ usualTip: tip * simulated.head().baseFee });
    for (const secret of payer.secrets) {
      payee.says.reveal(secret);
      await new Promise((resolve) => setTimeout(resolve, A_MOMENT));
      await world.mine(1n);
    }
    simulated.setWeather({ usualTip: 0n });
    await world.mine(2n * world.timeouts.revealTimeout + 2n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
