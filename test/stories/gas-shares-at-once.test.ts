/** As in gas-shares, but the promises of strangers come due within one block: what the first takes is not the second's. */
import { afterEach, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, SECRET, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
const A_MOMENT = 2_000;
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
    const many = { amount: TOKENS / 4n, isShown: false, over: payee.says.address };
    for (const lifetime of [190n, 190n, 55n, 80n]) world.lock(payer, 'bob', { ...many, lifetime });
    await world.heard([payer], 4);
    await world.stopMining();
    await world.mine(2n);
    world.close([payer.stranger], bob().ownAddress);
    await world.mine(6n);
    await world.setMoney('bob', SPARSE);
    await bob().checkNotifications();
    await line.agree();
    theft.withhold();
    const paid = { amount: AMOUNT, secret: secretOf(SECRET) };
    const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], paid));
    paying.catch(() => {});
    await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
    good(await paying);
    const promisedAt = simulated.head().baseFee;
    simulated.setWeather({ usualTip: tip * promisedAt });
    const show = async (secret: Secret | undefined) => {
      if (when === 'never' || secret === undefined) return;
      payee.says.reveal(secret);
      await new Promise((resolve) => setTimeout(resolve, A_MOMENT));
    };
    const [first, second, third, fourth] = payer.secrets;
    await show(first);
    if (when === 'apart') await world.mine(1n);
    await show(second);
    await world.mine(1n);
    await show(third);
    await world.mine(29n);
    await show(fourth);
    await world.mine(27n);
    simulated.setWeather({ usualTip: 0n });
    await world.mine(2n * world.timeouts.revealTimeout);
    expect(simulated.head().baseFee).toBeLessThan((promisedAt * 21n) / 20n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  90_000,
);
