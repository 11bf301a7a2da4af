/** A payee whose endpoint is slow: it has seen new blocks, and cannot read them yet. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Transport } from '../../src/partner/transport.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import type { Endpoint } from '../../src/simulation/chain/endpoint.ts';
import { type Line, startLine } from '../support/line.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const RPC = 'http://slow.test';
/** More than a node may have seen and not read while it promises anything. */
const BLOCKS = 8n;

let network: VirtualNetwork;
let line: Line;
let endpoint: Endpoint;
/** How often alice has sent bob a lock. */
let locks = 0;

/** Bob's transport, which hears the first message with a lock only: whatever repeats it is lost. */
function hearingOnce(): Transport {
  const bob = network.addressOf('bob');
  const transport = network.bus.connect(bob);
  const hasLock = ({ message }: SentMessage) =>
    message.type === 'Update' && message.changes.some(({ type }) => type === 'lock');
  return {
    ...transport,
    onMessage: (handler, publicKey) =>
      transport.onMessage((payload) => {
        const isLock = network.read(bob, payload).some(hasLock);
        if (isLock) locks += 1;
        if (!isLock || locks === 1) handler(payload);
      }, publicKey),
  };
}

/** From now on the endpoint tells its newest block, and answers for the others when it is let go. */
function hold() {
  const { request } = endpoint;
  let count = 0;
  let letGo = () => {};
  const going = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  endpoint.request = async (asked) => {
    const isHeld =
      asked.method.startsWith('eth_getBlockBy') && Object(asked.params)[0] !== 'latest';
    if (isHeld) count += 1;
    if (isHeld) await going;
    return request(asked);
  };
  return { count: () => count, letGo };
}

beforeAll(async () => {
  network = startVirtualNetwork();
  endpoint = network.addEndpoint(RPC);
  line = await startLine(network, ['alice', 'bob'], (name) =>
    name === 'bob' ? { rpc: RPC, transport: hearingOnce() } : {},
  );
});
afterAll(() => network?.stop());

it('takes a lock that comes meanwhile when they are read, and need not hear it again', async () => {
  const held = hold();
  await network.mine(BLOCKS);
  await until(() => held.count() > 0, 'bob reads the blocks that he has seen');
  const paying = line.node('alice').pay(line.payment(['alice', 'bob'], { amount: TOKENS }));
  await until(() => locks > 1, 'bob hears of the lock, and it is repeated');
  expect(line.pending('bob')).toEqual([]);
  held.letGo();
  await until(() => line.held('bob', 'alice') === TOKENS, 'bob is paid');
  good(await paying);
  await line.expectBooks();
});
