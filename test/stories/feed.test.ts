/** What happened, as the node tells it: its feed, its pending transfers and the events of its channels. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChannelEvent } from '../../src/node/api/api.ts';
import type { FeedEvent } from '../../src/node/runtime/commits/feed.ts';
import type { Transport } from '../../src/partner/transport.ts';
import {
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;
let alice: TestNode;
let bob: TestNode;
/** While it is set, alice gets no message of others. */
let isDeaf = false;

beforeAll(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 100n * TOKENS);
  alice = await startAlice();
  bob = await network.start('bob', { settings: withoutUserDeposit() });
});
afterAll(() => network?.stop());

function startAlice(): Promise<TestNode> {
  const transport: Transport = network.bus.connect(network.addressOf('alice'));
  const onMessage: Transport['onMessage'] = (handler, publicKey) =>
    transport.onMessage((payload) => {
      if (!isDeaf) handler(payload);
    }, publicKey);
  const settings = withoutUserDeposit();
  return network.start('alice', { transport: { ...transport, onMessage }, settings });
}

/** Without a user deposit, the feed has no notification that it is low. */
const withoutUserDeposit = () => ({
  contracts: { ...network.contracts, userDepositAddress: null },
});

const openRequest = () => ({
  token: network.token,
  partner: bob.ownAddress,
  totalDeposit: 10n * TOKENS,
  settleTimeout: null,
  revealTimeout: null,
});
const payment = (paymentId: bigint, amount = TOKENS) => ({
  token: network.token,
  target: bob.ownAddress,
  amount,
  paymentId,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: null,
});
const eventsOf = (node: TestNode, partner: TestNode, fromBlock: bigint | null = null) =>
  [...good(node.channelEvents(network.token, partner.ownAddress, fromBlock))].flat();
const nameOf = (event: ChannelEvent | FeedEvent): string => {
  if (event.type === 'payment') return event.record.event;
  return event.type === 'notification' ? event.notification.id : event.log.type;
};
const feedOf = (node: TestNode) => node.feed.after(0, 1_000).map(nameOf);
const channelOf = (node: TestNode, partner: TestNode) =>
  node.channel(network.token, partner.ownAddress);
const pendingOf = (node: TestNode) => good(node.pendingTransfers({ token: null, partner: null }));
async function open() {
  good(await network.whileMining(alice.openChannel(openRequest())));
  const isSeen = () => channelOf(bob, alice)?.state === 'opened';
  await network.whileMining(until(isSeen, 'bob sees the channel'));
}

describe('before there was a channel', () => {
  it('the feed is empty, and questions about the channel are refused', () => {
    expect(alice.feed.bounds()).toEqual({ oldest: 1, newest: 0 });
    const ask = (token = network.token) => alice.channelEvents(token, bob.ownAddress, null);
    expect(ask()).toMatchObject({ ok: false, code: 'unknown_channel' });
    expect(ask(bob.ownAddress)).toMatchObject({ ok: false, code: 'unknown_token' });
    const pending = (token: `0x${string}` | null, partner: `0x${string}` | null = null) =>
      alice.pendingTransfers({ token, partner });
    expect(pending(network.token, bob.ownAddress)).toMatchObject({ code: 'unknown_channel' });
    expect(pending(bob.ownAddress)).toMatchObject({ code: 'unknown_token' });
    expect(pending(network.token)).toEqual({ ok: true, value: [] });
  });
});

describe('a channel', () => {
  it('is in the feeds of both sides when its logs are confirmed', async () => {
    await open();
    for (const [node, partner] of [[alice, bob] as const, [bob, alice] as const]) {
      expect(feedOf(node)).toEqual(['chain.channelOpened', 'chain.channelDeposit']);
      expect(node.feed.after(0, 1)).toMatchObject([
        { seq: 1, type: 'channel', token: network.token, partner: partner.ownAddress },
      ]);
    }
  });
});

describe('a payment', () => {
  it('is in the feeds of both sides as soon as it is answered, even when a listener throws', async () => {
    const heard: number[] = [];
    const endBad = alice.feed.onNew(() => {
      throw new Error('a bad listener');
    });
    const end = alice.feed.onNew(() => void heard.push(alice.feed.bounds().newest));
    good(await alice.pay(payment(1n)));
    expect(alice.feed.after(2, 10)).toMatchObject([
      { seq: 3, type: 'payment', record: { event: 'EventPaymentSentSuccess', paymentId: 1n } },
    ]);
    expect(heard).toEqual([3]);
    await until(() => bob.feed.bounds().newest === 3, 'bob tells of it');
    expect(bob.feed.after(2, 10)).toMatchObject([
      { record: { event: 'EventPaymentReceivedSuccess', initiator: alice.ownAddress } },
    ]);
    end();
    endBad();
    good(await alice.pay(payment(2n)));
    expect(heard).toEqual([3]);
    expect(alice.feed.bounds()).toEqual({ oldest: 1, newest: 4 });
  });

  it('that found no route is in the feed, but among the events of no channel', async () => {
    const target = network.addressOf('carol');
    expect(await alice.pay({ ...payment(3n), target })).toMatchObject({ code: 'no_route' });
    const isTold = () => feedOf(alice).at(-1) === 'EventPaymentSentFailed';
    await until(isTold, 'the failure is told');
    expect(eventsOf(alice, bob).map(nameOf)).not.toContain('EventPaymentSentFailed');
  });

  it('that hangs is pending on both sides, with the amounts of the payer', async () => {
    await until(() => pendingOf(bob).length === 0, 'the payments before are over');
    isDeaf = true;
    const paid = alice.pay(payment(4n, 3n * TOKENS));
    await until(() => pendingOf(bob).length === 1, 'bob has the lock');
    const facts = {
      channelId: 1n,
      token: network.token,
      tokenNetwork: network.tokenNetwork,
      initiator: alice.ownAddress,
      target: bob.ownAddress,
      paymentId: 4n,
      lockedAmount: 3n * TOKENS,
      transferredAmount: 2n * TOKENS,
    };
    const { token } = network;
    expect(pendingOf(alice)).toEqual([{ ...facts, role: 'initiator' }]);
    expect(await alice.stats()).toMatchObject({
      locks: { initiator: 1, target: 0 },
      lockSlack: null,
    });
    const { locks, lockSlack } = await bob.stats();
    expect(locks).toMatchObject({ initiator: 0, target: 1 });
    expect(lockSlack).toBeGreaterThan(0n);
    expect(good(bob.pendingTransfers({ token, partner: alice.ownAddress }))).toEqual([
      { ...facts, role: 'target' },
    ]);
    const withStranger = bob.pendingTransfers({ token, partner: network.addressOf('carol') });
    expect(withStranger).toMatchObject({ code: 'unknown_channel' });

    // The caller is gone with the process, the payment is not.
    await alice.stop();
    expect(await paid).toMatchObject({ ok: false, code: 'shutting_down' });
    alice = await startAlice();
    expect(pendingOf(alice)).toEqual([{ ...facts, role: 'initiator' }]);
    isDeaf = false;
    await until(() => pendingOf(bob).length + pendingOf(alice).length === 0, 'it is paid');
    expect(feedOf(alice).at(-1)).toBe('EventPaymentSentSuccess');
  });
});

const LIFE = [
  'chain.channelOpened',
  'chain.channelDeposit',
  'EventPaymentSentSuccess',
  'EventPaymentSentSuccess',
  'EventPaymentSentSuccess',
  'chain.channelClosed',
  'chain.proofUpdated',
  'chain.channelSettled',
];

describe('the events of a channel', () => {
  it('are its logs and payments, by block', async () => {
    good(await network.whileMining(alice.close(network.token, bob.ownAddress)));
    const isUpdated = () => eventsOf(bob, alice).map(nameOf).includes('chain.proofUpdated');
    await network.whileMining(until(isUpdated, 'bob has brought his proof'));
    await network.mine(40n);
    const isGone = () => channelOf(alice, bob) === null && channelOf(bob, alice) === null;
    await network.whileMining(until(isGone, 'the channel is settled'));
    expect(eventsOf(alice, bob).map(nameOf)).toEqual(LIFE);
    expect(eventsOf(bob, alice).map(nameOf)).toEqual(
      LIFE.map((name) => name.replace('Sent', 'Received')),
    );
    const blocks = eventsOf(alice, bob).map((event) =>
      event.type === 'payment' ? event.block : event.log.at.block,
    );
    expect(blocks).toEqual(blocks.toSorted((a, b) => Number(a - b)));
    const settled = blocks.at(-1) ?? 0n;
    expect(eventsOf(alice, bob, settled).map(nameOf)).toEqual(['chain.channelSettled']);
    expect(eventsOf(alice, bob, 2n ** 64n - 1n)).toEqual([]);
  });

  it('are still there after a restart, and those of a later channel come after them', async () => {
    await alice.stop();
    alice = await startAlice();
    expect(eventsOf(alice, bob).map(nameOf)).toEqual(LIFE);
    await open();
    const opening = ['chain.channelOpened', 'chain.channelDeposit'];
    expect(eventsOf(alice, bob).map(nameOf)).toEqual(opening);
    expect(eventsOf(alice, bob, 0n).map(nameOf)).toEqual([...LIFE, ...opening]);
  });
});
