/**
 * Deaths in the middle of a join, of a deposit that matches a partner's, and of a leave: after the restart each
 * goes on to its end, once.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/chain/abi.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { anvilAccount } from '../support/chain.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { presentAs, signerOf } from '../support/pathfinding.ts';
import { until } from '../support/until.ts';

type Moment = readonly [point: string, nth: number];
/** Where it dies in each of its deeds, e.g. when the second of its jobs has been submitted. */
const LIVES: Record<'join' | 'match' | 'leave', Moment>[] = [
  { join: ['commit.before', 1], match: ['commit.after', 2], leave: ['commit.before', 1] },
  { join: ['commit.after', 1], match: ['job.after', 1], leave: ['commit.after', 1] },
  { join: ['job.after', 2], match: ['transaction.saved', 2], leave: ['job.after', 6] },
  {
    join: ['transaction.saved', 3],
    match: ['transaction.mined', 1],
    leave: ['transaction.mined', 6],
  },
];
const WEALTH = 1_000n;
const FUNDS = 100n;
const SHARE = 20n;
/** What a partner puts into a channel that it opens. */
const GIFT = 7n;
/** They answer that they are there, and do nothing else: what happens on chain is alice's doing alone. */
const PEERS = [6, 7, 8].map(signerOf);
/** Opens channels with alice, and is not there to be opened with. */
const GUEST = anvilAccount(9).address;
const SETTLE_TIMEOUT = 20n;
/** Three times approve and open; approve and deposit; four times close and settle. */
const TRANSACTIONS_OF_A_LIFE = 6 + 2 + 8;

let network: VirtualNetwork;
let alice: MortalNode;

beforeEach(async () => {
  network = startVirtualNetwork({ choices: { defaultSettleTimeout: SETTLE_TIMEOUT } });
  for (const peer of PEERS) presentAs(network.bus.connect(peer.address), peer);
  await network.fund('alice', WEALTH);
  const [first, second, third] = PEERS.map(({ address }) => address);
  await approveGifts();
  await openOnChain(first ?? GUEST, second ?? GUEST, GIFT);
  await openOnChain(GUEST, third ?? GUEST, GIFT);
  await network.mine(2n);
  alice = mortalNode(network, 'alice');
  await alice.start();
});
afterEach(() => network?.stop());

/** Opens a channel of two others, with a deposit of the first. */
async function openOnChain(first: Address, second: Address, deposit: bigint): Promise<void> {
  const { clients, tokenNetwork } = network;
  const hash = await clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannelWithDeposit',
    args: [first, second, SETTLE_TIMEOUT, deposit],
  });
  await confirmed(clients, hash, 'opening');
}
async function approveGifts(): Promise<void> {
  const { clients, token, tokenNetwork } = network;
  await mintTokens(clients, token, clients.wallet.account.address, 1_000n);
  const args = [tokenNetwork, 1_000n] as const;
  const approval = { address: token, abi: customTokenAbi, functionName: 'approve', args } as const;
  await confirmed(clients, await clients.wallet.writeContract(approval), 'approval');
}

const channels = () => alice.ledger().channels;
const isQuiet = () => alice.ledger().jobs === 0;
const deposits = () => channels().map(({ context }) => context.ownEnd.deposit);
const transactionsSent = () => network.chain.client.getTransactionCount({ address: alice.address });
const joinNetwork = () => alice.ask((node) => node.join(network.token, FUNDS));
const leaveNetwork = () => alice.ask((node) => node.leave(network.token));
const tokensOf = (owner: Address) =>
  network.chain.client.readContract({
    address: network.token,
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
async function eventNames(): Promise<string[]> {
  const { chain, tokenNetwork: address } = network;
  const asked = { address, abi: tokenNetworkAbi, fromBlock: 0n, strict: true } as const;
  return (await chain.client.getContractEvents(asked)).map(({ eventName }) => eventName);
}

type Deed = {
  ask: () => Promise<unknown>;
  /** Nothing of it is on disk: whoever asked has to ask again. */
  isLost: () => boolean;
  isDone: () => boolean;
};
const hasShares = () => deposits().filter((deposit) => deposit === SHARE).length === PEERS.length;
const DEEDS: Record<'join' | 'match' | 'leave', Deed> = {
  join: {
    ask: joinNetwork,
    isLost: () => isQuiet() && channels().length === 0,
    isDone: () => isQuiet() && hasShares(),
  },
  match: {
    ask: () => openOnChain(GUEST, alice.address, GIFT),
    isLost: () => false,
    isDone: () => isQuiet() && deposits().includes(GIFT),
  },
  leave: {
    ask: leaveNetwork,
    isLost: () => isQuiet() && channels().every(({ value }) => isOpen(value)),
    isDone: () => isQuiet() && channels().length === 0,
  },
};
function isOpen(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'opened' in value;
}

/** Does it, and dies at the moment; then goes on without anybody asking, if anything is on disk. */
async function doAndDieAt({ ask, isLost, isDone }: Deed, [point, nth]: Moment): Promise<void> {
  alice.dieAt(point, nth);
  void ask();
  await network.whileMining(until(alice.isOver, `alice dies at ${point}`));
  await alice.start();
  if (isLost()) void ask();
  await network.whileMining(until(isDone, 'the deed is done'));
}

describe('a node', () => {
  it('answers a join, and a leave that is asked for again after the node died', async () => {
    expect(good(await network.whileMining(joinNetwork()))).toHaveLength(3);
    expect(alice.node().connections()).toMatchObject([{ token: network.token, channels: 3 }]);
    alice.dieAt('job.after', 2);
    void leaveNetwork();
    await until(alice.isOver, 'alice dies');
    await alice.start();
    expect(good(await network.whileMining(leaveNetwork()))).toMatchObject(
      PEERS.map(() => ({ state: 'closed', totalDeposit: SHARE, balance: SHARE })),
    );
    await network.whileMining(until(DEEDS.leave.isDone, 'all is settled'));
    expect(await network.tokensOf('alice')).toBe(WEALTH);
  });

  it.each(LIVES)(
    'joins, matches and leaves once though it dies at $join.0, $match.0 and $leave.0',
    async (moments) => {
      const events = (await eventNames()).length;
      const gifts = await tokensOf(GUEST);
      for (const name of ['join', 'match', 'leave'] as const)
        await doAndDieAt(DEEDS[name], moments[name]);
      expect(await transactionsSent()).toBe(TRANSACTIONS_OF_A_LIFE);
      const names = (await eventNames()).slice(events);
      const times = (wanted: string) => names.filter((name) => name === wanted).length;
      expect([times('ChannelOpened'), times('ChannelNewDeposit')]).toEqual([4, 5]);
      expect([times('ChannelClosed'), times('ChannelSettled')]).toEqual([4, 4]);
      expect(await network.tokensOf('alice')).toBe(WEALTH);
      expect(await tokensOf(GUEST)).toBe(gifts + GIFT);
      expect(alice.node().connections()).toEqual([]);
      expect(alice.failures).toEqual([]);
    },
  );

  it('that is told to leave during a join, and dies, still closes the channels that it opens', async () => {
    const events = (await eventNames()).length;
    void joinNetwork();
    await until(() => alice.ledger().jobs === PEERS.length, 'the channels are being opened');
    void leaveNetwork();
    const again = await alice.ask((node) => node.join(network.token, GIFT));
    expect(again).toMatchObject({ ok: false, detail: expect.stringContaining('leaving') });
    alice.kill();
    await alice.start();
    await network.whileMining(until(DEEDS.leave.isDone, 'nothing is left'));
    const names = (await eventNames()).slice(events);
    for (const name of ['ChannelOpened', 'ChannelClosed', 'ChannelSettled'])
      expect([name, names.filter((other) => other === name).length]).toEqual([name, 3]);
    expect(await network.tokensOf('alice')).toBe(WEALTH);
    expect(good(await network.whileMining(joinNetwork()))).toHaveLength(3);
  });
});
