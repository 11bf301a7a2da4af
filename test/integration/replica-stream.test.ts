/** Streams that somebody cut, put back, emptied, made again or wrote into: each is refused, and nothing is lost. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { connect } from 'nats';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { expectMirrored } from '../support/agreement.ts';
import { placeOf, rowsOf } from '../support/database-rows.ts';
import { readLedger } from '../support/ledger.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  createStream,
  launchMachine,
  launchStandby,
  REPLICATED,
  replica,
  STREAM,
  whenFollowing,
} from '../support/replicated.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
let alice: NodeProcess;
let standby: NodeProcess;
let isBegun = false;

/** Each test begins with a node and a standby on a stream that is whole. */
beforeEach(async () => {
  if (isBegun) return;
  isBegun = true;
  world = await startWorld({ hasStreams: true });
  await createStream(world);
  pair = await startPair(world, 100_000n, REPLICATED, { isHere: true });
  await pair.open();
  alice = pair.nodes.alice;
  standby = await launchStandby(world, 'second', {}, { isHere: true });
  await whenFollowing(world, standby);
});
afterAll(() => world?.stop());

const fileOf = (name: string) => join(world.home(name), 'node.db');

const payOne = () =>
  alice.api.post(`/payments/${world.token}/${pair.address.bob}`, { amount: '1' });

async function pay(times: number): Promise<void> {
  for (let paid = 0; paid < times; paid++) expect(await payOne()).toMatchObject({ status: 200 });
}

/** What somebody can do at the broker who has no key of the node. */
async function atBroker<T>(work: (at: Awaited<ReturnType<typeof connect>>) => Promise<T>) {
  const connection = await connect({ servers: world.natsUrl.replace('nats://', '') });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

const probe = async (path: string) => {
  const answer = await fetch(`${alice.api.url}${path}`).catch(() => null);
  return { status: answer?.status, text: (await answer?.text()) ?? '' };
};

/** Starts the node again: it guards its channels, says why and what to do, and its database stays as it was. */
async function expectGuard(pattern: RegExp): Promise<void> {
  const before = rowsOf(fileOf('alice'));
  alice = await launchMachine(world, 'alice');
  const isGuarding = async () => (await probe('/readyz')).text.includes('safe_mode');
  await until(isGuarding, 'it guards its channels');
  expect((await probe('/readyz')).text).toMatch(pattern);
  expect(await probe('/livez')).toMatchObject({ status: 200 });
  expect(rowsOf(fileOf('alice'))).toEqual(before);
}

const isSame = () => isDeepStrictEqual(rowsOf(fileOf('second')), rowsOf(fileOf('alice')));

/** The one command that everything names: the node goes on by itself, and its standby follows again. */
async function renew(): Promise<void> {
  const renewed = await replica(world, 'renew', ['--replicas', '1']);
  expect(renewed).toMatchObject({ code: 0, stderr: '' });
  expect(renewed.stdout).toMatch(/begun: process \d+ on \S+ takes calls after \d+\.\d s/);
  await pay(3);
  await whenFollowing(world, standby);
  await until(isSame, 'the standby holds what the node holds');
}

it('guards its channels when the stream was put back, and the node of the moment waits', async () => {
  await alice.stop();
  const start = await world.killBroker();
  const copy = join(world.folder, 'earlier streams');
  cpSync(world.streams, copy, { recursive: true });
  await start();
  alice = await launchMachine(world, 'alice');
  await alice.ready();
  await pay(10);
  const startAgain = await world.killBroker();
  rmSync(world.streams, { recursive: true });
  cpSync(copy, world.streams, { recursive: true });
  await startAgain();
  const isAway = async () => (await probe('/readyz')).status === 503;
  await until(isAway, 'the node calls its stream away');
  // At first it may only know that the broker does not answer.
  await until(
    async () => (await probe('/readyz')).text.includes('had acknowledged'),
    'it says why',
  );
  expect((await probe('/readyz')).text).toContain('sluice replica renew');
  await alice.kill();
  await expectGuard(/cut or put back.*\\"sluice replica renew/);
  await renew();
}, 180_000);

it('lets a node begin anew that waits for a stream which is gone', async () => {
  await atBroker(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    await streams.delete(STREAM);
  });
  const isSaid = async () => (await probe('/readyz')).text.includes('sluice replica renew');
  await until(isSaid, 'the node says what to do');
  await renew();
}, 180_000);

it('guards its channels when the stream is gone, or was made again and is empty', async () => {
  await alice.kill();
  await atBroker(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    await streams.delete(STREAM);
  });
  await expectGuard(/cannot be used.*\\"sluice replica renew/);
  await alice.kill();
  await createStream(world);
  await expectGuard(/cut or put back.*\\"sluice replica renew/);
  await renew();
}, 180_000);

it('does not begin a stream anew that is in order', async () => {
  const { code, stderr } = await replica(world, 'renew', ['--replicas', '1']);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('not lost') });
  await pay(1);
}, 60_000);

it('guards its channels when somebody without the key has written into the stream', async () => {
  const hasAll = () => pair.isQuiet() && isSame();
  await until(hasAll, 'nothing is on its way, and the standby has it all');
  const forged = Buffer.from('a record that nobody has sealed, of the length that one could have');
  const { seq } = await atBroker((connection) =>
    connection.jetstream().publish(`sluice.replica.${STREAM}.log`, forged),
  );
  // The disk may have this payment. The stream has not, so nobody else may hear of it.
  const answer = await payOne().catch(() => null);
  expect(answer?.status).not.toBe(200);
  expect(await alice.ended).toMatchObject({ code: 4 });
  const isNoticed = () => standby.output.some((line) => line.includes('not sealed by this key'));
  await until(isNoticed, 'the standby notices it');
  const isKept = () => standby.output.some((line) => line.includes('cannot be built'));
  await until(isKept, 'the standby finds nothing better');
  // A record has the number of its message less one: everything before the forged one.
  expect(placeOf(fileOf('second'))).toBe(seq - 2);
  expectMirrored(readLedger(fileOf('second')).channels, pair.ledgerOf('bob').channels);
  const { stderr, code } = await replica(world, 'takeover');
  expect({ stderr, code }).toMatchObject({ code: 1 });
  await expectGuard(/without the key.*\\"sluice replica renew/);
  await renew();
  await until(hasAll, 'the payment has ended');
  pair.expectMirrored();
}, 180_000);

it('goes on from a stream that was emptied, and sends nobody what is not whole', async () => {
  await pay(3);
  await atBroker(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    await streams.purge(STREAM);
  });
  await pay(3);
  const target = ['--database', `file:${join(world.folder, 'purged.db')}`];
  const restored = await replica(world, 'restore', target);
  expect(restored).toMatchObject({ code: 1 });
  expect(restored.stderr).toContain('no complete copy');
  await alice.kill();
  alice = await launchMachine(world, 'alice');
  await alice.ready();
  await pay(1);
}, 60_000);

it('refuses the stream of another node', async () => {
  await pair.nodes.bob.stop();
  const { bob } = pair.nodes;
  const refused = await world.launch('bob', { ...REPLICATED, isHere: true });
  expect(await refused.ended).toMatchObject({ code: 1 });
  expect(refused.output.join('\n')).toMatch(/"sluice replica create" makes another/);
  pair.nodes.bob = await world.start(bob.name, { isHere: true });
  await pay(1);
}, 60_000);
