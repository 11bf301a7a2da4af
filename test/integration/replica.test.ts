/** A node whose machine is lost: a second one goes on from the stream, with nothing lost that anybody has seen. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkStream } from '../../src/cli/doctor/stream.ts';
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
let standby: NodeProcess;

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  await createStream(world);
  pair = await startPair(world, 1_000n, REPLICATED, { isHere: true });
  await pair.open();
});
afterAll(() => world?.stop());

const pay = (node: NodeProcess) =>
  node.api.ask({
    method: 'POST',
    path: `/payments/${world.token}/${pair.address.bob}`,
    json: { amount: '1' },
  });

it('an operator is told that no standby is there', async () => {
  const status = await replica(world, 'status');
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('none answers') });
  expect(await replica(world, 'takeover')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no standby answers'),
  });
});

it('a standby follows the node, and takes its place when it is told to', async () => {
  standby = await launchStandby(world, 'second');
  await until(
    () => standby.output.some((line) => line.startsWith('standby:')),
    'it follows',
    30_000,
  );
  const probe = (path: string) => fetch(`${standby.api.url}${path}`);
  expect((await probe('/livez')).status).toBe(200);
  expect(await (await probe('/readyz')).json()).toMatchObject({ code: 'standby' });
  for (let paid = 0; paid < 20; paid++)
    expect(await pay(pair.nodes.alice)).toMatchObject({ status: 200 });
  const before = await pair.nodes.alice.api.history();
  expect((await replica(world, 'status')).stdout).toMatch(
    /standby {3}process \d+ on \S+, \d records behind/,
  );
  const ownerIs = ({ pid }: NodeProcess) => expect.stringMatching(`owner +process ${pid} on `);
  expect((await replica(world, 'status')).stdout).toEqual(ownerIs(pair.nodes.alice));
  await pair.nodes.alice.kill();
  expect(await replica(world, 'takeover')).toMatchObject({ code: 0 });
  await standby.ready();
  expect(await standby.api.history()).toEqual(before);
  expect(await pay(standby)).toMatchObject({ status: 200 });
  expect((await replica(world, 'status')).stdout).toEqual(ownerIs(standby));
}, 120_000);

it('a standby that was started again takes over from a node that has written nothing since', async () => {
  const heir = await launchStandby(world, 'third', {}, { isHere: true });
  await whenFollowing(world, heir);
  await heir.stop();
  await standby.kill();
  const again = await launchStandby(world, 'third', {}, { isHere: true });
  await whenFollowing(world, again);
  expect(await replica(world, 'takeover')).toMatchObject({ code: 0 });
  await again.ready();
  expect(await pay(again)).toMatchObject({ status: 200 });
}, 120_000);

it('a standby ends at once when its port is taken: it could not serve in the place of the node', async () => {
  const { host } = new URL(pair.nodes.bob.api.url);
  const late = await launchMachine(world, 'fourth', {
    isHere: true,
    options: { standby: [], 'api-address': host },
  });
  await late.ended;
  expect(late.output.join(' ')).toContain(`port ${host.split(':')[1]} of 127.0.0.1 is taken`);
}, 60_000);

it('a standby ends when the stream is that of another key', async () => {
  const other = await world.launch('carol', {
    ...REPLICATED,
    isHere: true,
    options: { ...REPLICATED.options, standby: [] },
  });
  await other.ended;
  expect(other.output.join(' ')).toContain('was not sealed by this key');
}, 60_000);

it('an operator of a single server is told how to make the stream', async () => {
  const made = await replica(world, 'create', ['--replicas', '3', '--replicate', 'wide']);
  expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('give --replicas 1') });
}, 60_000);

it('the doctor says how the stream is kept, and when there is none', async () => {
  const look = (name: string) =>
    checkStream({ url: world.natsUrl, name, inbox: 'doctor', report() {} });
  const found = expect.stringContaining('one server keeps it');
  expect(await look(STREAM)).toMatchObject([{ check: 'stream', verdict: 'ok', found }]);
  const advice = expect.stringContaining('sluice replica create');
  expect(await look('nothing')).toMatchObject([{ verdict: 'failed', advice }]);
});

it('a database is restored into a folder that is not there yet', async () => {
  const database = join(world.folder, 'a new machine', 'data', 'node.db');
  const restored = await replica(world, 'restore', ['--database', `file:${database}`]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('restored:') });
}, 60_000);
