/**
 * Strangers' promises, given when gas was cheap, come due together with that of dave, given when it was dear. Gas costs more
 * than they have aside, and less than dave's has: dave's must be registered from its own money.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { SECRET, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
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
    const { network } = world;
    const { simulated } = network;
    const theft = await startTheft(world);
    const { bob, line } = theft;
    await world.setMoney('bob', MUCH);
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
    await world.stopMining();
    const cheap = simulated.head().baseFee;
    const expiration = world.head() + 116n;
    const many = { amount: TOKENS / 4n, count: EACH, isShown: false, over: payee.says.address };
    world.lock(payer, 'bob', { ...many, lifetime: 116n });
    await world.heard([payer], EACH);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    for (const secret of payer.secrets.slice(0, shown)) payee.says.reveal(secret);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await world.makeDearer(13n);
    await world.mine(6n);
    await bob().checkNotifications();
    await line.agree();
    theft.withhold();
    const dear = simulated.head().baseFee;
    const confirmed = (await bob().stats()).chain?.confirmed ?? 0n;
    const parts = {
      amount: AMOUNT,
      secret: secretOf(SECRET),
      lockTimeout: expiration + 1n - confirmed,
    };
    const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], parts));
    paying.catch(() => {});
    await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
    good(await paying);
    const promised =
      3n * (BigInt(EACH) * 60_000n + 2n * 110_000n) * cheap + 3n * (60_000n + 110_000n) * dear;
    await world.makeDearer(6n);
    await world.setMoney('bob', promised + 500_000n * GWEI);
    simulated.setWeather({ usualTip: tip * dear });
    const start = world.head();
    await world.mine(expiration - world.head() + 2n);
    const top = simulated.head().baseFee;
    const seen: string[] = [];
    for (let at = start; at <= world.head(); at++)
      for (const { transaction, run } of simulated.block(at)?.receipts ?? [])
        if (transaction.from.toLowerCase() === bob().ownAddress.toLowerCase())
          seen.push(
            `${at}:${run.gasUsed}${transaction.data.includes(secretOf(SECRET).slice(2)) ? ' DAVES' : ''}`,
          );
    expect(top).toBeLessThan(3n * dear);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  120_000,
);
