/** More callers at a time than a channel has locks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const CALLERS = 2 * MAX_PENDING_LOCKS;

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld();
  const options = { 'api-concurrency': String(CALLERS), 'api-queue-seconds': '600' };
  pair = await startPair(world, 1_000n, { options, isHere: true }, {});
  await pair.open();
});
afterAll(() => world?.stop());

it('all are paid for, each as soon as a lock is free, and none fails for want of one', async () => {
  const { alice, bob } = pair.nodes;
  const path = `/payments/${world.token}/${bob.address}`;
  const figure = async (line: string) => {
    const page = await (await fetch(`${alice.api.url}/metrics`)).text();
    return Number(
      page
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.split(' ')[1],
    );
  };
  const left = async () =>
    CALLERS -
    (await figure('pcn_locks_pending{role="initiator"}')) -
    (await figure('pcn_api_queue_depth'));
  bob.pause();
  try {
    const calls = Array.from({ length: CALLERS }, () => alice.api.post(path, { amount: '1' }));
    await until(async () => (await left()) === 0, 'every payment has a lock or waits for one');
    expect(await figure('pcn_api_queue_depth')).toBe(MAX_PENDING_LOCKS);
    expect((await alice.api.ask({ path: '/channels' })).status).toBe(200);
    bob.resume();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(Array(CALLERS).fill(200));
    expect(await figure('pcn_payments_total{role="initiator",result="paid"}')).toBe(CALLERS);
  } finally {
    bob.resume();
  }
}, 180_000);
