/** A channel that is being opened: until its block is confirmed it is in no list of channels. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { listedActor } from '../../src/inspector/actor-list.ts';
import { anvilCall } from '../support/chain.ts';
import {
  startVirtualNetwork,
  type TestNode,
  TOKENS,
  type VirtualNetwork,
} from '../support/network.ts';
import { until } from '../support/until.ts';
import { call } from '../unit/http/client.ts';

let network: VirtualNetwork;
let alice: TestNode;
/** It takes one call at a time. */
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 100n * TOKENS);
  await start();
});
async function start() {
  alice = await network.start('alice');
  app = createApp({ node: alice });
}
afterAll(() => network?.stop());

const pending = async () => (await call(app, { path: '/pending_channels' })).body;
const isSent = async () => {
  const answer = Object(await anvilCall(network.chain, 'txpool_status'));
  return answer.pending === '0x1';
};
const stateOfNetwork = () => {
  const id = `tokenNetwork:${network.token}`;
  const state = alice.inspection.actors.stateOf(id);
  return state === null ? null : listedActor(id, state).state;
};

it('is shown as one that is being opened, also after a restart, until it is among the others', async () => {
  const partner = network.addressOf('bob');
  const shown = {
    token_address: network.token,
    partner_address: partner,
    total_deposit: `${7n * TOKENS}`,
    reveal_timeout: '12',
  };
  await anvilCall(network.chain, 'evm_setAutomine', false);
  void call(app, { method: 'PUT', path: '/channels', json: shown });
  await until(isSent, 'the first transaction is sent');
  expect(await pending()).toEqual([shown]);
  expect(alice.channels({ token: null })).toEqual([]);
  expect(stateOfNetwork()).toBe('registered.opening');

  await alice.stop();
  await start();
  expect(await pending()).toEqual([shown]);

  await anvilCall(network.chain, 'evm_setAutomine', true);
  const isOpen = () => alice.channel(network.token, partner) !== null;
  await network.whileMining(until(isOpen, 'the channel is open'));
  expect(await pending()).toEqual([]);
  await network.whileMining(
    until(() => stateOfNetwork() === 'registered.idle', 'the opening is over'),
  );
});
