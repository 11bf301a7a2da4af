/** An API token that may pay so much in a day: whatever its holder tries, and whenever the node dies. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const SHOP = 'shop-0123456789abcdef';
const ADMIN = 'admin-0123456789abcdef';

let world: World;
let pair: Pair;

const limited = () => {
  const file = join(world.folder, 'tokens');
  writeFileSync(file, `${SHOP} pay daily 100\n${ADMIN}\n`, { mode: 0o600 });
  return { options: { 'api-token-file': file } };
};
beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n, { isHere: true }, {});
  await pair.open();
  await pair.nodes.alice.stop();
  await pair.restart('alice', limited());
});
afterAll(() => world?.stop());

async function pay(amount: bigint, { token = SHOP, more = {} } = {}) {
  return pair.nodes.alice.api.ask({
    method: 'POST',
    path: `/payments/${world.token}/${pair.address.bob}`,
    json: { amount: String(amount), ...more },
    headers: { authorization: `Bearer ${token}` },
  });
}
const statuses = async (amounts: readonly bigint[]) =>
  (await Promise.all(amounts.map((amount) => pay(amount)))).map(({ status }) => status).sort();
const heldBack = (left: bigint) => ({
  status: 403,
  body: { errors: expect.stringContaining(`Of 100 in any 24 hours, ${left} are left.`) },
});

it('an API token pays what is left of its daily budget, also when calls come at the same time', async () => {
  expect(await statuses([30n, 30n, 30n, 30n, 30n])).toEqual([200, 200, 200, 403, 403]);
  expect(await pay(11n)).toMatchObject(heldBack(10n));
});

it('an API token gets back the budget of payments that failed', async () => {
  const failed = await pay(10n, { more: { paths: [{ path: [pair.address.alice] }] } });
  expect(failed.status).toBeGreaterThanOrEqual(400);
  const deaf = pair.nodes.bob;
  deaf.pause();
  const waiting = pay(10n, { more: { lock_timeout: '21' } });
  await until(async () => (await pay(1n)).status === 403, 'the payment on its way counts');
  const lost = await world.whileMining(waiting);
  deaf.resume();
  expect(lost.status).toBe(409);
  expect((await pay(11n)).body).toMatchObject(heldBack(10n).body);
});

it('an API token has as much of its budget left when the node dies and is started again', async () => {
  expect((await pay(6n)).status).toBe(200);
  await pair.nodes.alice.kill();
  await pair.restart('alice', limited());
  expect(await pay(5n)).toMatchObject(heldBack(4n));
  expect((await pay(4n)).status).toBe(200);
});

it('an API token without any budget left keeps no other token from paying', async () => {
  expect((await pay(1n)).status).toBe(403);
  expect((await pay(500n, { token: ADMIN })).status).toBe(200);
});
