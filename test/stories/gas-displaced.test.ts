/** Strangers let their promises come due one after the other, or let bob claim what is of no use to anybody any more. */
import { afterEach, describe, expect, it } from 'vitest';
import { type GasWorld, SHORT, type Speaker, startGasWorld } from '../support/gas-attack.ts';
import { MONEY, startTheft, type Theft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
/** Virtual milliseconds in which bob sends what he wants to. */
const A_MOMENT = 1_000;

let world: GasWorld;
afterEach(() => world.network.stop());
const moment = () => new Promise((resolve) => setTimeout(resolve, A_MOMENT));

type Shown = { taker: Speaker; secret: `0x${string}` };

/** Locks of strangers over bob to their accomplices, who can show the secrets; the channels of their payers are closed. */
async function promises(theft: Theft, keys: number, each: number): Promise<() => Shown[]> {
  const { bob, knows } = theft;
  const terms = { of: world.ordinary, settleTimeout: 500n, count: keys };
  const payers = world.open(bob().ownAddress, { ...terms, deposit: 20n * TOKENS });
  const payees = world.open(bob().ownAddress, { ...terms, deposit: 1n, given: 20n * TOKENS });
  await world.network.mine(3n);
  await knows(2 + 2 * keys);
  const takers = payees.map((one) => world.speaker(one, 'bob'));
  for (const one of takers) world.lock(one, 'bob', { lifetime: 99n, isShown: false });
  await world.heard(takers, 1);
  await theft.agree();
  const shown: Shown[] = [];
  for (const [at, payer] of payers.map((one) => world.speaker(one, 'bob')).entries()) {
    const taker = takers[at % takers.length];
    if (taker === undefined) throw new Error('there is one for each');
    const many = { count: each, lifetime: 190n, amount: TOKENS / 4n, isShown: false };
    world.lock(payer, 'bob', { ...many, over: taker.says.address });
    await world.heard([payer], each);
    shown.push(...payer.secrets.map((secret) => ({ taker, secret })));
  }
  await theft.agree();
  return () => {
    world.close(payers, bob().ownAddress);
    return shown;
  };
}

/** Mines so many blocks; in each a secret is shown if bob has sent something to the contract since the last. */
async function mineWhile(blocks: bigint, secrets: Shown[], isDone: () => boolean): Promise<bigint> {
  const { network } = world;
  let sent = 0;
  network.simulated.onSubmit(({ from, to }) => {
    if (from === network.addressOf('bob') && to === network.tokenNetwork) sent += 1;
  });
  let seen = 0;
  let count = 0n;
  for (; count < blocks && !isDone(); count++) {
    await moment();
    const next = sent > seen ? secrets.shift() : undefined;
    next?.taker.says.reveal(next.secret);
    seen = sent;
    await moment();
    await world.mine(1n);
  }
  return count;
}

describe('promises that come due whenever something else is under way', () => {
  it.each([
    ['no', 1],
    ['many', 30],
  ])(
    'do not keep out what the operator orders: %s promises',
    async (_, each) => {
      world = startGasWorld(SHORT);
      const { network } = world;
      const theft = await startTheft(world);
      const { bob } = theft;
      await world.setMoney('bob', 10n * MONEY);
      const close = await promises(theft, 1, each);
      await world.stopMining();
      const secrets = close();
      await world.mine(6n);
      const closing = bob().close(network.token, network.addressOf('erin'));
      closing.catch(() => {});
      const isClosed = () =>
        (network.simulated.block(world.head())?.receipts ?? []).some(
          ({ transaction: { from, to }, run }) =>
            from === bob().ownAddress && to === network.tokenNetwork && run.isSuccess,
        );
      expect(await mineWhile(20n, each === 1 ? [] : secrets, isClosed)).toBeLessThanOrEqual(5n);
    },
    60_000,
  );

  it('do not keep out a proof that was not promised', async () => {
    world = startGasWorld(SHORT);
    const { network } = world;
    const theft = await startTheft(world);
    const { bob, line } = theft;
    await world.setMoney('bob', 4n * MONEY);
    const close = await promises(theft, 4, 32);
    const payment = line.payment(['dave', 'bob'], { amount: AMOUNT, secret: secretOf(7) });
    good(await network.whileMining(line.node('dave').pay(payment)));
    await until(() => line.held('bob', 'dave') === AMOUNT, 'bob is paid');
    await world.stopMining();
    const secrets = close();
    await world.mine(6n);
    const signer = network.signerOf('dave');
    const dave = { signer, of: world.ordinary, channelId: theft.daves };
    world.close([dave], bob().ownAddress);
    await mineWhile(world.timeouts.settleTimeout + 1n, secrets, () => false);
    world.settle([dave], bob().ownAddress);
    await world.mine(2n);
    expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE + AMOUNT);
  }, 90_000);
});

describe('claims that the market leaves unmined until they are too late', () => {
  it.each([
    ['nobody has any', 0, 9n],
    ['gas costs what it did', 3, 0n],
    ['gas gets 2.8 times as dear', 3, 9n],
  ])(
    'do not keep back what was promised when %s',
    async (_, keys, dearer) => {
      const lifetime = 56n;
      world = startGasWorld(SHORT);
      const { network } = world;
      const theft = await startTheft(world);
      const { bob } = theft;
      await world.setMoney('bob', MONEY);
      await theft.agree();
      const terms = { of: world.ordinary, settleTimeout: 400n, deposit: 70n };
      const strangers = keys === 0 ? [] : world.open(bob().ownAddress, { ...terms, count: keys });
      await network.mine(3n);
      await theft.knows(2 + keys);
      for (const one of strangers.map((stranger) => world.speaker(stranger, 'bob'))) {
        world.lock(one, 'bob', { count: 70, amount: 1n, lifetime, isShown: true });
        await world.heard([one], 70);
      }
      await network.mine(lifetime / 2n - 4n);
      await theft.agree();
      await world.stopMining();
      theft.withhold();
      await theft.pay(100n);
      const end = world.head() + 103n;
      let sent = 0;
      network.simulated.onSubmit(({ from }) => void (from === bob().ownAddress && sent++));
      while (keys > 0 && sent === 0) await world.mine(1n);
      await world.makeDearer(dearer);
      await world.mine(end - world.head());
      expect(await theft.tokensInTheEnd()).toBeGreaterThanOrEqual(WHOLE);
    },
    90_000,
  );
});
