/** What the databases of several machines hold after deaths, restores, and starts with other options. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { placeOf, rowsOf } from '../support/database-rows.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  BY_ITSELF,
  createStream,
  launchMachine,
  launchStandby,
  REPLICATED,
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
  pair = await startPair(world, 100_000n, onLine(), {});
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
