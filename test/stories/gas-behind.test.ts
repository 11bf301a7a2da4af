/**
 * A stranger's promise, given when gas was cheap, is sent for all that it has aside, just before gas costs more than that. What
 * dave withholds was promised when gas was dearer: it must not stand behind that one.
 */
import { afterEach, expect, it } from 'vitest';
import { type GasWorld, GWEI, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { openPayerAndPayee, show, startTheft, WHOLE } from '../support/gas-theft.ts';

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
    const { simulated } = world.network;
    const theft = await startTheft(world);
    await world.setMoney('bob', MUCH);
    const { payer, payee, lock } = await openPayerAndPayee(theft);
    await world.stopMining();
    const cheap = simulated.head().baseFee;
    const own = (3n * 60_000n * cheap) / 57_500n;
    await lock(190n, 4);
    await world.mine(1n);
    world.close([payer.stranger], theft.bob().ownAddress);
    await world.mine(6n);
    const base = () => simulated.head().baseFee;
    const after = (blocks: number) => {
      let fee = base();
      for (let n = 0; n < blocks; n++) fee = (fee * 9n) / 8n;
      return fee;
    };
    while (after(4) <= own) await world.makeDearer(1n);
    await theft.agree();
    theft.withhold();
    const dear = base();
    await theft.pay();
    const start = world.head();
    // No more than what is set aside for the stranger's secret, dave's, and dave's balance proof.
    const promised = 3n * 4n * 60_000n * cheap + 3n * (60_000n + 110_000n) * dear;
    await world.setMoney('bob', promised);
    await theft.bob().checkNotifications();
    while (after(1) <= own) await world.makeDearer(1n);
    for (const secret of payer.secrets.slice(0, shown)) await show(payee, secret);
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
