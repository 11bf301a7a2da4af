import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
  type VirtualNetwork,
} from '../support/network.ts';
import { openService, type Service, serviceFolder, signerOf } from '../support/pathfinding.ts';
import { info, startScripted } from '../support/scripted-service.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const DEPOSIT = 10n * TOKENS;
/** Of one request, in units of the service token. */
const PRICE = 1_000n;
const WEALTH = 10n ** 24n;

let network: VirtualNetwork;
let service: Service;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
const { folder, remove } = serviceFolder();

/** alice, bob and carol in a line, and a service that wants money. */
beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  const { serviceTokenAddress } = network.contracts;
  for (const owner of [signerOf(8).address, network.addressOf('alice')])
    await mintTokens(network.clients, serviceTokenAddress, owner, WEALTH);
  const register = { register: true, acceptedPrice: WEALTH };
  const opening = openService(network, folder, { price: PRICE, ...register });
  service = await network.whileMining(opening);
  const pfs = { routingMode: 'pfs', hasRoutingFallback: false } as const;
  const settings = { ...pfs, pathfindingServiceAddress: service.url };
  for (const name of ['alice', 'bob']) await network.fund(name, 100n * TOKENS);
  alice = await network.start('alice', { settings });
  bob = await network.start('bob');
  carol = await network.start('carol');
  await open(alice, bob.ownAddress);
  await open(bob, carol.ownAddress);
  await until(async () => {
    const capacities = await announced();
    return [alice, bob].every(({ ownAddress }) => capacities.get(ownAddress) === DEPOSIT);
  }, 'the service has heard of both channels');
});
afterAll(async () => {
  await service.stop();
  await network.stop();
  remove();
});

async function open(opener: TestNode, partner: Address): Promise<void> {
  const { token } = network;
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const opened = opener.openChannel({ token, partner, totalDeposit: DEPOSIT, ...timeouts });
  good(await network.whileMining(opened));
}

/** What each node can send, as the service knows it. */
async function announced(): Promise<Map<unknown, unknown>> {
  const { body } = await service.call(`/${network.tokenNetwork}/suggest_partner`);
  const entries = Object.values(body).map((entry) => Object(entry));
  return new Map(entries.map(({ address, capacity }) => [address, capacity]));
}

async function isAliceOnline(): Promise<boolean> {
  const { body } = await service.call('/online_addresses');
  const isReachable = alice.channel(network.token, bob.ownAddress)?.networkState === 'reachable';
  return isReachable && Object.values(body).includes(alice.ownAddress);
}

/** The service counts a deposit only once it is confirmed for it, too. */
async function serviceHasSeen(block: bigint): Promise<void> {
  await network.mine(2n);
  await until(async () => {
    const { body } = await service.call('/info');
    return BigInt(String(Object(body['network_info']).confirmed_block.number)) >= block;
  }, `the service has confirmed block ${block}`);
}

const payCarol = () =>
  alice.pay({
    token: network.token,
    target: carol.ownAddress,
    amount: TOKENS,
    paymentId: null,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes: null,
  });

describe('a path-finding service that wants money', () => {
  it('is no help to a node without a user deposit, which is told so', async () => {
    expect(await payCarol()).toMatchObject({
      code: 'no_route',
      detail: expect.stringContaining('user deposit'),
    });
  });

  it('finds the way for a node that has one', async () => {
    good(await network.whileMining(alice.depositToUserDeposit(100n * PRICE)));
    await serviceHasSeen(await network.chain.client.getBlockNumber({ cacheTime: 0 }));
    expect(await payCarol()).toMatchObject({ ok: true });
  });

  it('is paid in the same session by a node that starts again', async () => {
    await alice.stop();
    const pfs = { routingMode: 'pfs', hasRoutingFallback: false } as const;
    const settings = { ...pfs, pathfindingServiceAddress: service.url };
    alice = await network.start('alice', { settings });
    await until(isAliceOnline, 'the service sees alice again');
    expect(await payCarol()).toMatchObject({ ok: true });
    expect([...alice.failures, ...service.faults]).toEqual([]);
    await alice.stop();
    const { store, connection } = await network.parts('alice');
    const { oneToNAddress: oneToN } = network.contracts;
    // The first IOU was refused, but the service could claim it nevertheless: its amount counts.
    const session = store.iouSessions.get({ receiver: service.address, oneToN });
    expect(session?.amount).toBe(3n * PRICE);
    store.close();
    connection.stop();
  });

  it('gets nothing when it is not registered, and payments go on without it', async () => {
    const { contracts, chain } = network;
    const facts = {
      chain_id: chain.chainId,
      token_network_registry_address: contracts.tokenNetworkRegistryAddress,
    };
    const fraud = await startScripted({ info: () => info(PRICE, facts) }, network.serve);
    const settings = { routingMode: 'pfs', pathfindingServiceAddress: fraud.url } as const;
    alice = await network.start('alice', { settings });
    await until(isAliceOnline, 'alice is there again');
    await until(async () => (await payCarol()).ok, 'alice pays by a route of her own');
    const routing = alice.health().find(({ id }) => id === 'routing_unavailable');
    expect(routing?.trouble?.body).toContain('not registered as a service');
    expect(alice.status()).toEqual({ status: 'ready' });
    expect(fraud.of('/paths')).toEqual([]);
    expect(fraud.of('/iou')).toEqual([]);
  });
});
