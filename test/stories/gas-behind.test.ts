/**
 * A stranger's promise, given when gas was cheap, is sent for all that it has aside, just before gas costs more than that. What
 * dave withholds was promised when gas was dearer: it must not stand behind that one.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { SECRET, startTheft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
const MUCH = 400_000_000n * GWEI;

let world: GasWorld;
afterEach(() => world.network.stop());

it.each([
  ['a stranger shows nothing', 0],
  ['a stranger shows one secret', 1],
  ['a stranger shows four secrets, one after the other', 4],
] as const)(
  'bob can claim what dave withholds when %s',
  async (_, shown) => {
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
    const own = (3n * 60_000n * cheap) / 57_500n;
    const many = { amount: TOKENS / 4n, isShown: false, over: payee.says.address };
    world.lock(payer, 'bob', { ...many, count: 4, lifetime: 190n });
    await world.heard([payer], 4);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await world.mine(1n);
    world.close([payer.stranger], bob().ownAddress);
    await world.mine(6n);
    const base = () => simulated.head().baseFee;
    const after = (blocks: number) => {
      let fee = base();
      for (let n = 0; n < blocks; n++) fee = (fee * 9n) / 8n;
      return fee;
    };
    while (after(4) <= own) await world.makeDearer(1n);
    await bob().checkNotifications();
    await line.agree();
    theft.withhold();
    const dear = base();
    const parts = { amount: AMOUNT, secret: secretOf(SECRET) };
    const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], parts));
    paying.catch(() => {});
    await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
    good(await paying);
    const start = world.head();
    // No more than what is set aside for the stranger's secret, dave's, and dave's balance proof.
    const promised = 3n * 4n * 60_000n * cheap + 3n * (60_000n + 110_000n) * dear;
    await world.setMoney('bob', promised);
    await bob().checkNotifications();
    while (after(1) <= own) await world.makeDearer(1n);
    for (const secret of payer.secrets.slice(0, shown)) {
      payee.says.reveal(secret);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
    await world.makeDearer(2n);
    await world.mine(start + 105n - world.head());
    let top = 0n;
    for (let at = start; at <= world.head(); at++) {
      const fee = simulated.block(at)?.baseFee ?? 0n;
      if (fee > top) top = fee;
    }
    expect(top).toBeLessThan(3n * dear);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
  },
  120_000,
);
