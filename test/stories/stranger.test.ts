/** A stranger on the broker, who can sign, says all that a partner might say, of channels that are not its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { type Network, startVirtualNetwork } from '../support/network.ts';
import { sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

let network: Network;
let pair: HangingPair;

beforeAll(async () => {
  network = startVirtualNetwork();
  pair = await startHangingPair(network, 1_000n);
});
afterAll(() => network?.stop());

/** Every message that alice has sent, under other channels and other numbers, too. */
function variantsOf(message: Message): Message[] {
  if (!('channelId' in message)) return [message];
  const { channelId, tokenNetwork } = message;
  return [
    message,
    { ...message, channelId: channelId + 1n },
    { ...message, channelId: 2n ** 256n - 1n },
    { ...message, tokenNetwork: network.token },
    { ...message, chainId: message.chainId + 1n, tokenNetwork },
  ];
}

describe('a node', () => {
  it('goes on paying after a stranger said all of this, well-formed and not', async () => {
    await pair.pay({ from: 'alice', amount: 10n });
    await pair.withdraw('alice', 5n);
    const stranger = network.signerOf('carol');
    const { publish, close } = network.bus.connect(stranger.address);
    const say = network.speaker(stranger);
    const bob = pair.address.bob;
    const said = pair.sentBy('alice').flatMap(({ message }) => variantsOf(message));
    expect(new Set(said.map(({ type }) => type)).size).toBeGreaterThan(3);
    for (const message of said) {
      const line = encodeMessage(sentBy(stranger, message));
      for (const text of [
        line,
        line.slice(1),
        line.replace('"', '""'),
        `${line}\n\u0000`,
        '{}',
        '',
      ]) {
        publish(bob, Buffer.from(text));
        if (text !== '') publish(bob, say(network.signerAt(bob), text));
      }
    }
    await pair.pay({ from: 'alice', amount: 20n });
    await pair.pay({ from: 'bob', amount: 1n });
    const balances = () => [pair.view('alice').balance, pair.view('bob').balance].join(' ');
    await until(() => balances() === '966 1029', 'both payments are seen by both');
    expect([...pair.nodes.alice.failures, ...pair.nodes.bob.failures]).toEqual([]);
    await close();
  });
});
