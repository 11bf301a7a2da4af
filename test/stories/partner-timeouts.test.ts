/** Who opens a channel chooses its settle timeout: bob is robbed of nothing by one that is too short for him. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import {
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { depositOnChain, openOnChain, type Stranger, startStranger } from '../support/stranger.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const WEALTH = 100n * TOKENS;
const AMOUNT = 90n * TOKENS;
const CONFIRMATIONS = 5n;
/** The shortest that the contracts take here: half of it is as much as the confirmations. */
const SETTLE_TIMEOUT = 10n;
const SECRET: Secret = `0x${'7e'.repeat(32)}`;
const SECRETHASH = secrethashOf(SECRET);

let network: Network;
let bob: TestNode;
let payer: Stranger;
let payee: Stranger;

/** Bob runs with the defaults of a real chain. Both his partners are strangers, and belong together. */
beforeAll(async () => {
  network = startVirtualNetwork({
    choices: {
      confirmations: CONFIRMATIONS,
      defaultSettleTimeout: 500n,
      defaultRevealTimeout: 50n,
      fees: { byToken: new Map(), others: FREE },
    },
    deploy: { settleTimeoutMin: SETTLE_TIMEOUT },
  });
  bob = await network.start('bob');
  const [dave, erin] = [network.addressOf('dave'), network.addressOf('erin')];
  const own = bob.ownAddress;
  const first = await openOnChain(network, [dave, own], SETTLE_TIMEOUT);
  const second = await openOnChain(network, [erin, own], SETTLE_TIMEOUT);
  await depositOnChain(network, first, [dave, own], WEALTH);
  // Bob's 100 tokens.
  await depositOnChain(network, second, [own, erin], WEALTH);
  payer = startStranger(network, 'dave', own, first);
  payee = startStranger(network, 'erin', own, second);
  await network.mine(CONFIRMATIONS);
  const deposited = () => viewOf(payee)?.totalDeposit === WEALTH;
  await until(() => viewOf(payer) !== null && deposited(), 'bob knows both channels');
});
afterAll(async () => {
  await payer?.stop();
  await payee?.stop();
  await network?.stop();
});

const viewOf = ({ address }: Stranger) => bob.channel(network.token, address);
const hears = (stranger: Stranger, type: string) =>
  stranger.heard().some(({ message }) => message.type === type);
const confirmedBlock = async () => (await bob.stats()).chain?.confirmed ?? 0n;

async function mineTo(block: bigint): Promise<void> {
  const head = await network.chain.client.getBlockNumber({ cacheTime: 0 });
  await network.mine(block - head);
  await until(async () => (await confirmedBlock()) >= block - CONFIRMATIONS, `block ${block}`);
}

/** Each of the three brings on chain what is best for it. */
async function closeAndSettle(): Promise<void> {
  await payee.close();
  good(await network.whileMining(bob.close(network.token, payer.address)));
  const isGone = () => viewOf(payer) === null && viewOf(payee) === null;
  await network.whileMining(until(isGone, 'both channels are settled'));
}

describe('a mediator whose payer has chosen a settle timeout of twice the confirmations', () => {
  it('begins with 100 tokens and ends with 100', async () => {
    const now = await confirmedBlock();
    const expiration = now + SETTLE_TIMEOUT;
    const lock = { amount: AMOUNT, expiration, secrethash: SECRETHASH };
    const parties = { paymentId: 1n, initiator: payer.address, target: payee.address };
    const metadata = routesMetadata([payer.address, bob.ownAddress, payee.address]);
    payer.lock({ ...parties, lock, metadata });
    await until(() => hears(payer, 'Processed'), 'bob holds the lock');

    // As late as an unlock off chain still counts as safe where five blocks are reserved.
    await mineTo(expiration - 1n);
    payee.reveal(SECRET);
    await mineTo(expiration);
    await mineTo(expiration + 2n * CONFIRMATIONS);
    payer.expire(SECRETHASH);

    const refused = await bob.pay({
      token: network.token,
      target: payee.address,
      amount: 1n,
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: null,
    });
    expect(refused).toMatchObject({ ok: false, code: 'unsafe_timeouts' });
    await bob.checkNotifications();
    expect(bob.notifications()).toContainEqual(expect.objectContaining({ id: 'unsafe_timeouts' }));

    await closeAndSettle();
    expect(await network.tokensOf('bob')).toBe(WEALTH);
    expect([hears(payee, 'Update'), hears(payer, 'RevealSecret')]).toEqual([false, false]);
    expect(bob.failures).toEqual([]);
  });
});
