/** What the operator should do, found out at the very thresholds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { anvilCall } from '../support/chain.ts';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  type VirtualNetwork,
} from '../support/network.ts';

/** Close, update, settle and unlock. */
const GAS_OF_ONE = 520_000n;
const RICH = 10n ** 21n;
const DEPOSIT = 55n * 10n ** 17n;

let network: VirtualNetwork;
let alice: TestNode;
/** Of a unit of gas: it falls with each empty block, and the highest of the last minutes counts. */
let price = 0n;
/** What the release feed answers. */
let release = { status: 200, body: '{"version":"0.0.0-test","security":false}' };

beforeAll(async () => {
  network = startVirtualNetwork();
  const releases = await network.serve(async () => new Response(release.body, release));
  const settings = { releaseFeed: `${releases}/`, version: '0.4.0' };
  price = await network.chain.client.getGasPrice();
  alice = await network.start('alice', { settings });
  await mintTokens(
    network.clients,
    network.contracts.serviceTokenAddress,
    alice.ownAddress,
    DEPOSIT,
  );
});
afterAll(() => network?.stop());

const setBalance = (wei: bigint) =>
  anvilCall(network.chain, 'anvil_setBalance', alice.ownAddress, `0x${wei.toString(16)}`);

/** What a look at everything finds, and what the feed tells of it. */
async function look() {
  const before = alice.feed.bounds().newest;
  await alice.checkNotifications();
  const told = alice.feed
    .after(before, 100)
    .flatMap((event) => (event.type === 'notification' ? [event.notification.id] : []));
  const found = alice.notifications();
  return { found, ids: found.map(({ id }) => id).sort(), told: told.sort() };
}
const idsOf = async () => (await look()).ids;

describe('the user deposit', () => {
  it('is reported as low until it holds five and a half service tokens', async () => {
    const { found } = await look();
    expect(found).toMatchObject([{ id: 'low_rdn', urgency: 'normal' }]);
    expect(found[0]?.body).toContain('has 0 service tokens left');
    expect(found[0]?.body).toContain('Deposit 5.5 more');
    good(await network.whileMining(alice.depositToUserDeposit(DEPOSIT - 1n)));
    expect((await look()).found[0]?.body).toContain('Deposit 0.000001 more');
    expect(alice.inspection.troubles()).toMatchObject([
      { check: 'low_rdn', body: expect.stringContaining('Deposit 0.000001 more') },
    ]);
    good(await network.whileMining(alice.depositToUserDeposit(DEPOSIT)));
    expect(await idsOf()).toEqual([]);
    expect(alice.inspection.troubles()).toEqual([]);
  });
});

describe('the money for gas', () => {
  const needed = (channels: bigint) => 3n * channels * GAS_OF_ONE * price;

  it('is reported as missing below what one channel would cost', async () => {
    const wanted = needed(1n);
    await setBalance(wanted);
    expect(await idsOf()).toEqual([]);
    await setBalance(wanted - 1n);
    const { found, told } = await look();
    expect(found).toMatchObject([{ id: 'missing_gas_reserve', urgency: 'normal' }]);
    expect(found[0]?.body).toContain(alice.ownAddress);
    expect(told).toEqual(['missing_gas_reserve']);
  });

  it('is reported as missing once in the feed until it is there again, but at each look in the list', async () => {
    expect(await look()).toMatchObject({ ids: ['missing_gas_reserve'], told: [] });
    await setBalance(RICH);
    expect(await look()).toMatchObject({ ids: [], told: [] });
    await setBalance(0n);
    expect(await look()).toMatchObject({ told: ['missing_gas_reserve'] });
    await setBalance(RICH);
  });

  it('has to suffice for all open channels', async () => {
    for (const name of ['bob', 'carol']) {
      const request = { token: network.token, partner: network.addressOf(name), totalDeposit: 0n };
      const timeouts = { settleTimeout: null, revealTimeout: null };
      good(await network.whileMining(alice.openChannel({ ...request, ...timeouts })));
    }
    const wanted = needed(2n);
    await setBalance(wanted - 1n);
    expect(await idsOf()).toEqual(['missing_gas_reserve']);
    await setBalance(wanted);
    expect(await idsOf()).toEqual([]);
    await setBalance(RICH);
  });
});

describe('the version', () => {
  it.each([
    ['the same release', 200, '{"version":"0.4.0","security":true}', []],
    ['an older release', 200, '{"version":"0.3.9","security":true}', []],
    ['a newer release', 200, '{"version":"0.4.1","security":false}', ['version_outdated']],
    [
      'a newer release for security',
      200,
      '{"version":"0.10.0","security":true}',
      ['version_outdated', 'version_security_warning'],
    ],
    ['no release', 200, '{"version":"newest","security":true}', []],
    ['no JSON', 200, 'maintenance', []],
    ['an error', 500, '{"version":"9.0.0","security":true}', []],
    ['too much', 200, `{"version":"9.0.0","security":true,"x":"${'x'.repeat(100_000)}"}`, []],
  ] as const)('is judged by %s', async (_, status, body, ids) => {
    release = { status, body };
    const { found, ids: seen } = await look();
    expect(seen).toEqual(ids);
    const urgent = found.filter(({ urgency }) => urgency === 'high').map(({ id }) => id);
    expect(urgent).toEqual(seen.filter((id) => id === 'version_security_warning'));
    expect(alice.failures).toEqual([]);
  });
});

describe('reading the notifications', () => {
  it('empties the list', async () => {
    await setBalance(0n);
    await alice.checkNotifications();
    expect(alice.notifications()).toHaveLength(1);
    expect(alice.notifications()).toEqual([]);
  });
});

it('a low user deposit is noticed by a node that reads the chain from its very beginning, too', async () => {
  const bob = await network.start('bob', { settings: { deployBlock: 0n } });
  await bob.checkNotifications();
  expect(bob.notifications()).toMatchObject([{ id: 'low_rdn' }]);
  expect(bob.failures).toEqual([]);
});
