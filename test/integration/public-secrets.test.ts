import { afterAll, beforeAll, expect, it } from 'vitest';
import { secretRegistryAbi } from '../../src/chain/abi.ts';
import { hasEnded } from '../../src/node/runtime/secrethashes.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { connect } from '../../src/store/connection.ts';
import { secretOf } from '../support/makers.ts';
import { type Network, startNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;

beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network.stop());

const PUBLIC = secretOf(1);

async function register() {
  const { clients, contracts } = network;
  const hash = await clients.wallet.writeContract({
    address: contracts.secretRegistryAddress,
    abi: secretRegistryAbi,
    functionName: 'registerSecret',
    args: [PUBLIC],
  });
  await network.chain.client.waitForTransactionReceipt({ hash });
  await network.mine(network.settings.confirmations);
}

async function runOnce() {
  const node = await network.start('bob');
  await until(hasRead, 'bob has read what was registered before');
  await node.stop();
}

function hasRead() {
  const { client } = connect(network.databaseOf('bob'));
  const row = client.prepare("SELECT value FROM meta WHERE key = 'secretsRead'").get();
  client.close();
  return row !== undefined;
}

/** Whether bob, from what is in its database, would pass nothing on that is locked with the secret. */
async function isRefused() {
  const { store, connection } = await network.parts('bob');
  connection.stop();
  const id = `mediator:${secrethashOf(PUBLIC)}`;
  const answer = hasEnded(store, id);
  store.close();
  return answer;
}

/** What a version before this one left: it followed the chain, and noted no secret. */
function forgetSecrets() {
  const { client } = connect(network.databaseOf('bob'));
  client.exec("DELETE FROM ended; DELETE FROM meta WHERE key = 'secretsRead'");
  client.close();
}

it('nothing is passed on with a secret that is public, whichever version followed the chain', async () => {
  await runOnce();
  expect(await isRefused()).toBe(false);
  await register();
  await runOnce();
  expect(await isRefused()).toBe(true);
  forgetSecrets();
  expect(await isRefused()).toBe(false);
  await runOnce();
  expect(await isRefused()).toBe(true);
});
