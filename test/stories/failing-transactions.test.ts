/** A transaction that a node needs fails over and over: nobody asked for it, so nobody waits for its answer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  type VirtualNetwork,
} from '../support/network.ts';
import { until } from '../support/until.ts';

let network: VirtualNetwork;
let alice: TestNode;
const ENDPOINT = 'http://endpoint.test';

beforeAll(async () => {
  network = startVirtualNetwork();
});
afterAll(() => network?.stop());

it('an operator is told of a settlement that fails three times, until it succeeds', async () => {
  const endpoint = network.addEndpoint(ENDPOINT);
  alice = await network.start('alice', { rpc: ENDPOINT });
  const { token } = network;
  await network.mine(3n);
  await until(() => alice.tokens().includes(token), 'the token is known');
  const partner = network.addressOf('bob');
  const timeouts = { settleTimeout: null, revealTimeout: null };
  good(
    await network.whileMining(alice.openChannel({ token, partner, totalDeposit: 0n, ...timeouts })),
  );
  good(await network.whileMining(alice.close(token, partner)));
  const told = async () => {
    await alice.checkNotifications();
    return alice.notifications().filter(({ id }) => id === 'transactions_failing');
  };
  endpoint.faults.isRefusing = true;
  expect(await told()).toEqual([]);

  await network.whileMining(until(async () => (await told()).length > 0, 'the notification'));
  const [found] = await told();
  expect(found).toMatchObject({ urgency: 'high' });
  expect(found?.body).toMatch(/settle of channel:.* has failed \d+ times in a row/);
  expect(found?.body).toContain('execution reverted');

  endpoint.faults.isRefusing = false;
  await network.whileMining(
    until(async () => (await told()).length === 0, 'the settlement succeeds'),
  );
  expect(alice.failures).toEqual([]);
});
