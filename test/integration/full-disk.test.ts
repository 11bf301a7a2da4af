/** What a node does when the disk of its database is full, on a file system of a few megabytes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenNode } from '../../src/host/node-config.ts';
import { lastingNode } from '../support/lasting.ts';
import { good, type RealNetwork, startNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { canMount, needsMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const MB = 1_000_000;

describe.skipIf(!canMount)(`a node whose disk fills up${needsMount}`, () => {
  let network: RealNetwork;
  let disk: SmallDisk;
  let place: ReturnType<typeof lastingNode>;
  let alice: TestNode;
  let bob: OpenNode;

  beforeAll(async () => {
    network = await startNetwork();
    await network.fund('alice', 100n * TOKENS);
    await network.mine(2n);
    disk = smallDisk(32 * MB);
    place = lastingNode(network, 'bob', { folder: disk.folder, choices: { minFreeBytes: 8 * MB } });
    alice = await network.start('alice');
    bob = await place.open();
    await until(isReady, 'bob is ready');
    const timeouts = { settleTimeout: null, revealTimeout: null };
    const request = { token: network.token, partner: bob.address, totalDeposit: 10n * TOKENS };
    good(await network.whileMining(alice.openChannel({ ...request, ...timeouts })));
    await until(() => channel() !== null, 'bob sees the channel');
    good(await payBob(4n * TOKENS));
    await until(() => channel()?.balance === 4n * TOKENS, 'bob is paid');
  });
  afterAll(async () => {
    await place?.end();
    await network?.stop();
    disk?.end();
  });

  const isReady = () => bob.status().status === 'ready';
  const channel = () => bob.node.channel(network.token, alice.ownAddress);
  const NO_CHOICE = {
    paymentId: null,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes: null,
  };
  const payBob = (amount: bigint) =>
    alice.pay({ token: network.token, target: bob.address, amount, ...NO_CHOICE });
  const payAlice = () =>
    fetch(`${bob.apiUrl}/api/v1/payments/${network.token}/${alice.ownAddress}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":"1"}',
    });

  it('makes and accepts no payment when less room than the floor is left, and says why and what to do', async () => {
    disk.fill(5 * MB);
    await until(async () => (await payAlice()).status === 503, 'bob begins no payment');
    const refused = await payAlice();
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.text()).toContain('free some space on its disk');
    expect(await network.whileMining(payBob(1n))).toMatchObject({ ok: false });
    expect((await fetch(`${bob.apiUrl}/readyz`)).status).toBe(200);
    const told = await (await fetch(`${bob.apiUrl}/api/v1/notifications`)).text();
    expect(told).toContain('MB are left on the disk');
  });

  it('pays and is paid again when there is room', async () => {
    disk.empty();
    await until(async () => (await payAlice()).status === 200, 'bob pays');
    good(await payBob(1n));
  });

  it('goes on with the room of the reserve when nothing can be written any more', async () => {
    disk.fill();
    const isFreed = () => place.errors.some((text) => text.includes('reserve'));
    await network.whileMining(until(isFreed, 'the reserve is used'));
    const before = bob.node.channels({ token: null });
    expect(before).toHaveLength(1);
    await network.whileMining(until(isReady, 'bob follows the chain'));
    expect(place.failures).toEqual([]);
  });
});
