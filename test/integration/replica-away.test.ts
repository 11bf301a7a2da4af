/** A stream that is away for a while: what callers are told, what goes on, and that it comes back by itself. */

import { connect } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { notOnceIn, startCallers } from '../support/callers.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  createStream,
  expectWhole,
  launchMachine,
  launchStandby,
  REPLICATED,
  STREAM,
  whenFollowing,
} from '../support/replicated.ts';
import { until } from '../support/until.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

let world: World;
let pair: Pair;
let tap: Wiretap;
let alice: NodeProcess;
let standby: NodeProcess;
let paid: bigint[] = [];

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  await createStream(world);
  pair = await startPair(world, 100_000n, REPLICATED, {});
  await pair.open();
  tap = await tapWire(world);
  alice = pair.nodes.alice;
  standby = await launchStandby(world, 'second', { 'takeover-after': '3' }, { isHere: true });
  await whenFollowing(world, standby);
});
afterAll(async () => {
  await tap?.stop();
  await world?.stop();
});

async function readyz(node: NodeProcess) {
  const answer = await fetch(`${node.api.url}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

it('answers 503 while the stream is away, and comes back by itself with every payment', async () => {
  const { token } = world;
  const api = () => alice.api.url;
  const paying = startCallers({ count: 64, token, payee: pair.address.bob, api });
  try {
    await paying.makeMore(100);
    const startAgain = await world.killBroker();
    const isAway = async () => (await readyz(alice)).status === 503;
    await until(isAway, 'the node is not ready');
    const [asked, ordered] = [await alice.api.get('/payments'), await pair.pay('alice', 1n)];
    for (const { status, body } of [asked, ordered])
      expect({ status, text: JSON.stringify(body) }).toMatchObject({
        status: 503,
        text: expect.stringContaining('replica_unavailable'),
      });
    await startAgain();
    await paying.makeMore(100);
    expect(await readyz(alice)).toMatchObject({ status: 200 });
  } finally {
    await paying.stop();
  }
  paid = [...paid, ...paying.paid()];
  expect(standby.isReady()).toBe(false);
  await expectWhole({ world, survivor: alice, partner: pair.nodes.bob, paid, tap });
}, 90_000);

it('registers a secret in time while the stream is away', async () => {
  await pair.meet();
  const { token } = world;
  // Alice knows the secret, and bob is gone: only the chain can save what he has locked for her.
  pair.nodes.bob.dieAt('receive.before:2');
  await expect(
    pair.nodes.bob.api.post(`/payments/${token}/${alice.address}`, {
      amount: '5',
      identifier: '777777',
    }),
  ).rejects.toThrow();
  await pair.nodes.bob.ended;
  const startAgain = await world.killBroker();
  const isAway = async () => (await readyz(alice)).status === 503;
  await until(isAway, 'the stream is away');
  const isSaved = async () => (await world.secrets()).length > 0;
  await world.whileMining(until(isSaved, 'the secret is on chain'));
  expect(await readyz(alice)).toMatchObject({ status: 503 });
  await startAgain();
  await pair.restart('bob', {});
  const isReady = async () => (await readyz(alice)).status === 200;
  await world.whileMining(until(isReady, 'the stream is back'));
  const isPaid = async () => notOnceIn(await alice.api.history(), [777_777n]).length === 0;
  await world.whileMining(until(isPaid, 'alice is paid'));
  await world.whileMining(until(pair.isQuiet, 'nothing is on its way'));
  pair.expectMirrored();
  expect(tap.conflicts()).toEqual([]);
}, 90_000);

it('goes on without the stream in the mode async, and says so', async () => {
  await standby.stop();
  await alice.stop();
  alice = await launchMachine(world, 'alice', {
    isHere: true,
    options: { 'replicate-mode': 'async' },
  });
  await alice.ready();
  await pay();
  const connection = await connect({ servers: world.natsUrl.replace('nats://', '') });
  await (await connection.jetstreamManager()).streams.delete(STREAM);
  await connection.close();
  await pay();
  const isSaid = async () => (await readyz(alice)).text.includes('goes on without it');
  await until(isSaid, 'the node says that its stream is away');
  expect(await readyz(alice)).toMatchObject({ status: 200 });
  for (let paid = 0; paid < 5; paid++) await pay();
}, 60_000);

async function pay(): Promise<void> {
  const path = `/payments/${world.token}/${pair.address.bob}`;
  expect(await alice.api.post(path, { amount: '1' })).toMatchObject({ status: 200 });
}
