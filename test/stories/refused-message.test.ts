/** A partner whose messages are signed and sealed as they should be, and say what its channel does not allow. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noMeter } from '../../src/node/runtime/knowledge/meter.ts';
import { encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { type Network, startVirtualNetwork } from '../support/network.ts';
import { sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

let network: Network;
let pair: HangingPair;
/** What bob wrote to his log, and the messages that came to him, with their outcomes. */
const written: object[] = [];
const counted: string[] = [];
const log = { info() {}, warn: (entry: object) => void written.push(entry), error() {} };
const meter = {
  ...noMeter,
  message(type: string, direction: string, result: string) {
    if (direction === 'in') counted.push(`${type} ${result}`);
  },
};

beforeAll(async () => {
  network = startVirtualNetwork();
  pair = await startHangingPair(network, 1_000n, { log, meter });
});
afterAll(() => network?.stop());

const isUpdate = (message: Message): message is Update => message.type === 'Update';
const times = (outcome: string) => counted.filter((one) => one === outcome).length;

it('each is counted as refused, and the log has one line for all of them', async () => {
  await pair.pay({ from: 'alice', amount: 10n });
  await until(() => times('Update ok') === 2, 'bob is paid');
  const said = pair.sentBy('alice').flatMap(({ message }) => (isUpdate(message) ? message : []));
  const unlock = said.find(({ changes }) => changes.some(({ type }) => type === 'unlock'));
  if (unlock === undefined) throw new Error('alice has unlocked nothing');
  const alice = network.signerOf('alice');
  const wrong = sentBy(alice, { ...unlock, nonce: unlock.nonce + 1n });
  const say = network.speaker(alice);
  const { publish, close } = network.bus.connect(network.addressOf('carol'));
  for (let count = 0; count < 30; count++)
    publish(pair.address.bob, say(network.signerAt(pair.address.bob), encodeMessage(wrong)));
  await until(() => times('Update refused') === 30, 'bob has refused them');
  expect(written).toEqual([{ reason: 'no lock for this secret', count: 1, change: 1 }]);
  expect(times('Update ok')).toBe(2);
  await pair.pay({ from: 'alice', amount: 20n });
  await until(() => pair.view('bob').balance === 1_030n, 'bob has the second payment, too');
  expect([...pair.nodes.alice.failures, ...pair.nodes.bob.failures]).toEqual([]);
  await close();
});
