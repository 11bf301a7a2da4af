/** What the operator and callers hear of a broker that is away. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
let bringBack: (() => Promise<void>) | null = null;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 1_000n);
  await pair.open();
});
afterAll(async () => {
  await bringBack?.();
  await world?.stop();
});

const ask = (path: string) => fetch(`${pair.nodes.alice.api.url}${path}`);
const readyz = async () => (await ask('/readyz')).text();
const metrics = async () => (await ask('/metrics')).text();
const says = (text: string) => pair.nodes.alice.output.some((line) => line.includes(text));
const notified = async () =>
  JSON.stringify((await pair.nodes.alice.api.ask({ path: '/notifications' })).body);
const pay = () =>
  pair.nodes.alice.api.ask({
    method: 'POST',
    path: `/payments/${world.token}/${pair.address.bob}`,
    json: { amount: '1' },
  });

it('a node whose broker is away says so in the log, at /readyz, in metrics and notifications, and refuses payments', async () => {
  expect(await readyz()).not.toContain('broker');
  expect(await metrics()).toContain('pcn_broker_connected 1');
  bringBack = await world.killBroker();
  await until(async () => (await readyz()).includes('The message broker is away'), 'it shows');
  expect(await metrics()).toContain('pcn_broker_connected 0');
  expect(await notified()).toContain('broker_unavailable');
  expect(says('the message broker is away')).toBe(true);
  const refused = await pay();
  expect(refused).toMatchObject({
    status: 503,
    body: { errors: 'The message broker cannot be reached.', code: 'broker_unavailable' },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await pair.nodes.alice.api.history()).toEqual([]);
});

it('a node whose broker is back says so, and pays again', async () => {
  await bringBack?.();
  bringBack = null;
  await until(async () => (await pay()).status === 200, 'a payment');
  await until(() => says('the message broker is back'), 'the log');
  // What it warns of is looked up once a second.
  await until(async () => !(await readyz()).includes('broker'), 'it shows no more');
  expect(await metrics()).toContain('pcn_broker_connected 1');
});
