/** Alice and bob with one channel in this process, and payments that stop half way in it. */

import type { Secret } from '../../src/basics/hex.ts';
import type { ChannelView } from '../../src/node/runtime/actors/channel-states.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { good, type Network, type TestNode, type Watch } from './network.ts';
import { tampered } from './tampered.ts';
import { until } from './until.ts';

export type Side = 'alice' | 'bob';
export type HangingPair = Awaited<ReturnType<typeof startHangingPair>>;
type Payment = { from: Side; amount: bigint };
/** Where a payment stops: its payee gets no secret, or has it and is not heard. */
type Stop = 'unknown' | 'known';

const otherThan = (side: Side): Side => (side === 'alice' ? 'bob' : 'alice');

/** Each is given `deposit` and puts all of it into the channel. `watch`: bob's log and counters. */
export async function startHangingPair(network: Network, deposit: bigint, watch?: Watch) {
  const { token } = network;
  const address = { alice: network.addressOf('alice'), bob: network.addressOf('bob') };
  let payments = 0n;
  /** The messages that are lost, and whether each was sent already. */
  const vain = new Map<string, boolean>();
  const wireOf = (side: Side) =>
    tampered(
      network.bus.connect(address[side]),
      { network, signer: network.signerOf(side) },
      (message) => {
        const key = vainKey(side, message);
        const isLost = vain.has(key);
        if (isLost) vain.set(key, true);
        return isLost;
      },
    );
  const wires = { alice: wireOf('alice'), bob: wireOf('bob') };

  const start = async (side: Side): Promise<TestNode> => {
    await network.fund(side, deposit);
    const watched = side === 'bob' && watch !== undefined ? { watch } : {};
    return network.start(side, { transport: wires[side].transport, ...watched });
  };
  const nodes = { alice: await start('alice'), bob: await start('bob') };
  const find = (side: Side) => nodes[side].channel(token, address[otherThan(side)]);
  function view(side: Side): ChannelView {
    const channel = find(side);
    if (channel === null) throw new Error(`${side} knows no channel`);
    return channel;
  }

  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token, partner: address.bob, totalDeposit: deposit, ...timeouts };
  good(await network.whileMining(nodes.alice.openChannel(request)));
  await until(() => find('bob') !== null, 'bob sees the channel');
  good(await network.whileMining(nodes.bob.deposit(token, address.alice, deposit)));
  const isWhole = () => (['alice', 'bob'] as const).every((side) => view(side).balance === deposit);
  await until(isWhole, 'the deposits are seen');

  function send({ from, amount }: Payment, stop: Stop | null) {
    payments += 1n;
    const paymentId = payments;
    const secret: Secret = `0x${paymentId.toString(16).padStart(64, '0')}`;
    const to = otherThan(from);
    const key = stop === 'known' ? `${to} reveals ${secret}` : `${to} asks for ${paymentId}`;
    if (stop !== null) vain.set(key, false);
    const order = { token, target: address[to], amount, paymentId, secret };
    // With another route to follow, the secret does not travel with the lock, and the payee has to ask for it.
    const direct = { route: [address[to]], fee: null };
    const routes = stop === 'unknown' ? [direct, direct] : null;
    const rest = { secrethash: null, routes, lockTimeout: null };
    return { key, secret, answer: nodes[from].pay({ ...order, ...rest }) };
  }

  return {
    nodes,
    address,
    view,
    channelId: view('alice').channelId,
    /** What a side has signed so far, repeats included. */
    sentBy: (side: Side) => wires[side].sent(),
    /** Answers the payment's secret, which both know from now on. */
    async pay(payment: Payment): Promise<Secret> {
      const { secret, answer } = send(payment, null);
      good(await answer);
      return secret;
    },
    /** Resolves when the payment has stopped. Its `end` resolves when its lock has run out, or never. */
    async hang(payment: Payment, stop: Stop) {
      const { key, secret, answer } = send(payment, stop);
      // Hundreds of them may be on their way.
      await until(() => vain.get(key) === true, `${key} in vain`, 90_000);
      return { secret, end: answer };
    },
    withdraw: async (side: Side, total: bigint) =>
      good(await network.whileMining(nodes[side].withdraw(token, address[otherThan(side)], total))),
    /** Ends both, and whoever waits for a payment. */
    stop: async () => void (await Promise.all([nodes.alice.stop(), nodes.bob.stop()])),
  };
}

function vainKey(side: Side, message: Message): string {
  if (message.type === 'SecretRequest') return `${side} asks for ${message.paymentId}`;
  return message.type === 'RevealSecret' ? `${side} reveals ${message.secret}` : '';
}
