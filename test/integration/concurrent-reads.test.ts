/** Queries while a payment waits for a partner that sleeps. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld();
  const options = { 'api-concurrency': '1', 'concurrent-reads': [] };
  pair = await startPair(world, 1_000n, { options, isHere: true }, {});
  await pair.open();
});
afterAll(() => world?.stop());

it('queries are answered at once with --concurrent-reads, and show the payment that is under way', async () => {
  const { alice, bob } = pair.nodes;
  bob.pause();
  try {
    let isOver = false;
    const path = `/payments/${world.token}/${bob.address}`;
    const payment = alice.api
      .ask({ method: 'POST', path, json: { amount: '7', identifier: '42' } })
      .finally(() => {
        isOver = true;
      });
    const pending = () => alice.api.ask({ path: '/pending_transfers' });
    await until(async () => JSON.stringify((await pending()).body).includes('"42"'), 'it shows');
    expect(await pending()).toMatchObject({
      status: 200,
      body: [{ payment_identifier: '42', role: 'initiator', locked_amount: '7' }],
    });
    expect((await alice.api.ask({ path: '/channels' })).status).toBe(200);
    expect(isOver).toBe(false);
    bob.resume();
    expect((await payment).status).toBe(200);
    expect((await pending()).body).toEqual([]);
  } finally {
    bob.resume();
  }
});
