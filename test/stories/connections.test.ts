/** Joining and leaving a token network, by nodes that really meet, in virtual time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/chain/abi.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { anvilCall } from '../support/chain.ts';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
  type VirtualNetwork,
} from '../support/network.ts';
import { until } from '../support/until.ts';

const WEALTH = 1_000n * TOKENS;
const FUNDS = 100n * TOKENS;
const SHARE = 20n * TOKENS;
const SETTLE_TIMEOUT = 40n;

let network: VirtualNetwork;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
let dave: TestNode;
let erin: TestNode;
let suggested: unknown = [];
const asked: string[] = [];

beforeAll(async () => {
  network = startVirtualNetwork();
  const names = ['alice', 'bob', 'carol', 'dave', 'erin'];
  for (const name of names) await network.fund(name, WEALTH);
  // Erin takes part, but is not there.
  await openOnChain('bob', 'carol');
  await openOnChain('dave', 'erin');
  await network.mine(2n);
  [alice, bob, carol, dave] = await Promise.all([
    network.start('alice'),
    network.start('bob'),
    network.start('carol'),
    network.start('dave'),
  ]);
});
afterAll(async () => {
  for (const { name, failures } of [alice, bob, carol, dave, erin])
    expect([name, failures]).toEqual([name, []]);
  await network?.stop();
});

async function openOnChain(first: string, second: string): Promise<void> {
  const { clients, tokenNetwork, addressOf } = network;
  const hash = await clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannel',
    args: [addressOf(first), addressOf(second), SETTLE_TIMEOUT],
  });
  await confirmed(clients, hash, 'opening');
}
const payment = (target: Address, amount: bigint) => ({
  token: network.token,
  target,
  amount,
  paymentId: null,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: null,
});
const partnersOf = (views: { partner: Address }[]) => views.map(({ partner }) => partner).sort();
const addresses = (...names: string[]) => names.map(network.addressOf).sort();
const connectionOf = (node: TestNode) =>
  node.connections().find(({ token }) => token === network.token) ?? null;
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
const lost = async (name: string) => WEALTH - (await network.tokensOf(name));

describe('a join', () => {
  it.each<[string, bigint | 'unknown', string]>([
    ['a token without a network', 'unknown', 'token_not_registered'],
    ['no funds', 0n, 'invalid_amount'],
    ['more than a contract counts', 2n ** 256n, 'invalid_amount'],
    ['shares above the limit', 5_000n * TOKENS + 5n, 'above_limit'],
    ['more than the account holds', WEALTH + 1n, 'insufficient_balance'],
  ])('is refused with %s', async (_, funds, code) => {
    const refused =
      funds === 'unknown'
        ? await alice.join(network.contracts.tokenNetworkRegistryAddress, FUNDS)
        : await alice.join(network.token, funds);
    expect(refused).toMatchObject({ ok: false, code });
    expect(await lost('alice')).toBe(0n);
  });

  it('is refused before anything is opened when the gas cannot be paid', async () => {
    const account = network.addressOf('alice');
    await anvilCall(network.chain, 'anvil_setBalance', account, '0x1');
    expect(await alice.join(network.token, FUNDS)).toMatchObject({ code: 'insufficient_gas' });
    await anvilCall(network.chain, 'anvil_setBalance', account, '0x8ac7230489e80000');
    expect(connectionOf(alice)).toBeNull();
  });

  it('opens channels with nodes that are online, and leaves 40 % of the funds free', async () => {
    const [joined, twin] = await network.whileMining(
      Promise.all([alice.join(network.token, FUNDS), alice.join(network.token, FUNDS)]),
    );
    expect(partnersOf(good(joined))).toEqual(addresses('bob', 'carol', 'dave'));
    for (const view of good(joined))
      expect(view).toMatchObject({ state: 'opened', totalDeposit: SHARE, balance: SHARE });
    expect(partnersOf(good(twin))).toEqual(partnersOf(good(joined)));
    expect(connectionOf(alice)).toEqual({
      token: network.token,
      sumDeposits: 3n * SHARE,
      channels: 3,
    });
    expect(await lost('alice')).toBe(3n * SHARE);
    expect(partnersOf(alice.channels({ token: network.token }))).toHaveLength(3);
  });

  it('opens nothing when three channels already hold a share of the funds', async () => {
    expect(good(await alice.join(network.token, FUNDS))).toEqual([]);
    expect(await lost('alice')).toBe(3n * SHARE);
  });
});

describe('a channel that a partner opens after the join', () => {
  const ours = () => alice.channel(network.token, network.addressOf('erin'));

  it('gets a matching deposit', async () => {
    erin = await network.start('erin');
    const request = { token: network.token, partner: network.addressOf('alice') };
    const defaults = { settleTimeout: null, revealTimeout: null };
    const open = erin.openChannel({ ...request, totalDeposit: 7n * TOKENS, ...defaults });
    good(await network.whileMining(open));
    await network.whileMining(until(() => ours()?.totalDeposit === 7n * TOKENS, 'alice matches'));
    expect(await lost('alice')).toBe(3n * SHARE + 7n * TOKENS);
  });

  it('gets a matching deposit of at most a share, also from a node that was off when the partner deposited', async () => {
    await alice.stop();
    const deposit = erin.deposit(network.token, network.addressOf('alice'), 30n * TOKENS);
    good(await network.whileMining(deposit));
    alice = await network.start('alice');
    await network.whileMining(until(() => ours()?.totalDeposit === SHARE, 'alice matches'));
    expect(await lost('alice')).toBe(4n * SHARE);
    expect(connectionOf(alice)).toMatchObject({ sumDeposits: 4n * SHARE, channels: 4 });
  });

  it('gets nothing more when it already holds a share', async () => {
    const deposit = erin.deposit(network.token, network.addressOf('alice'), 40n * TOKENS);
    good(await network.whileMining(deposit));
    const channel = () => alice.channelEvents(network.token, network.addressOf('erin'), 0n);
    const isSeen = () => JSON.stringify([...good(channel())], asText).includes(`${40n * TOKENS}`);
    await until(isSeen, 'alice sees the deposit');
    expect(await lost('alice')).toBe(4n * SHARE);
  });
});

describe('a leave', () => {
  const leave = (node: TestNode) => node.leave(network.token);

  it('is refused for a token without a network', async () => {
    const registry = network.contracts.tokenNetworkRegistryAddress;
    expect(await alice.leave(registry)).toMatchObject({ ok: false, code: 'unknown_token' });
  });

  it('that cannot pay its gas says so, and closes nothing', async () => {
    const account = network.addressOf('alice');
    await anvilCall(network.chain, 'anvil_setBalance', account, '0x1');
    expect(await network.whileMining(alice.leave(network.token))).toMatchObject({
      ok: false,
      code: 'insufficient_gas',
    });
    for (const { partner } of alice.channels({ token: network.token }))
      await until(() => isOpen(partner), 'the channel is open again');
    await anvilCall(network.chain, 'anvil_setBalance', account, '0x8ac7230489e80000');
  });

  /** Only an open channel takes another reveal timeout. */
  const isOpen = async (partner: Address) =>
    (await alice.setRevealTimeout(network.token, partner, 10n)).ok;

  it('settles all channels of both when two leave at once, and gives everything back', async () => {
    good(await alice.pay(payment(network.addressOf('erin'), 5n * TOKENS)));
    const theirs = () => erin.channel(network.token, network.addressOf('alice'));
    await until(() => theirs()?.balance === 45n * TOKENS, 'erin is paid');
    const [left, again, erins] = await network.whileMining(
      Promise.all([leave(alice), leave(alice), leave(erin)]),
    );
    expect(partnersOf(good(left))).toEqual(addresses('bob', 'carol', 'dave', 'erin'));
    for (const view of good(left)) {
      const isErin = view.partner === network.addressOf('erin');
      const balance = SHARE - (isErin ? 5n * TOKENS : 0n);
      expect(view).toMatchObject({ state: 'closed', totalDeposit: SHARE, balance });
    }
    expect(partnersOf(good(again))).toEqual(partnersOf(good(left)));
    expect(partnersOf(good(erins))).toEqual(addresses('alice', 'dave'));
    expect(connectionOf(alice)).toBeNull();
    expect(alice.channels({ token: network.token })).toEqual([]);
    expect(await lost('alice')).toBe(5n * TOKENS);
    expect(await lost('erin')).toBe(-5n * TOKENS);
  });

  it('has nothing to do without channels', async () => {
    expect(good(await alice.leave(network.token))).toEqual([]);
  });
});

describe('a node that left', () => {
  it('joins again, with those whom the path-finding service names first', async () => {
    const pathfindingServiceAddress = await network.serve(async ({ url }) => {
      asked.push(new URL(url).pathname);
      return Response.json(suggested);
    });
    await alice.stop();
    alice = await network.start('alice', { settings: { pathfindingServiceAddress } });
    const entry = (address: string, score: number) => ({
      address,
      score,
      centrality: 1,
      uptime: 1,
    });
    suggested = [
      entry(network.contracts.tokenNetworkRegistryAddress, 9),
      entry('nobody', 8),
      ...['erin', 'dave', 'bob', 'carol'].map((name, n) => entry(network.addressOf(name), 7 - n)),
    ];
    const joined = await network.whileMining(alice.join(network.token, 50n * TOKENS));
    expect(good(joined).map(({ partner }) => partner)).toEqual(
      ['erin', 'dave', 'bob'].map(network.addressOf),
    );
    expect(asked).toEqual([`/api/v1/${network.token}/suggest_partner`]);
    expect(connectionOf(alice)).toMatchObject({ sumDeposits: 30n * TOKENS, channels: 3 });
  });
});
