/** Alice and bob as processes that die, with one channel in virtual time, and what must be true whatever happens. */
import { expect } from 'vitest';
import { secretRegistryAbi, tokenNetworkAbi } from '../../src/chain/abi.ts';
import type { ChannelView } from '../../src/node/runtime/actors/channel-states.ts';
import type { PaymentRecord } from '../../src/node/runtime/commits/records.ts';
import { expectMirrored as expectSameBooks } from './agreement.ts';
import { isAtRest, type Ledger } from './ledger.ts';
import { type MortalNode, mortalNode } from './mortal.ts';
import { good, type VirtualNetwork } from './network.ts';
import { isPastOpening } from './pair.ts';
import { until } from './until.ts';

export type Name = 'alice' | 'bob';
export type MortalPair = Awaited<ReturnType<typeof startMortalPair>>;
type Made = Exclude<PaymentRecord, { event: 'EventPaymentSentFailed' }>;

/** How many deposits each has outside of channels at the beginning. */
const WEALTH = 10n;
const NAMES = ['alice', 'bob'] as const;
const otherThan = (name: Name): Name => (name === 'alice' ? 'bob' : 'alice');

/** Starts both, each rich enough for several channels; there is none yet. */
export async function startMortalPair(network: VirtualNetwork, deposit: bigint) {
  const { token } = network;
  const nodes: Record<Name, MortalNode> = {
    alice: mortalNode(network, 'alice'),
    bob: mortalNode(network, 'bob'),
  };
  for (const name of NAMES) {
    await network.fund(name, WEALTH * deposit);
    await nodes[name].start();
  }
  const node = (name: Name) => nodes[name].node();
  const partnerOf = (name: Name) => nodes[otherThan(name)].address;
  const find = (name: Name) => node(name).channel(token, partnerOf(name));
  const isQuiet = () => NAMES.every((name) => isAtRest(nodes[name].ledger()));

  function channelOf(name: Name): ChannelView {
    const channel = find(name);
    if (channel === null) throw new Error(`${name} knows no channel`);
    return channel;
  }
  function historyOf(name: Name): PaymentRecord[] {
    const all = { token, partner: null, offset: 0, limit: null };
    return [...good(node(name).payments(all))].flat();
  }
  const madeBy = (name: Name): Made[] =>
    historyOf(name).flatMap((row) => (row.event === 'EventPaymentSentFailed' ? [] : [row]));
  /** What alice has won or lost, when both say the same of each payment. */
  function change(): bigint {
    const listed = (name: Name, event: Made['event']) =>
      madeBy(name)
        .filter((row) => row.event === event)
        .map(({ paymentId, amount }) => `${paymentId}: ${amount}`)
        .toSorted();
    for (const name of NAMES) {
      const sent = listed(name, 'EventPaymentSentSuccess');
      expect(listed(otherThan(name), 'EventPaymentReceivedSuccess')).toEqual(sent);
      expect(new Set(sent).size).toBe(sent.length);
    }
    return madeBy('alice').reduce((total, { event, amount }) => {
      return event === 'EventPaymentSentSuccess' ? total - amount : total + amount;
    }, 0n);
  }
  /** What each has on disk of the other is what the other has of itself. */
  const expectMirrored = () =>
    expectSameBooks(nodes.alice.ledger().channels, nodes.bob.ledger().channels);

  return {
    nodes,
    node,
    find,
    channelOf,
    historyOf,
    isQuiet,
    /** Opens a channel in which each has put `deposit`, and waits until both know and reach each other. */
    async open(): Promise<void> {
      const timeouts = { settleTimeout: null, revealTimeout: null };
      const request = { token, partner: partnerOf('alice'), totalDeposit: deposit, ...timeouts };
      good(await network.whileMining(node('alice').openChannel(request)));
      await until(() => find('bob') !== null, 'bob sees the channel');
      const more = node('bob').deposit(token, partnerOf('bob'), deposit);
      good(await network.whileMining(more));
      const isWhole = (name: Name) =>
        channelOf(name).balance === deposit && channelOf(name).networkState === 'reachable';
      await until(() => NAMES.every(isWhole), 'both see both deposits, and each other');
    },
    /** A process that dies never answers. `isAsked`: the secret does not travel with the lock, the payee asks for it. */
    pay(from: Name, amount: bigint, { isAsked = false } = {}) {
      // With another route to follow, the secret is not sent at once.
      const direct = { route: [partnerOf(from)], fee: null };
      const routes = isAsked ? [direct, direct] : null;
      const rest = { paymentId: null, secret: null, secrethash: null, lockTimeout: null };
      const order = { token, target: partnerOf(from), amount, routes, ...rest };
      return nodes[from].ask((payer) => payer.pay(order));
    },
    close: async (name: Name) =>
      good(await network.whileMining(node(name).close(token, partnerOf(name)))),
    /** Once all that the close demands is done: lets the settle timeout pass, until nothing is left. */
    async settle(...names: Name[]): Promise<void> {
      const all = (isSo: (ledger: Ledger) => boolean) => () =>
        names.every((name) => isSo(nodes[name].ledger()));
      const who = names.join(' and ');
      const isDone = all(({ channels, jobs }) => jobs === 0 && channels.every(isPastOpening));
      await network.whileMining(until(isDone, `the close is done with for ${who}`));
      await network.mine(network.settings.defaultSettleTimeout);
      const isGone = all(({ channels, jobs }) => channels.length + jobs === 0);
      await network.whileMining(until(isGone, `the channel is gone for ${who}`));
    },
    /** What happened in the token network, the oldest first. */
    events: () =>
      network.chain.client.getContractEvents({
        address: network.tokenNetwork,
        abi: tokenNetworkAbi,
        fromBlock: 0n,
        strict: true,
      }),
    /** Every secret that stands on chain. */
    secrets: () =>
      network.chain.client.getContractEvents({
        address: network.contracts.secretRegistryAddress,
        abi: secretRegistryAbi,
        fromBlock: 0n,
      }),
    expectMirrored,
    /** Waits until nothing is on its way in the one open channel: both agree to the unit. */
    async expectAgreement(): Promise<void> {
      await until(isQuiet, 'nothing is on its way');
      expectMirrored();
      expect(channelOf('alice').balance).toBe(deposit + change());
      expect(channelOf('bob').balance).toBe(deposit - change());
    },
    /** After the last channel: each holds what it began with and what the histories say it won or lost. */
    async expectTokens(): Promise<void> {
      expect(await network.tokensOf('alice')).toBe(WEALTH * deposit + change());
      expect(await network.tokensOf('bob')).toBe(WEALTH * deposit - change());
      expect(await network.tokensInChannels()).toBe(0n);
      expect(NAMES.flatMap((name) => nodes[name].failures)).toEqual([]);
    },
  };
}
