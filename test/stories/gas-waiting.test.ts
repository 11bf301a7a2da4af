/** What is not worth its gas is left lying: the API lists it, and it is done when the operator asks for that. */
import { afterEach, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { createApp } from '../../src/http/app.ts';
import { type GasWorld, SHORT, startGasWorld } from '../support/gas-attack.ts';
import { startTheft } from '../support/gas-theft.ts';
import { until } from '../support/until.ts';
import { call } from '../unit/http/client.ts';

const SETTLE_TIMEOUT = 20n;
/** Blocks in which a node would do all that it ever does. */
const LONG = 30n;
const PATH = '/waiting_transactions';

let world: GasWorld;
afterEach(() => world.network.stop());

it('a settlement over dust waits, is listed with its reason, and is mined when the operator orders it', async () => {
  const tokenValues = new Map<Address, bigint>();
  world = startGasWorld(SHORT, { tokenValues });
  const { network, ordinary } = world;
  tokenValues.set(network.token, 10n ** 15n);
  const { bob, knows } = await startTheft(world);
  const app = createApp({ node: bob() });
  const terms = { of: ordinary, count: 1, settleTimeout: SETTLE_TIMEOUT, given: 1n };
  const strangers = world.open(bob().ownAddress, terms);
  await network.mine(3n);
  await knows(3);
  world.close(strangers, bob().ownAddress);
  await network.mine(SETTLE_TIMEOUT);
  await world.mine(LONG);

  const [stranger] = strangers;
  const json = { token_address: ordinary.token, partner_address: stranger?.signer.address };
  const channel = { ...json, channel_identifier: String(stranger?.channelId) };
  const listed = [{ transaction: 'settle', reason: 'not worth its gas', ...channel }];
  expect((await call(app, { path: PATH })).body).toEqual(listed);
  const { inspection } = bob();
  const why = inspection.actors.ids().map((id) => inspection.whyWaits(id, 'tx.settle'));
  expect(why.filter((one) => one !== null)).toEqual(['not worth its gas']);
  const before = await network.tokensOf('bob');

  const order = { method: 'POST', path: PATH, json };
  expect(await call(app, order)).toMatchObject({ status: 200, body: listed });
  expect((await call(app, { path: PATH })).body).toEqual([]);
  expect(await call(app, order)).toMatchObject({ status: 404, body: { code: 'nothing_waits' } });
  await network.whileMining(
    until(async () => (await network.tokensOf('bob')) === before + 1n, 'bob has its unit'),
  );
}, 60_000);
