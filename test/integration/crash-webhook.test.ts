/** kill -9 of a node while a receiver is told what happened: nothing is lost, nothing is out of order. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { type Answer, refused, startReceiver, taken } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const SECRET = 'c0ffee'.repeat(8);

let world: World;
/** How the receiver answers now. */
let answer: Answer = refused(503);
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let alice: NodeProcess;
let bob: NodeProcess;

beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver([(call, response) => answer(call, response)]);
  [alice, bob] = await Promise.all([startAlice(), world.start('bob', { isHere: true })]);
  await world.fund(alice.address, TOKENS);
});
afterAll(async () => {
  receiver?.stop();
  await world?.stop();
});

function startAlice(): Promise<NodeProcess> {
  const file = join(world.folder, 'webhook-secret');
  writeFileSync(file, SECRET, { mode: 0o600 });
  return world.start('alice', {
    options: { webhook: receiver.url, 'webhook-secret-file': file },
  });
}

const pay = async () => {
  const paid = await alice.api.post(`/payments/${world.token}/${bob.address}`, { amount: '1' });
  expect(paid.status).toBe(200);
};
const typeIn = (body: string): string => JSON.parse(body).type;
/** How many payments the receiver has heard of. */
const payments = () =>
  new Set(receiver.calls.filter(({ body }) => typeIn(body) === 'payment').map(({ id }) => id)).size;

it('a receiver hears of everything once in order, repetitions aside, over two deaths of the node', async () => {
  const request = {
    token_address: world.token,
    partner_address: bob.address,
    total_deposit: '100',
  };
  const opened = await world.whileMining(alice.api.put('/channels', request));
  expect(opened.status).toBe(201);
  const partner = async () => (await bob.api.channel(world.token, alice.address)) !== undefined;
  await world.whileMining(until(partner, 'bob sees the channel'));
  await until(() => receiver.calls.length > 1, 'a second try');
  answer = taken;
  for (const deaths of [1, 2]) {
    await pay();
    await until(() => payments() === 2 * deaths - 1, 'the payment is told');
    answer = () => {};
    await pay();
    await until(() => payments() === 2 * deaths, 'the receiver is silent');
    await alice.kill();
    answer = taken;
    alice = await startAlice();
  }
  await pay();
  await until(() => payments() === 5, 'everything is told');
  // Only events that were not acknowledged come again, and before any newer one: so nothing is missing.
  const ids = receiver.ids();
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const [first = 0, last = 0] = [ids.at(0), ids.at(-1)];
  expect(new Set(ids).size).toBe(last - first + 1);
  const channel = receiver.calls.filter(({ body }) => typeIn(body) === 'channel');
  expect(new Set(channel.map(({ id }) => id)).size).toBe(2);
  const output = alice.output.join();
  expect(output).not.toContain(SECRET);
  expect(output).not.toContain('hidden');
});
