/** Lines to the broker that are cut or fall silent, and a machine that sleeps, while callers pay. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { decodePosition } from '../../src/replica/position.ts';
import { readPlace } from '../../src/store/durability/replay.ts';
import { type Callers, startCallers } from '../support/callers.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  BY_ITSELF,
  createStream,
  expectWhole,
  firstReady,
  launchMachine,
  launchStandby,
  REPLICATED,
  replica,
  whenFollowing,
  withOutput,
} from '../support/replicated.ts';
import { type LineState, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

let world: World;
let pair: Pair;
let tap: Wiretap;
/** The lines of alice's two machines, by their names, and that of bob. */
const lines = new Map<string, TcpProxy>();
let primary: NodeProcess;
let standby: NodeProcess;
let callers: Callers | null = null;
let paid: bigint[] = [];

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  const port = Number(new URL(world.natsUrl).port);
  for (const name of ['alice', 'second', 'bob']) lines.set(name, await startTcpProxy(port));
  await createStream(world);
  const own = { ...REPLICATED, options: { ...REPLICATED.options, nats: lineOf('alice').url } };
  pair = await startPair(world, 100_000n, own, {
    isHere: true,
    options: { nats: lineOf('bob').url },
  });
  await pair.open();
  tap = await tapWire(world);
  primary = pair.nodes.alice;
  standby = await waiting('second');
});
afterEach(async () => {
  for (const line of lines.values()) line.set('open');
  await callers?.stop();
});
afterAll(async () => {
  await tap?.stop();
  await world?.stop();
  await Promise.all([...lines.values()].map((line) => line.stop()));
});

function lineOf(name: string): TcpProxy {
  const line = lines.get(name);
  if (line === undefined) throw new Error(`${name} has no line`);
  return line;
}

const optionsOf = (name: string) => ({ ...BY_ITSELF, nats: lineOf(name).url });

async function waiting(name: string): Promise<NodeProcess> {
  const node = await launchStandby(world, name, optionsOf(name));
  await whenFollowing(world, node);
  return node;
}

function startPaying(): Callers {
  const { token } = world;
  callers = startCallers({
    count: 4,
    restMs: 300,
    token,
    payee: pair.address.bob,
    api: () => primary.api.url,
  });
  return callers;
}

/** The one who is the node by now agrees with bob, and with what callers were told. */
async function endPaying(paying: Callers): Promise<void> {
  await paying.stop();
  paid = [...paid, ...paying.paid()];
  await expectWhole({ world, survivor: primary, partner: pair.nodes.bob, paid, tap });
}

/** Resolves when the node has written more than the stream has, although nothing of it arrives there. */
async function moreThanTheStream({ name }: NodeProcess): Promise<void> {
  const { stdout } = await replica(world, 'status');
  const end = Number(/^records +(\d+)$/m.exec(stdout)?.[1]);
  const hasMore = async () => {
    await world.mine(1n);
    const { place } = readPlace(join(world.home(name), 'node.db'));
    return decodePosition(place ?? '').at.sequence > end;
  };
  await until(hasMore, `${name} has written more than the ${end} records of the stream`);
}

const FAULTS: { state: LineState; what: string }[] = [
  { state: 'cut', what: 'is cut' },
  { state: 'silent', what: 'falls silent' },
];

for (const { state, what } of FAULTS) {
  it(`takes over when the line of the node ${what}, which then ends with code 4`, async () => {
    const paying = startPaying();
    await paying.makeMore(20);
    const old = primary;
    lineOf(old.name).set(state);
    primary = await firstReady(standby);
    paying.callAgain();
    await paying.makeMore(20);
    lineOf(old.name).set('open');
    expect(await old.ended).toMatchObject({ code: 4 });
    standby = await waiting(old.name);
    await endPaying(paying);
  }, 120_000);
}

it('goes on when the line of the standby falls silent, and it then follows again', async () => {
  const paying = startPaying();
  await paying.makeMore(20);
  lineOf(standby.name).set('silent');
  const at = Date.now();
  await paying.makeMore(20);
  await until(() => Date.now() - at > 5_000, 'it was away for longer than it waits');
  lineOf(standby.name).set('open');
  await whenFollowing(world, standby);
  expect(standby.isReady()).toBe(false);
  await endPaying(paying);
}, 120_000);

it('goes on when the line of the partner is cut, or falls silent, for a while', async () => {
  const paying = startPaying();
  for (const { state } of FAULTS) {
    await paying.makeMore(20);
    lineOf('bob').set(state);
    const at = Date.now();
    await until(() => Date.now() - at > 2_500, 'the partner is away');
    lineOf('bob').set('open');
    await withOutput([primary, pair.nodes.bob], paying.makeMore(20));
  }
  await endPaying(paying);
}, 120_000);

it('lets a node that was paused say nothing when it wakes after the takeover', async () => {
  const paying = startPaying();
  await paying.makeMore(20);
  const old = primary;
  old.pause();
  primary = await firstReady(standby);
  paying.callAgain();
  await paying.makeMore(20);
  old.resume();
  expect(await old.ended).toMatchObject({ code: 4 });
  standby = await waiting(old.name);
  await endPaying(paying);
}, 120_000);

it('takes over again when the one that has done so died at once, although its own database has more', async () => {
  await standby.kill();
  const { name } = standby;
  const dies = { env: { SLUICE_CRASH_AT: 'commit.before:1' } };
  const heir = await launchStandby(world, name, optionsOf(name), dies);
  await whenFollowing(world, heir);
  const paying = startPaying();
  await paying.makeMore(20);
  const old = primary;
  lineOf(old.name).set('cut');
  await heir.ended;
  await moreThanTheStream(old);
  await old.kill();
  await paying.stop();
  lineOf(old.name).set('open');
  primary = await launchStandby(world, old.name, optionsOf(old.name));
  await withOutput(
    [primary],
    until(() => primary.isReady(), 'it takes over'),
  );
  const again = startPaying();
  await again.makeMore(20);
  paid = [...paid, ...paying.paid()];
  standby = await waiting(name);
  await endPaying(again);
}, 120_000);

it('refuses the old machine as it was started before, with code 4', async () => {
  const { url } = lineOf(standby.name);
  await standby.kill();
  const old = await launchMachine(world, standby.name, { options: { nats: url } });
  expect(await old.ended).toMatchObject({ code: 4 });
  expect(old.output.join('\n')).toContain('--standby');
  standby = await waiting(standby.name);
}, 120_000);

it('runs exactly one of two copies of the node that are started at once', async () => {
  await Promise.all([primary.kill(), standby.kill()]);
  const fileOf = (name: string) => join(world.home(name), 'node.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(fileOf(standby.name) + suffix, { force: true });
  for (const suffix of ['', '-wal'])
    cpSync(fileOf(primary.name) + suffix, fileOf(standby.name) + suffix);
  const launch = (name: string) =>
    launchMachine(world, name, { options: { nats: lineOf(name).url } });
  const both = await Promise.all(['alice', 'second'].map(launch));
  primary = await firstReady(...both);
  const other = both.find((one) => one !== primary);
  expect(await other?.ended).toMatchObject({ code: 4 });
  const paying = startPaying();
  await paying.makeMore(20);
  await endPaying(paying);
}, 60_000);
