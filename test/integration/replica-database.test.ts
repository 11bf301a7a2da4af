/** What the databases of several machines hold after deaths, restores, and starts with other options. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { placeOf, rowsOf } from '../support/database-rows.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { runProgram } from '../support/program.ts';
import {
  BY_ITSELF,
  createStream,
  launchMachine,
  launchStandby,
  REPLICATED,
  replica,
  whenFollowing,
} from '../support/replicated.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
let line: TcpProxy;
let alice: NodeProcess;
let standby: NodeProcess;

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  line = await startTcpProxy(Number(new URL(world.natsUrl).port));
  await createStream(world);
  pair = await startPair(world, 100_000n, onLine(), { isHere: true });
  await pair.open();
  alice = pair.nodes.alice;
  standby = await launchStandby(world, 'second');
  await whenFollowing(world, standby);
});
afterAll(async () => {
  await world?.stop();
  await line?.stop();
});

const onLine = () => ({ ...REPLICATED, options: { ...REPLICATED.options, nats: line.url } });
const fileOf = (name: string) => join(world.home(name), 'node.db');

async function pay(node: NodeProcess, times = 1): Promise<void> {
  for (let paid = 0; paid < times; paid++)
    expect(
      await node.api.post(`/payments/${world.token}/${pair.address.bob}`, { amount: '1' }),
    ).toMatchObject({ status: 200 });
}

/** Kills the node while its disk has a payment that never came into the stream. */
async function dieAheadOfStream(): Promise<void> {
  await until(pair.isQuiet, 'nothing is on its way');
  const before = placeOf(fileOf('alice'));
  line.set('silent');
  void pair.pay('alice', 1n).catch(() => null);
  await until(() => placeOf(fileOf('alice')) > before, 'the disk has what the stream has not');
  await alice.kill();
  line.set('open');
}

async function expectSameRows(...machines: string[]): Promise<void> {
  const [first, ...others] = machines;
  const same = () => {
    const own = JSON.stringify(rowsOf(fileOf(first ?? '')));
    return others.every((name) => JSON.stringify(rowsOf(fileOf(name))) === own);
  };
  await until(pair.isQuiet, 'nothing is on its way');
  await until(same, 'they hold the same', 10_000).catch(() => null);
  for (const name of others) expect(rowsOf(fileOf(name))).toEqual(rowsOf(fileOf(first ?? '')));
}

it('a standby holds what the node holds', async () => {
  await pay(alice, 20);
  await expectSameRows('alice', 'second');
}, 60_000);

it('a standby holds it too when the node died with a payment that the stream never got', async () => {
  await dieAheadOfStream();
  alice = await pair.relaunch('alice', onLine());
  await alice.ready();
  await pay(alice, 5);
  await whenFollowing(world, standby);
  await expectSameRows('alice', 'second');
}, 60_000);

it('a node that died so takes over from itself when it is started as a standby', async () => {
  await standby.kill();
  await dieAheadOfStream();
  alice = await launchMachine(world, 'alice', {
    options: { standby: [], ...BY_ITSELF, nats: line.url },
  });
  await alice.ready();
  await pay(alice, 5);
}, 60_000);

it('an empty machine gets every row of a lost node from the stream', async () => {
  await alice.kill();
  const restored = join(world.folder, 'restored.db');
  expect(await replica(world, 'restore', ['--database', `file:${restored}`])).toMatchObject({
    code: 0,
  });
  expect(rowsOf(restored)).toEqual(rowsOf(fileOf('alice')));
  alice = await pair.relaunch('alice', onLine());
  await alice.ready();
}, 60_000);

it('a backup gets from the stream what came later, and is the newest database then', async () => {
  const output = join(world.folder, 'backup.db');
  const database = `file:${fileOf('alice')}`;
  const made = await runProgram(['backup', '--database', database, '--output', output]);
  expect(made).toMatchObject({ code: 0 });
  await pay(alice, 5);
  await until(pair.isQuiet, 'nothing is on its way');
  const history = await alice.api.history();
  await alice.kill();
  alice = await launchMachine(world, 'alice', {
    isHere: true,
    options: { nats: line.url, database: `file:${output}` },
  });
  await alice.ready();
  expect(await alice.api.history()).toEqual(history);
  await pay(alice);
  await alice.stop();
  const old = await launchMachine(world, 'alice', { isHere: true, options: { nats: line.url } });
  expect(await old.ended).toMatchObject({ code: 4 });
  renameSync(output, fileOf('alice'));
  for (const suffix of ['-wal', '-shm']) rmSync(fileOf('alice') + suffix, { force: true });
  alice = await launchMachine(world, 'alice', { isHere: true, options: { nats: line.url } });
  await alice.ready();
}, 60_000);

it('a database that ran without the stream is not taken for that of its node', async () => {
  await alice.stop();
  const stopped = await launchMachine(world, 'alice', {
    isHere: true,
    options: { replicate: null },
  });
  expect(await stopped.ended).toMatchObject({ code: 1 });
  const code = /--leave-stream ([0-9a-f]{8})/.exec(stopped.output.join('\n'))?.[1] ?? '';
  const alone = { replicate: null, 'leave-stream': code };
  alice = await launchMachine(world, 'alice', { isHere: true, options: alone });
  await alice.ready();
  await pay(alice, 3);
  await alice.stop();
  const refused = await launchMachine(world, 'alice', {
    isHere: true,
    options: { nats: line.url },
  });
  expect(await refused.ended).toMatchObject({ code: 1 });
  expect(refused.output.join('\n')).toMatch(/without .*"sluice replica create"/);
}, 60_000);

it('the database of a standby is not run without its stream', async () => {
  const refused = await launchMachine(world, 'second', {
    isHere: true,
    options: { replicate: null },
  });
  expect(await refused.ended).toMatchObject({ code: 4 });
  expect(refused.output.join('\n')).toContain('--standby');
}, 60_000);

it('the database of a standby counts as a backup when node and stream are lost', async () => {
  await standby.stop();
  const alone = { replicate: null };
  const started = async (options: Record<string, string>) => {
    const refused = await launchMachine(world, 'second', {
      isHere: true,
      options: { ...alone, ...options },
    });
    await refused.ended;
    return refused.output.join('\n');
  };
  const code = /--leave-stream ([0-9a-f]{8})/.exec(await started({}))?.[1] ?? '';
  const doubt = await started({ 'leave-stream': code });
  const accepted = /is a backup of .*"--accept-database ([0-9a-f]{8})"/.exec(doubt)?.[1] ?? '';
  const second = await launchMachine(world, 'second', {
    isHere: true,
    options: { ...alone, 'accept-database': accepted },
  });
  await second.ready();
  const refusal = await second.api.post(`/payments/${world.token}/${pair.address.bob}`, {
    amount: '1',
  });
  expect(refusal).toMatchObject({ status: 409 });
  expect(JSON.stringify(refusal.body)).toContain('frozen');
  await second.stop();
}, 60_000);
