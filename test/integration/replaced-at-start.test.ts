/** A node starts on an endpoint that has replaced confirmed blocks and is slow to tell of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenNode } from '../../src/host/node-config.ts';
import { anvilCall } from '../support/chain.ts';
import { lastingNode } from '../support/lasting.ts';
import { good, type RealNetwork, startNetwork, TOKENS } from '../support/network.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

let network: RealNetwork;
let proxy: RpcProxy;
let place: ReturnType<typeof lastingNode>;
let thief: ReturnType<typeof lastingNode>;
let bob: OpenNode;

beforeAll(async () => {
  network = await startNetwork();
  proxy = await startRpcProxy(network.anvil.rpc);
  place = lastingNode(network, 'bob', { choices: { rpcUrl: proxy.rpc } });
  await network.fund('carol', 100n * TOKENS);
  thief = lastingNode(network, 'carol', { choices: { rpcUrl: proxy.rpc } });
  const { node: carol } = await thief.open();
  bob = await place.open();
  await network.whileMining(until(() => bob.status().status === 'ready', 'bob is ready'));
  const before = await network.chain.client.getBlockNumber();
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: bob.address, totalDeposit: 10n * TOKENS };
  good(await network.whileMining(carol.openChannel({ ...request, ...timeouts })));
  const carols = () => bob.node.channel(network.token, network.addressOf('carol'));
  await network.whileMining(until(() => carols() !== null, 'bob sees the channel'));
  // All that is confirmed is read.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await place.stop();
  await thief.stop();
  const depth = Number((await network.chain.client.getBlockNumber()) - before);
  await anvilCall(network.chain, 'anvil_reorg', depth, []);
});
afterAll(async () => {
  proxy?.setRule(null);
  await place?.end();
  await thief?.end();
  await proxy?.stop();
  await network?.stop();
});

it('takes no calls before it knows whether its last block is still there', async () => {
  const head = await network.chain.client.getBlockNumber();
  let isStarted = false;
  let asked = 0;
  let letGo = () => {};
  const going = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  proxy.setRule(async ({ method, params }, forward) => {
    const number = String(params[0]);
    const isRecent =
      method === 'eth_getBlockByNumber' &&
      /^0x/.test(number) &&
      BigInt(number) > 0n &&
      BigInt(number) > head - 30n;
    if (!isRecent) return forward();
    // At its start a node asks for it, too: then it is told of a failure.
    if (!isStarted) return { error: { code: -32000, message: 'header not found' } };
    asked += 1;
    await going;
    return forward();
  });
  const opening = place.open();
  await until(() => proxy.calls.some(({ method }) => method === 'eth_getBlockByNumber'));
  bob = await opening;
  isStarted = true;
  const said: string[] = [];
  await until(async () => {
    said.push(`${(await fetch(`${bob.apiUrl}/readyz`)).status}`);
    return asked > 0;
  }, 'bob asks for his last block');
  for (let at = 0; at < 20; at++) {
    said.push(`${(await fetch(`${bob.apiUrl}/readyz`)).status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // Carol's channel was never opened on this chain: what she pays in it is worth nothing.
  isStarted = false;
  const { node: carol } = await thief.open();
  isStarted = true;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const order = { token: network.token, target: bob.address, amount: 3n * TOKENS };
  const rest = { paymentId: null, secret: null, secrethash: null, lockTimeout: null, routes: null };
  const paid = await Promise.race([
    carol.pay({ ...order, ...rest }).catch(() => null),
    new Promise<null>((resolve) => setTimeout(() => resolve(null), 5_000)),
  ]);
  letGo();
  expect(paid?.ok ?? false).toBe(false);
  expect(said).not.toContain('200');
});
