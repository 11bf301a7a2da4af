/** A program pays through the client while the node dies: it is paid once, and the program is told. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pay, paymentHistory } from '../../src/client/client.ts';
import { createApp } from '../../src/http/app.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: VirtualNetwork;
let alice: MortalNode;
let bob: MortalNode;

beforeEach(async () => {
  network = startVirtualNetwork();
  alice = mortalNode(network, 'alice');
  bob = mortalNode(network, 'bob');
  await network.fund('alice', 1_000n);
  await bob.start();
  await alice.start();
  const facts = { token: network.token, partner: bob.address, totalDeposit: 100n };
  const opened = alice.ask((node) =>
    node.openChannel({ ...facts, settleTimeout: null, revealTimeout: null }),
  );
  expect(await network.whileMining(opened)).toMatchObject({ ok: true });
  await until(() => ofBob() !== null, 'bob sees the channel');
});
afterEach(() => network?.stop());

const ofBob = () => bob.node().channel(network.token, alice.address);

/** A connection to alice, which is lost when she dies. */
const fetchFromAlice: typeof fetch = async (input, init) => {
  const answer = alice.ask((node) =>
    Promise.resolve(createApp({ node }).request(String(input), init)),
  );
  const lost = until(alice.isOver, 'alice is gone').then(() => {
    throw new TypeError('fetch failed');
  });
  return Promise.race([answer, lost]);
};

it.each(['commit.before', 'commit.after', 'publish.after', 'reply.before'])(
  'a payment is made once though the node dies at %s and starts again',
  async (point) => {
    const order = { token: network.token, target: bob.address, amount: 7n };
    alice.dieAt(point, 1);
    const paid = pay('http://localhost:5001', order, { fetch: fetchFromAlice, timeoutMs: 300_000 });
    await until(alice.isOver, 'alice dies');
    await alice.start();
    expect(await network.whileMining(paid)).toMatchObject({ ok: true, amount: 7n });
    await until(() => ofBob()?.balance === 7n, 'bob is paid');
    const events: string[] = [];
    const history = paymentHistory('http://localhost:5001', { fetch: fetchFromAlice });
    for await (const { event } of history) events.push(event);
    expect(events).toEqual(['EventPaymentSentSuccess']);
  },
);
