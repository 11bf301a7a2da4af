/** A channel is closed in the ordinary way: one side settles it, and nobody pays for what has no effect. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anvilCall } from '../support/chain.ts';
import { DEPOSIT, type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 40n;
const NAMES = ['alice', 'bob'] as const;
type Name = (typeof NAMES)[number];

let network: Network;
let line: Line;
let sent: Record<Name, number>;

beforeEach(async () => {
  network = startVirtualNetwork({ choices: { defaultSettleTimeout: SETTLE_TIMEOUT } });
  line = await startLine(network, NAMES);
});
afterEach(() => network.stop());

const countOf = (name: Name) =>
  network.chain.client.getTransactionCount({ address: network.addressOf(name) });
/** How many transactions each has sent since the close. */
const more = async () => ({
  alice: (await countOf('alice')) - sent.alice,
  bob: (await countOf('bob')) - sent.bob,
});
const other = (name: Name): Name => (name === 'alice' ? 'bob' : 'alice');
const viewOf = (name: Name) =>
  line.node(name).channel(network.token, network.addressOf(other(name)));

async function pay(amount: bigint): Promise<void> {
  good(await line.node('alice').pay(line.payment(['alice', 'bob'], { amount })));
  const isThere = () => line.held('bob', 'alice') === amount;
  await until(isThere, 'bob is paid');
}

async function close(name: Name): Promise<void> {
  const closing = line.node(name).close(network.token, network.addressOf(other(name)));
  good(await network.whileMining(closing));
  await line.agree();
  // What the other side brings against it.
  await line.mine(3n);
  sent = { alice: await countOf('alice'), bob: await countOf('bob') };
}

async function untilGone(names: readonly Name[]): Promise<void> {
  // A block is mined now and then, and not with each transaction: those of both sides would be in one.
  await anvilCall(network.chain, 'evm_setAutomine', false);
  await line.mine(SETTLE_TIMEOUT);
  const isGone = () => names.every((name) => viewOf(name) === null);
  await until(async () => {
    await line.mine(1n);
    return isGone();
  }, 'the channel is gone');
}

describe('a channel that was closed', () => {
  it.each<[string, Name, bigint, Name]>([
    ['who closed', 'alice', 1n, 'alice'],
    ['who did not close', 'bob', 1n, 'alice'],
    ['who was paid more than half', 'alice', DEPOSIT / 2n + 1n, 'bob'],
    ['who was paid all', 'bob', DEPOSIT, 'bob'],
  ])('is settled by %s and has more in it', async (_, closer, paid, settler) => {
    await pay(paid);
    await close(closer);
    await untilGone(NAMES);
    expect(await more()).toEqual({ alice: 0, bob: 0, [settler]: 1 });
  });

  it('is settled by the other side when that one is gone', async () => {
    await pay(1n);
    await close('bob');
    await line.stop('alice');
    await untilGone(['bob']);
    expect(await more()).toEqual({ alice: 0, bob: 1 });
    await line.start('alice');
    await until(() => viewOf('alice') === null, 'alice sees it');
    expect(await more()).toEqual({ alice: 0, bob: 1 });
  });
});
