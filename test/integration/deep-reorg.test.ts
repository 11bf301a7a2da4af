/** What a node does when the chain replaces more blocks than count as confirmed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import type { OpenNode } from '../../src/host/node-config.ts';
import { closingDigest, EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { anvilAccount, anvilCall, clientsFor } from '../support/chain.ts';
import { lastingNode } from '../support/lasting.ts';
import { good, type RealNetwork, startNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: RealNetwork;
let place: ReturnType<typeof lastingNode>;
let bob: OpenNode;
let alice: TestNode;

const bobs = (name: string) => bob.node.channel(network.token, network.addressOf(name));
const api = (path: string, request: RequestInit = {}) => fetch(`${bob.apiUrl}${path}`, request);
const isReady = () => bob.status().status === 'ready';

async function open(from: TestNode, totalDeposit: bigint) {
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: bob.address, totalDeposit };
  good(await network.whileMining(from.openChannel({ ...request, ...timeouts })));
  await until(() => bobs(from.name) !== null, `bob sees the channel with ${from.name}`);
}

async function pay(from: TestNode, amount: bigint) {
  const rest = { paymentId: null, secret: null, secrethash: null, lockTimeout: null, routes: null };
  await until(() => isReady() && from.status().status === 'ready', 'both see the chain as it is');
  return from.pay({ token: network.token, target: bob.address, amount, ...rest });
}

/** The name's side of the channel of this number says that it holds nothing of bob's, and was paid nothing. */
async function closeWithNothing(name: string, channelId: bigint) {
  const { tokenNetwork, chain, anvil } = network;
  const proof = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
  const at = { chainId: chain.chainId, tokenNetwork, channelId };
  const closer = network.addressOf(name);
  const signature = network
    .signerOf(name)
    .sign(closingDigest({ ...at, ...proof }, EMPTY_SIGNATURE));
  const index = ['alice', 'bob', 'carol'].indexOf(name) + 1;
  const { wallet } = clientsFor(anvil.rpc, chain, anvilAccount(index));
  await wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'closeChannel',
    // biome-ignore format: as the contract lists them
    args: [channelId, bob.address, closer, ZERO_HASH, 0n, ZERO_HASH, EMPTY_SIGNATURE, signature],
  });
}

/** The nonce of what the contract holds of the name's side. */
async function proofOf(name: string, channelId: bigint): Promise<bigint> {
  const info = await network.chain.client.readContract({
    address: network.tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'getChannelParticipantInfo',
    args: [channelId, network.addressOf(name), bob.address],
  });
  return info[4];
}

const head = () => network.chain.client.getBlockNumber();

beforeAll(async () => {
  network = await startNetwork();
  place = lastingNode(network, 'bob');
  for (const name of ['alice', 'carol', 'dave']) await network.fund(name, 100n * TOKENS);
  alice = await network.start('alice');
  const carol = await network.start('carol');
  const dave = await network.start('dave');
  bob = await place.open();
  await until(isReady, 'bob is ready');
  await open(alice, 10n * TOKENS);
  good(await pay(alice, 4n * TOKENS));
  await open(dave, 10n * TOKENS);
  await until(() => bobs('alice')?.balance === 4n * TOKENS, 'bob is paid');
  await dave.stop();
  const before = await head();
  await open(carol, 10n * TOKENS);
  good(await pay(carol, 3n * TOKENS));
  await until(() => bobs('carol')?.balance === 3n * TOKENS, 'bob is paid');
  for (const node of [alice, carol]) await node.stop();
  // Carol's channel is gone, the others are not. Others' transactions take the place of hers.
  const depth = Number((await head()) - before);
  expect(depth).toBeGreaterThan(Number(network.settings.confirmations));
  await anvilCall(network.chain, 'anvil_reorg', depth, []);
});
afterAll(async () => {
  await place?.end();
  await network?.stop();
});

describe('a node under which confirmed blocks were replaced', () => {
  it('goes on in the same process, takes no calls, and says why and what to do', async () => {
    await until(() => place.code() !== null, 'bob has begun again');
    const reason = () => JSON.stringify(bob.status());
    await until(() => reason().includes('--accept-chain'), 'the reason is told');
    expect(bob.status().status).toBe('unavailable');
    const ready = await api('/readyz');
    expect(ready.status).toBe(503);
    const told = await ready.text();
    expect(told).toContain('The node is in safe mode. The chain replaced the blocks');
    expect(told).toContain(`--accept-chain ${place.code()}`);
    const call = await api(`/api/v1/channels/${network.token}`);
    expect(call.status).toBe(503);
    expect(place.failures).toEqual([]);
  });

  it('still wants the same code after a restart, and takes no other', async () => {
    const code = place.code();
    await place.stop();
    bob = await place.open('00000000');
    expect(bob.status().status).toBe('unavailable');
    expect(place.code()).toBe(code);
  });

  it('brings its newest proof when a partner closes with an old one', async () => {
    // Alice's close says that she has paid nothing.
    await closeWithNothing('alice', 1n);
    await network.mine(3n);
    await until(async () => (await proofOf('alice', 1n)) > 0n, 'the proof is on chain');
    const before = await network.tokensOf('bob');
    await network.whileMining(
      until(async () => (await network.tokensOf('bob')) > before, 'the channel is settled'),
    );
    expect((await network.tokensOf('bob')) - before).toBe(4n * TOKENS);
  });

  it('works again once its code is given; a lost channel can only be closed', async () => {
    const code = place.code();
    await place.stop();
    bob = await place.open(code);
    await network.whileMining(until(isReady, 'bob is ready'));
    const dave = await network.start('dave');
    good(await pay(dave, 2n * TOKENS));
    await until(() => bobs('dave')?.balance === 2n * TOKENS, 'bob is paid');
    expect(bobs('carol')).toMatchObject({ totalDeposit: 0n, balance: 0n });
    const rest = {
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: null,
    };
    const carol = { token: network.token, target: network.addressOf('carol'), amount: 1n };
    expect(await bob.node.pay({ ...carol, ...rest })).toMatchObject({ ok: false });
    expect(place.failures).toEqual([]);
  });

  it('starts without a code from then on', async () => {
    await place.stop();
    bob = await place.open();
    await network.whileMining(until(isReady, 'bob is ready'));
  });
});
