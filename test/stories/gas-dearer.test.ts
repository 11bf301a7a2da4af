/** Gas gets dearer, though not three times as dear: what was promised before stays so, and so do the places of customers. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { createShop, FEE } from '../support/gas-shop.ts';
import { MONEY, startTheft, type Theft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';
import { good, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

const AMOUNT = 90n * TOKENS;
/** Blocks after which gas is twice as dear. */
const TWICE = 7n;
/** Virtual milliseconds after which earlier prices are forgotten. */
const FORGOTTEN = 650_000;
/** And those in which bob has asked for the price of now. */
const NOTICED = 12_000;
const LONG = { settleTimeout: 500n };

let world: GasWorld;
afterEach(() => world.network.stop());
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Scheme = { way?: readonly string[]; locks: readonly number[]; dearer: bigint };

/** They take what bob passes on, and say nothing. */
async function accomplices({ bob, knows }: Theft, count: number): Promise<Address[]> {
  const terms = { ...LONG, of: world.ordinary, count, deposit: 1n, given: 10n * TOKENS };
  const strangers = world.open(bob().ownAddress, terms);
  await world.network.mine(3n);
  await knows(2 + count);
  const speakers = strangers.map((one) => world.speaker(one, 'bob'));
  for (const one of speakers) world.lock(one, 'bob', { lifetime: 400n, isShown: false });
  await world.heard(speakers, 1);
  return speakers.map(({ says }) => says.address);
}

/** Keys with locks of value over bob; with one it is a partner into whose channel bob has put a token. */
async function hold(theft: Theft, locks: readonly number[], payees: readonly Address[]) {
  const { bob, knows } = theft;
  const { token } = world.network;
  const known = bob().channels({ token }).length;
  const terms = { ...LONG, of: world.ordinary, count: locks.length, deposit: 30n * TOKENS };
  const strangers = world.open(bob().ownAddress, terms);
  await world.network.mine(3n);
  await knows(known + locks.length);
  for (const { signer } of locks.length === 1 ? strangers : [])
    good(await world.network.whileMining(bob().deposit(token, signer.address, TOKENS)));
  for (const [place, one] of strangers.entries()) {
    const speaker = world.speaker(one, 'bob');
    const all = locks[place] ?? 0;
    for (const [at, over] of payees.entries()) {
      const count = Math.floor((all + at) / payees.length);
      const many = { count, amount: TOKENS / 4n, lifetime: 400n, isShown: false, over };
      world.lock(speaker, 'bob', many);
    }
    await world.heard([speaker], all);
  }
}

/** Dave has paid bob; others take what is free, gas gets dearer, and dave closes as if it had not. What bob has then. */
async function steal({ way = ['dave', 'bob'], locks, dearer }: Scheme): Promise<bigint> {
  world = startGasWorld(SHORT);
  const theft = await startTheft(world);
  const { bob, line } = theft;
  await world.setMoney('bob', MONEY);
  await bob().checkNotifications();
  await line.agree();
  const payment = line.payment(way, { amount: AMOUNT, secret: secretOf(7) });
  good(await world.network.whileMining(line.node('dave').pay(payment)));
  await until(() => line.held('bob', 'dave') === AMOUNT, 'bob is paid');
  if (way.length > 2) {
    await line.stop('bob');
    await line.start('bob');
  }
  await pause(FORGOTTEN);
  await bob().checkNotifications();
  await line.agree();
  await hold(theft, locks, await accomplices(theft, Math.max(4, locks.length)));
  await bob().checkNotifications();
  await line.agree();
  await world.stopMining();
  await world.makeDearer(dearer);
  await pause(NOTICED);
  const signer = world.network.signerOf('dave');
  const dave = { signer, of: world.ordinary, channelId: theft.daves };
  world.close([dave], bob().ownAddress);
  await world.mine(world.timeouts.settleTimeout + 1n);
  world.settle([dave], bob().ownAddress);
  await world.mine(2n);
  return theft.tokensInTheEnd();
}

describe('a proof for which its gas was set aside is brought', () => {
  const MANY = [15, 15, 15, 15, 15];
  it.each<[string, Scheme]>([
    ['at the price of then, whatever strangers hold', { locks: MANY, dearer: 0n }],
    ['at twice the price, whatever strangers hold', { locks: MANY, dearer: TWICE }],
    ['at twice the price, whatever a partner of bob holds', { locks: [64], dearer: TWICE }],
    [
      'at twice the price, though the payment was passed on and bob has started again',
      { way: ['dave', 'bob', 'erin'], locks: MANY, dearer: TWICE },
    ],
  ])(
    '%s',
    async (_, scheme) => {
      const own = scheme.way === undefined ? WHOLE + AMOUNT : WHOLE;
      const put = scheme.locks.length === 1 ? TOKENS : 0n;
      expect(await steal(scheme)).toBeGreaterThanOrEqual(own - put);
    },
    90_000,
  );
});

describe('a customer is served', () => {
  it.each([
    ['at the price of then', 0n],
    ['at twice the price', TWICE],
  ])(
    '%s, whatever a stranger holds',
    async (_, dearer) => {
      const terms = { flat: FEE, proportional: 0n, imbalance: 0n, capFees: true };
      world = startGasWorld(SHORT, { fees: { byToken: new Map(), others: terms } });
      const { start, open, buy, hold: holdLocks, addAccomplices } = createShop(world);
      const [bob, customer, seller] = [
        await start('bob'),
        await start('alice'),
        await start('erin'),
      ];
      await open(customer, bob);
      await open(bob, seller);
      for (let n = 0; n < 5; n++) expect(await buy(customer, [bob, seller])).toBe('paid');
      const payees = (await addAccomplices(bob, 4)).map(({ stranger }) => stranger.signer.address);
      await world.setMoney('bob', MONEY);
      await pause(FORGOTTEN);
      await bob.checkNotifications();
      const held = { locks: [40], settleTimeout: 100n, lifetime: 99n, amount: TOKENS / 20n };
      await holdLocks(bob, held, payees);
      await world.makeDearer(dearer);
      await world.mine(20n);
      await bob.checkNotifications();
      expect(await buy(customer, [bob, seller], TOKENS / 4n)).toBe('paid');
    },
    90_000,
  );
});
