import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clock } from '../../src/basics/environment.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const NAMES = ['alice', 'bob', 'carol'] as const;
const DAY_MS = 86_400_000;

let network: Network;
let line: Line;
let aheadMs = 0;
/** Secrets from alice that were lost on their way to carol. */
let lost = 0;

/** Alice's transport, which loses every secret for carol until the clocks are set. */
function losing(): Transport {
  const transport = network.bus.connect(network.addressOf('alice'));
  const isSecret = (payload: Uint8Array) =>
    network
      .read(network.addressOf('carol'), payload)
      .some(({ message }) => message.type === 'RevealSecret');
  return {
    ...transport,
    publish(to, payload) {
      if (aheadMs === 0 && to === network.addressOf('carol') && isSecret(payload)) lost += 1;
      else transport.publish(to, payload);
    },
  };
}

beforeAll(async () => {
  network = startVirtualNetwork();
  const setClock: Clock = { ...network.clock, now: () => Date.now() + aheadMs };
  line = await startLine(network, NAMES, (name) => ({
    clock: setClock,
    ...(name === 'alice' ? { transport: losing() } : {}),
  }));
});
afterAll(() => network.stop());

it('nodes whose clocks are set back by a day still repeat what was not heard', async () => {
  const before = line.held('carol', 'bob');
  const paying = line.node('alice').pay(line.payment(NAMES));
  // They share no channel, so nothing but the pause between two repeats makes either send again.
  await until(() => lost === 2, 'alice has repeated the secret');
  aheadMs = -DAY_MS;
  good(await paying);
  await until(() => line.held('carol', 'bob') > before, 'carol is paid');
  expect(line.pending('alice')).toEqual([]);
  await line.expectBooks();
});
