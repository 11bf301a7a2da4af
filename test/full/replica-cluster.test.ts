/** A stream that three servers keep, and machines and servers that die, or sleep and wake, while callers pay. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectJetStream } from '../../src/replica/jetstream.ts';
import { type Callers, startCallers } from '../support/callers.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  BY_ITSELF,
  createStream,
  expectWhole,
  firstReady,
  launchStandby,
  REPLICATED,
  STREAM,
  whenFollowing,
  withOutput,
} from '../support/replicated.ts';
import { until } from '../support/until.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

let folder: string;
let cluster: NatsCluster;
let world: World;
let pair: Pair;
let tap: Wiretap;
/** Who is the node now, and who waits. */
let primary: NodeProcess;
let standby: NodeProcess;
let callers: Callers | null = null;
let paid: bigint[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  cluster = await startNatsCluster(folder);
  world = await startWorld({ broker: cluster.url });
  await createStream(world, 3);
  pair = await startPair(world, 100_000n, REPLICATED, { isHere: true });
  await pair.open();
  tap = await tapWire(world);
  primary = pair.nodes.alice;
  standby = await launchStandby(world, 'second', BY_ITSELF);
  await whenFollowing(world, standby);
});
afterEach(async () => {
  await callers?.stop();
});
afterAll(async () => {
  await tap?.stop();
  await world?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startPaying(): Callers {
  const { address } = pair;
  callers = startCallers({
    count: 4,
    restMs: 300,
    token: world.token,
    payee: address.bob,
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

/** When the stream was made, as its leader says. */
async function madeAt(): Promise<string | undefined> {
  await cluster.whenLed(STREAM);
  const report = () => {};
  const stream = connectJetStream({ url: cluster.url, name: STREAM, inbox: 'asks', report });
  const bounds = await stream.bounds();
  await stream.close();
  return bounds?.madeAt;
}

/** Starts the machines as standbys; the one that takes over is the node from then on, the other one waits. */
async function raceFor(...names: string[]): Promise<void> {
  const racing = await Promise.all(names.map((name) => launchStandby(world, name, BY_ITSELF)));
  primary = await firstReady(...racing);
  standby = racing.find((one) => one !== primary) ?? standby;
}

it('knows its stream again by the time at which it was made, whichever server leads it', async () => {
  const before = await madeAt();
  expect(before).toMatch(/^\d{4}-\d\d-\d\dT/);
  for (let round = 0; round < 2; round++) {
    const leader = await cluster.whenLed(STREAM);
    await cluster.kill(leader);
    expect(await madeAt()).toBe(before);
    await cluster.start(leader);
    await cluster.whenWhole(STREAM);
    expect(await madeAt()).toBe(before);
  }
}, 120_000);

it('goes on paying when the server dies that leads the stream, and another one', async () => {
  const paying = startPaying();
  const leader = await cluster.whenLed(STREAM);
  for (const index of [leader, (leader + 1) % 3]) {
    await paying.makeMore(20);
    await cluster.kill(index);
    await paying.makeMore(20);
    expect(primary.isOver()).toBe(false);
    expect(standby.isReady()).toBe(false);
    await cluster.start(index);
    await cluster.whenWhole(STREAM);
  }
  await endPaying(paying);
}, 120_000);

it('goes on paying when the leader of the stream sleeps, and wakes as if it still led it', async () => {
  const paying = startPaying();
  await paying.makeMore(20);
  const leader = await cluster.whenLed(STREAM);
  cluster.pause(leader);
  const at = Date.now();
  await until(() => Date.now() - at > 8_000, 'the others have a leader of their own');
  cluster.resume(leader);
  const nodes = [primary, standby, pair.nodes.bob];
  const more = withOutput(nodes, paying.makeMore(20));
  await Promise.race([more, primary.ended]);
  // Who waited for the sleeper may have lost its place to the standby, which is as good.
  if (primary.isOver()) primary = await firstReady(standby);
  await more;
  await cluster.whenWhole(STREAM);
  expect(primary.isOver()).toBe(false);
  await endPaying(paying);
}, 240_000);

it('lets the standby take over when the node dies, and the old machine follows', async () => {
  const paying = startPaying();
  await paying.makeMore(20);
  const old = primary;
  await old.kill();
  primary = await firstReady(standby);
  await paying.makeMore(20);
  standby = await launchStandby(world, old.name, BY_ITSELF);
  await whenFollowing(world, standby);
  await paying.makeMore(20);
  await endPaying(paying);
}, 120_000);

it('lets exactly one take over when both machines die at once', async () => {
  const paying = startPaying();
  await paying.makeMore(20);
  await Promise.all([primary.kill(), standby.kill()]);
  await raceFor('alice', 'second');
  await paying.makeMore(20);
  await whenFollowing(world, standby);
  expect(standby.isReady()).toBe(false);
  await endPaying(paying);
}, 120_000);
