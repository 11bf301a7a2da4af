/** Withdrawing from an open channel between two nodes on a real chain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import type { ChannelView } from '../../src/node/runtime/actors/channel-states.ts';
import { consent } from '../contracts/channel.ts';
import { anvilAccount } from '../support/chain.ts';
import { good, type Network, startVirtualNetwork, type TestNode } from '../support/network.ts';
import { until } from '../support/until.ts';

/** So many blocks that no slow machine lets a consent run out while it is used. */
const REVEAL_TIMEOUT = 200n;
/** Lets a consent run out, and the confirmations pass that make it certain. */
const LAPSE = 2n * REVEAL_TIMEOUT + 3n;

let network: Network;
let alice: TestNode;
let bob: TestNode;
/** What alice says gets lost, although she is there. */
let isMute = false;

beforeAll(async () => {
  const choices = { defaultRevealTimeout: REVEAL_TIMEOUT, defaultSettleTimeout: 400n };
  network = startVirtualNetwork({ choices });
  await network.fund('alice', 1_000n);
  await network.fund('bob', 1_000n);
  const transport = network.bus.connect(network.addressOf('alice'));
  const publish: typeof transport.publish = (to, payload) => {
    if (!isMute) transport.publish(to, payload);
  };
  alice = await network.start('alice', { transport: { ...transport, publish } });
  bob = await network.start('bob');
  const request = {
    token: network.token,
    partner: bob.ownAddress,
    totalDeposit: 100n,
    settleTimeout: null,
    revealTimeout: null,
  };
  good(await network.whileMining(alice.openChannel(request)));
  await until(() => viewOf('bob') !== null, 'bob sees the channel');
  good(await network.whileMining(bob.deposit(network.token, alice.ownAddress, 100n)));
  await until(isDeposited, 'both see the deposits');
});
afterAll(() => network?.stop());

type Name = 'alice' | 'bob';
const nodeOf = (name: Name) => (name === 'alice' ? alice : bob);
const partnerOf = (name: Name) => network.addressOf(name === 'alice' ? 'bob' : 'alice');
const viewOf = (name: Name): ChannelView | null =>
  nodeOf(name).channel(network.token, partnerOf(name));
const amounts = (name: Name) => {
  const view = viewOf(name);
  return [view?.totalWithdraw, view?.balance];
};
const withdraw = (name: Name, total: bigint) =>
  nodeOf(name).withdraw(network.token, partnerOf(name), total);

function pay(name: Name, amount: bigint) {
  const rest = { paymentId: null, secret: null, secrethash: null, lockTimeout: null, routes: null };
  return nodeOf(name).pay({ token: network.token, target: partnerOf(name), amount, ...rest });
}

const isDeposited = () =>
  viewOf('alice')?.totalDeposit === 100n && viewOf('bob')?.totalDeposit === 100n;

async function withdrawals() {
  const events = await network.chain.client.getContractEvents({
    address: network.tokenNetwork,
    abi: tokenNetworkAbi,
    eventName: 'ChannelWithdraw',
    fromBlock: 0n,
    strict: true,
  });
  return events.map(({ args }) => [args.participant, args.total_withdraw]);
}

describe('a withdraw', () => {
  it('brings the tokens out of the channel, and answers with what is left', async () => {
    const before = await network.tokensOf('alice');
    const view = good(await network.whileMining(withdraw('alice', 30n)));
    expect(view).toMatchObject({
      totalDeposit: 100n,
      totalWithdraw: 30n,
      balance: 70n,
      state: 'opened',
    });
    expect(viewOf('alice')).toEqual(view);
    expect(await network.tokensOf('alice')).toBe(before + 30n);
    expect(amounts('bob')).toEqual([0n, 100n]);
  });

  it('to the present total needs no transaction; a lower total, or more than there is, is refused', async () => {
    expect(good(await withdraw('alice', 30n)).totalWithdraw).toBe(30n);
    expect(await withdraw('alice', 29n)).toMatchObject({ code: 'total_not_higher' });
    expect(await withdraw('alice', 101n)).toMatchObject({ code: 'above_balance' });
    expect(await withdrawals()).toEqual([[alice.ownAddress, 30n]]);
  });

  it('asked for twice at the same time is made once, and another one is refused as busy', async () => {
    const both = [withdraw('alice', 40n), withdraw('alice', 40n)];
    // Each call first asks the endpoint for the gas, and the later call's answer may come first.
    await until(() => amounts('alice')[1] === 60n, 'the amount is reserved');
    expect(await withdraw('alice', 50n)).toMatchObject({ code: 'busy' });
    const answers = await network.whileMining(Promise.all(both));
    expect(answers.map((answer) => good(answer).totalWithdraw)).toEqual([40n, 40n]);
    expect(await withdrawals()).toHaveLength(2);
  });

  it('leaves the channel usable for payments both of what is left and of what was paid', async () => {
    good(await pay('alice', 60n));
    await until(() => amounts('bob')[1] === 160n, 'bob is paid');
    expect(await pay('alice', 1n)).toMatchObject({ code: 'insufficient_balance' });
    const view = good(await network.whileMining(withdraw('bob', 150n)));
    expect(view).toMatchObject({ totalWithdraw: 150n, balance: 10n });
    expect(await network.tokensOf('bob')).toBe(1_050n);
  });

  it('is refused before anything is signed when the partner is away', async () => {
    good(await pay('bob', 5n));
    await until(() => amounts('alice')[1] === 5n, 'alice is paid');
    await bob.stop();
    expect(await withdraw('alice', 46n)).toMatchObject({ code: 'above_balance' });
    expect(await withdraw('alice', 42n)).toMatchObject({ code: 'partner_silent' });
    expect(amounts('alice')).toEqual([40n, 5n]);
    bob = await network.start('bob');
  });

  it('to which the partner is silent is over when it can no longer be on chain', async () => {
    isMute = true;
    const answer = withdraw('alice', 42n);
    await until(() => amounts('alice')[1] === 3n, 'the amount is reserved');
    await network.mine(LAPSE);
    expect(await network.whileMining(answer)).toMatchObject({ code: 'partner_silent' });
    expect(amounts('alice')).toEqual([40n, 5n]);
    isMute = false;
    const view = good(await network.whileMining(withdraw('alice', 45n)));
    expect(view).toMatchObject({ totalWithdraw: 45n, balance: 0n });
  });
});

describe('two consents over all that is left', () => {
  it('settle the channel without a close, whoever brings them on chain', async () => {
    const [a, b] = [anvilAccount(1), anvilAccount(2)];
    const { chainId } = network.chain;
    const channelId = viewOf('alice')?.channelId ?? 0n;
    const place = { network: network.tokenNetwork, chainId, id: channelId };
    const far = 10n ** 9n;
    const hash = await network.clients.wallet.writeContract({
      address: network.tokenNetwork,
      abi: tokenNetworkAbi,
      functionName: 'cooperativeSettle',
      args: [
        channelId,
        await consent(place, a, b, 46n, far),
        await consent(place, b, a, 154n, far),
      ],
    });
    await confirmed(network.clients, hash, 'cooperative settle');
    const isGone = () => viewOf('alice') === null && viewOf('bob') === null;
    await network.whileMining(until(isGone, 'the channel is gone for both'));
    const held = async (name: Name) => (await network.tokensOf(name)) - 1_000n;
    expect([await held('alice'), await held('bob')]).toEqual([-54n, 54n]);
    for (const { failures } of [alice, bob]) expect(failures).toEqual([]);
  });
});
