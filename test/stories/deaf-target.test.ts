/** What whoever carries the messages can take: a target is kept deaf, beside a mediator that has all that can be read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { decodeBatch } from '../../src/protocol/messages/message-codec.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { type Line, startLine } from '../support/line.ts';
import { type Network, startVirtualNetwork } from '../support/network.ts';
import { linesOf, sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol'] as const;

let network: Network;
let line: Line;
/** Everything that was carried. */
const carried: { to: Address; data: Uint8Array }[] = [];
/** 'soon': from her next message on, nothing is delivered to carol. */
let deafness: 'none' | 'soon' | 'deaf' = 'none';

/** The node's way to the others, as the one who carries the messages lets it be. */
function transportOf(name: string): Transport {
  const inner = network.bus.connect(network.addressOf(name));
  return {
    ...inner,
    publish(to, data) {
      carried.push({ to, data });
      inner.publish(to, data);
      if (name === 'carol' && deafness === 'soon' && to === network.addressOf('alice'))
        deafness = 'deaf';
    },
    onMessage: (handler, publicKey) =>
      inner.onMessage((payload) => {
        if (name !== 'carol' || deafness !== 'deaf') handler(payload);
      }, publicKey),
  };
}

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  line = await startLine(network, NAMES, (name) => ({ transport: transportOf(name) }));
});
afterAll(() => network?.stop());

/** Every message that can be read on the way. */
const readable = (): Message[] =>
  carried.flatMap(({ data }) => decodeBatch(data).messages.map(({ message }) => message));

/** Bob's node says this to alice: bob is the thief, and has his key. */
function sayAsBob(message: Message): void {
  const [alice, bob] = [network.addressOf('alice'), network.signerOf('bob')];
  const lines = linesOf([sentBy(bob, message)]);
  network.bus
    .connect(bob.address)
    .publish(alice, network.speaker(bob)(network.signerAt(alice), lines));
}

describe('whoever carries the messages', () => {
  it('cannot take a payment together with its first mediator while the target is deaf', async () => {
    const before = { alice: line.held('alice', 'bob'), carol: line.held('carol', 'bob') };
    const heard = carried.length;
    deafness = 'soon';
    const route = { route: NAMES.map(network.addressOf), fee: 0n };
    // With another route to follow, carol has to ask for the secret.
    const paying = line.node('alice').pay(line.payment(NAMES, { routes: [route, route] }));
    await until(() => deafness === 'deaf', 'carol asks for the secret');
    const carol = network.addressOf('carol');
    const toCarol = () => carried.slice(heard).filter(({ to }) => to === carol);
    await until(() => toCarol().length > 2, 'alice answers her, more than once');
    for (const message of readable()) if (message.type === 'RevealSecret') sayAsBob(message);
    expect(await network.whileMining(paying)).toMatchObject({ ok: false });
    deafness = 'none';
    const isBack = () => line.held('alice', 'bob') === before.alice;
    await network.whileMining(until(isBack, 'the lock has run out'));
    expect(line.held('carol', 'bob')).toBe(before.carol);
    await line.expectBooks();
  });
});
