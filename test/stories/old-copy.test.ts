/** What a node does with channels that an accepted old copy of its database does not know. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { good, type Network, startVirtualNetwork, type TestNode } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;
let alice: TestNode;
/** What bob says gets lost, although he is there. */
let isMute = false;
/** What alice sends. */
let sent = '';

const partner = (name: string) => network.addressOf(name);
const startAlice = () => {
  const transport = network.bus.connect(partner('alice'));
  const publish: typeof transport.publish = (to, payload) => {
    sent += Buffer.from(payload).toString();
    transport.publish(to, payload);
  };
  return network.start('alice', { transport: { ...transport, publish } });
};

function open(name: string) {
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: partner(name), totalDeposit: 100n };
  return network.whileMining(alice.openChannel({ ...request, ...timeouts }));
}

function pay(name: string, amount: bigint) {
  const rest = { paymentId: null, secret: null, secrethash: null, lockTimeout: null, routes: null };
  return alice.pay({ token: network.token, target: partner(name), amount, ...rest });
}

beforeAll(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 1_000n);
  const transport = network.bus.connect(partner('bob'));
  const publish: typeof transport.publish = (to, payload) => {
    if (!isMute) transport.publish(to, payload);
  };
  const bob = await network.start('bob', { transport: { ...transport, publish } });
  await network.start('carol');
  alice = await startAlice();
  good(await open('bob'));
  await until(() => bob.channel(network.token, partner('alice')) !== null, 'bob sees it');
  good(await pay('bob', 40n));
  isMute = true;
  await alice.stop();
  network.forget('alice');
});
afterAll(() => network?.stop());

describe('a channel that is newer than the accepted copy', () => {
  it('gets no signature of the node any more, though the partner proves nothing', async () => {
    const { store, connection } = await network.parts('alice');
    store.acceptCopy();
    store.close();
    connection.stop();
    sent = '';
    alice = await startAlice();
    expect(alice.channel(network.token, partner('bob'))).toMatchObject({ totalDeposit: 100n });
    const detail = expect.stringMatching(new RegExp(`channel with ${partner('bob')} is frozen`));
    expect(await pay('bob', 1n)).toMatchObject({ ok: false, code: 'no_route', detail });
    const isNotified = async () =>
      (await alice.notifications()).some(({ id }) => id === 'channel_frozen');
    await until(isNotified, 'the operator is notified');
    expect(sent).not.toContain('Update');
  });

  it('can be closed', async () => {
    const closed = network.whileMining(alice.close(network.token, partner('bob')));
    expect(good(await closed)).toMatchObject({ state: 'closed' });
  });

  it('is used as usual when it was opened after the node had read the whole chain', async () => {
    good(await open('carol'));
    expect(await pay('carol', 1n)).toMatchObject({ ok: true });
    expect(alice.failures).toEqual([]);
  });
});
