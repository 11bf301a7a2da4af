import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import type { ServiceMessage } from '../../src/protocol/services/service-message-types.ts';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
  type VirtualNetwork,
} from '../support/network.ts';
import {
  announce,
  openService,
  type Service,
  serviceFolder,
  signerOf,
} from '../support/pathfinding.ts';
import { until } from '../support/until.ts';

const NAMES = ['alice', 'bob', 'carol', 'dave'] as const;
const DEPOSIT = 10n * TOKENS;
/** Of one mediation; half of it for each of the two channels. */
const FLAT = 100n;
const TERMS = { flat: FLAT, proportional: 0n, imbalance: 0n, capFees: true };

let network: VirtualNetwork;
let service: Service;
const { folder, remove } = serviceFolder();
const nodes = new Map<string, TestNode>();
const node = (name: (typeof NAMES)[number]) => {
  const found = nodes.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
};
const address = (name: (typeof NAMES)[number]) => network.addressOf(name);

async function open(opener: TestNode, partner: Address): Promise<void> {
  const { token } = network;
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const opened = opener.openChannel({ token, partner, totalDeposit: DEPOSIT, ...timeouts });
  good(await network.whileMining(opened));
}

/** alice to dave, unless told otherwise. */
const ask = (
  value: bigint,
  more: Partial<{ from: Address; to: Address; max_paths: bigint }> = {},
) =>
  service.paths(network.tokenNetwork, {
    from: address('alice'),
    to: address('dave'),
    value,
    ...more,
  });

/** An announcement for the first channel, between alice and bob, that the service must not believe. */
function capacityOf(changes: Partial<ServiceMessage & { type: 'PFSCapacityUpdate' }>) {
  return {
    type: 'PFSCapacityUpdate',
    chainId: network.chain.chainId,
    tokenNetwork: network.tokenNetwork,
    channelId: 1n,
    updatingParticipant: address('alice'),
    otherParticipant: address('bob'),
    updatingNonce: 50n,
    otherNonce: 50n,
    updatingCapacity: 0n,
    otherCapacity: 0n,
    revealTimeout: 10n,
    ...changes,
  } as const;
}

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: TERMS } } });
  service = await openService(network, folder);
  for (const name of NAMES) {
    await network.fund(name, 100n * TOKENS);
    nodes.set(name, await network.start(name));
  }
  await open(node('alice'), address('bob'));
  await open(node('bob'), address('carol'));
  await open(node('carol'), address('dave'));
  await until(async () => (await ask(1n)).code === null, 'the service knows a way to dave');
});
afterAll(async () => {
  await service.stop();
  await network.stop();
  remove();
});

describe('a path-finding service', () => {
  it('learns what nodes announced before it was started', async () => {
    const late = serviceFolder();
    const newcomer = await openService(network, late.folder);
    const request = { from: address('alice'), to: address('dave'), value: 1n };
    const answer = () => newcomer.paths(network.tokenNetwork, request);
    await until(async () => (await answer()).code === null, 'the newcomer knows a way to dave');
    await newcomer.stop();
    late.remove();
  });

  it('finds the way that nodes announced, and its fees to the unit', async () => {
    const { paths } = await ask(TOKENS);
    const path = NAMES.map(address);
    expect(paths).toEqual([{ path, fee: 2n * FLAT }]);
    expect((await ask(DEPOSIT)).code).toBe(2201);
    expect((await ask(DEPOSIT - 2n * FLAT)).paths).toEqual([{ path, fee: 2n * FLAT }]);
  });

  it('lets nodes that ask it pay over its ways', async () => {
    const { token, start } = network;
    await node('alice').stop();
    const settings = { routingMode: 'pfs', pathfindingServiceAddress: service.url } as const;
    nodes.set('alice', await start('alice', { settings }));
    const order = { token, target: address('dave'), amount: TOKENS, routes: null };
    const unset = { paymentId: null, secret: null, secrethash: null, lockTimeout: null };
    expect(await node('alice').pay({ ...order, ...unset })).toMatchObject({ ok: true });
    const left = DEPOSIT - TOKENS - 2n * FLAT;
    await until(async () => (await ask(left)).code !== null, 'less is left of the way');
    // Before the payment there was nothing to send on the way back.
    const back = { from: address('dave'), to: address('alice') };
    await until(async () => (await ask(TOKENS / 2n, back)).code === null, 'there is a way back');
  });

  it('suggests partners by the token and by its network, the best first', async () => {
    const byNetwork = await service.call(`/${network.tokenNetwork}/suggest_partner`);
    const byToken = await service.call(`/${network.token.toLowerCase()}/suggest_partner`);
    expect(byToken).toEqual(byNetwork);
    const list = Object.values(byNetwork.body).map((one) => Object(one));
    expect(list).toHaveLength(4);
    expect(list.map(({ score }) => Number(score))).toEqual(
      list.map(({ score }) => Number(score)).sort((a, b) => b - a),
    );
    expect(Object.keys(list[0]).sort()).toEqual(
      ['address', 'capacity', 'centrality', 'score', 'uptime'].sort(),
    );
    expect([address('bob'), address('carol')]).toContain(list[0].address);
  });

  it('says who is paid, on which chain it works, and which nodes are online', async () => {
    const { body } = await service.call('/info');
    expect(body).toMatchObject({
      price_info: 0n,
      payment_address: signerOf(8).address,
      network_info: {
        chain_id: 31_337n,
        token_network_registry_address: network.contracts.tokenNetworkRegistryAddress,
        user_deposit_address: network.contracts.userDepositAddress,
        service_token_address: network.contracts.serviceTokenAddress,
      },
    });
    const { body: online } = await service.call('/online_addresses');
    expect(Object.values(online)).toEqual(expect.arrayContaining(NAMES.map(address)));
  });

  it('ignores announcements in the name of another node, of another chain, or with old nonces', async () => {
    const stranger = network.bus.connect(signerOf(7).address);
    const forged = capacityOf({});
    announce(stranger, signerOf(7), forged);
    announce(stranger, signerOf(3), capacityOf({ updatingParticipant: address('carol') }));
    announce(stranger, signerOf(1), capacityOf({ chainId: 5n }));
    announce(stranger, signerOf(1), capacityOf({ updatingNonce: 0n, otherNonce: 0n }));
    // Dave's own announcement is sent last and counts: once it has, the service has read those before it.
    announce(stranger, signerOf(4), {
      ...capacityOf({ channelId: 3n, updatingNonce: 90n, otherNonce: 90n }),
      updatingParticipant: address('dave'),
      otherParticipant: address('carol'),
    });
    await until(async () => (await ask(1n)).code === 2201, 'dave takes nothing any more');
    expect((await ask(TOKENS, { to: address('carol') })).code).toBeNull();
    await stranger.close();
  });

  it('knows after a restart what it knew before, without any new announcement', async () => {
    const before = await ask(TOKENS, { to: address('carol') });
    await service.stop();
    service = await openService({ ...network, bus: silent(network.bus) }, folder);
    expect((await ask(TOKENS, { to: address('carol') })).paths).toEqual(before.paths);
    expect((await ask(1n)).code).toBe(2201);
    await service.stop();
    service = await openService(network, folder);
  });

  it('does not lead over a channel that is closed', async () => {
    const { token } = network;
    const toBob = { to: address('bob') };
    expect((await ask(TOKENS, toBob)).code).toBeNull();
    good(await network.whileMining(node('bob').close(token, address('alice'))));
    await until(async () => (await ask(TOKENS, toBob)).code === 2201, 'the way is gone');
    expect(service.faults).toEqual([]);
    expect([...nodes.values()].flatMap(({ failures }) => failures)).toEqual([]);
  });
});

/** The same network, on which the service hears nobody. */
function silent(bus: VirtualNetwork['bus']): VirtualNetwork['bus'] {
  return {
    ...bus,
    connect: (own) => ({ ...bus.connect(own), onBroadcast() {} }),
  };
}
