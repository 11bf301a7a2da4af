/**
 * Where a soak takes place: a chain, brokers, four nodes in a star around a hub that has a standby, and a shop that sells
 * by the hub. Everything is a process of its own on loopback; fees are 0, so that books can be kept to the unit.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '../../../src/signer/signer.ts';
import { createRandomness, type Randomness } from '../../../src/simulation/world/randomness.ts';
import { anvilAccount, anvilCall } from '../../support/chain.ts';
import { type StartOptions, startWorld, TOKENS, type World } from '../../support/processes.ts';
import { until } from '../../support/until.ts';
import { type Cluster, startCluster } from '../stream-cluster.ts';
import type { Contradiction } from './books.ts';
import { type Front, openFront } from './front.ts';
import { createLogs, type Logs } from './logs.ts';
import { createMachine, type Machine, type Node } from './machine.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { openShop, type Shop } from './shop.ts';
import { createWatch, type Watch } from './watch.ts';

export const HUB = 'hub';
export const LEAVES = ['alice', 'carol', 'dave'] as const;
export const SETTLE_BLOCKS = 45;
export const REVEAL_BLOCKS = 18;
const STREAM = 'hub';
const SECONDS_UNTIL_TAKEOVER = '5';
/** What each node has at first. */
const WEALTH = 10_000n * TOKENS;

export type Choices = { seed: number; brokers: number };
export type Setting = {
  world: World;
  cluster: Cluster;
  brokers: number;
  logs: Logs;
  recorder: Recorder;
  watch: Watch;
  shop: Shop;
  nodes: readonly Node[];
  nodeOf(name: string): Node;
  nameOf(address: string): string;
  /** What each node was given, by its name. */
  given: ReadonlyMap<string, bigint>;
  randomness: Randomness;
  /** What was found on the way. */
  contradictions: readonly Contradiction[];
  contradict(one: Contradiction): void;
  /** Ends everything; the files stay. */
  stop(): Promise<void>;
};

/** What is there so far, to be ended in order. */
type Ends = (() => Promise<void>)[];

export async function startSetting({ seed, brokers }: Choices): Promise<Setting> {
  const logs = createLogs();
  const ends: Ends = [];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    return await started({ seed, brokers }, logs, ends, stop);
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}: see ${logs.folder}`);
  }
}

async function started(
  { seed, brokers }: Choices,
  logs: Logs,
  ends: Ends,
  stop: () => Promise<void>,
): Promise<Setting> {
  const { folder, note } = logs;
  const randomness = createRandomness(seed);
  const cluster = await startCluster(folder, { servers: brokers, onLine: logs.write });
  ends.push(cluster.stop);
  const world = await startWorld({ broker: cluster.url, folder, onLine: logs.write });
  ends.push(world.stop);
  const contradictions: Contradiction[] = [];
  const contradict = (one: Contradiction) => {
    contradictions.push(one);
    note(`CONTRADICTION: ${one.what}`);
  };
  const begin = (name: string, start: StartOptions = {}) =>
    createMachine({ world, name, start: withOptions(world, start), contradict, note });
  await cluster.create(STREAM, brokers);
  const stations: Station[] = await Promise.all(
    LEAVES.map(async (name, at) => ({
      name,
      address: await world.createKey(name, keyOf(at + 1)),
      machines: [begin(name)],
    })),
  );
  stations.push(await hubOf(world, begin));
  const watch = createWatch(stations, note);
  const front = await openFront(() => watch.readyOn(HUB)?.url() ?? null);
  ends.push(() => stopNodes(stations, watch, front));
  const nodes = stations.map((one): Node => {
    const [first] = one.machines;
    return { ...one, url: () => (one.name === HUB ? front.url : (first?.url() ?? '')) };
  });
  const given = await fundAll(world, nodes);
  for (const { machines } of nodes) await startAll(machines);
  await until(() => nodes.every(({ name }) => watch.readyOn(name) !== null), 'all are ready');
  await anvilCall(world.chain, 'evm_setIntervalMining', 1);
  const nameOf = (address: string) =>
    nodes.find((one) => one.address.toLowerCase() === address.toLowerCase())?.name ?? address;
  const draw = randomness.of('shop');
  const shop = await openShop({ node: front.url, token: world.token, draw, logs });
  ends.push(shop.close);
  return {
    ...{ world, cluster, brokers, logs, watch, shop, nodes, nameOf, given, randomness },
    ...{ contradictions, contradict, stop },
    recorder: createRecorder({ nameOf, note, contradict }),
    nodeOf(name) {
      const node = nodes.find((one) => one.name === name);
      if (node === undefined) throw new Error(`there is no node ${name}`);
      return node;
    },
  };
}

type Station = Omit<Node, 'url'>;

/** The key of one of the chain's rich accounts, which pay for gas. */
const keyOf = (index: number) =>
  Uint8Array.from(anvilAccount(index).getHdKey().privateKey ?? new Uint8Array());

function withOptions({ token }: World, start: StartOptions): StartOptions {
  const worth = String(TOKENS);
  const options = {
    'concurrent-reads': [],
    'default-settle-timeout': String(SETTLE_BLOCKS),
    'default-reveal-timeout': String(REVEAL_BLOCKS),
    'poll-interval': '300',
    'proportional-fee': [token, '0'],
    'proportional-imbalance-fee': [token, '0'],
    'token-value': [token, worth],
  };
  return { ...start, options: { ...options, ...start.options } };
}

/** The hub has two machines with one key: whichever finds nobody in the stream takes it. */
async function hubOf(
  world: World,
  begin: (name: string, start: StartOptions) => Machine,
): Promise<Station> {
  const names = [`${HUB}-1`, `${HUB}-2`];
  const machines: Machine[] = [];
  const key = keyOf(LEAVES.length + 1);
  for (const name of names) {
    const home = join(world.folder, `home of ${name}`);
    mkdirSync(home, { recursive: true });
    await world.createKey(name, key);
    const options = { replicate: STREAM };
    machines.push(begin(name, { options, env: { HOME: home } }));
  }
  return { name: HUB, address: createSigner(key).address, machines };
}

/** Options of a machine of the hub that finds out by itself whether it is the node or the standby. */
export const AS_STANDBY = { standby: [], 'takeover-after': SECONDS_UNTIL_TAKEOVER };

/** The first machine begins the stream, which is new; the second one follows. */
async function startAll([first, second]: readonly Machine[]): Promise<void> {
  await first?.start();
  if (second === undefined) return;
  await until(async () => (await first?.probe())?.isReady === true, 'the hub is ready');
  await second.start(AS_STANDBY);
}

async function fundAll(world: World, nodes: readonly Node[]): Promise<Map<string, bigint>> {
  const given = new Map<string, bigint>();
  for (const { name, address } of nodes) {
    await world.fund(address, WEALTH);
    given.set(name, await world.tokensOf(address));
  }
  return given;
}

async function stopNodes(stations: readonly Station[], watch: Watch, front: Front): Promise<void> {
  await front.close();
  await watch.stop();
  const machines = stations.flatMap((one) => one.machines);
  await Promise.all(machines.map((one) => one.stop()));
}
