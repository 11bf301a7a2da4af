/** The message brokers of `packaging/nats`: what a node may do there, and what is refused. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import {
  type ConnectionOptions,
  connect,
  consumerOpts,
  type NatsConnection,
  RetentionPolicy,
} from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type Cluster, startCluster } from '../support/packaged-cluster.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { callProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** Comes later. */
const CAROL: Address = '0xD21c9b0d69Bd7E881442Ea2b563b972c0C4C50e0';
const NAMES = ['alice', 'bob'] as const;

let world: World;
let pair: Pair;
let cluster: Cluster;
const connections: Partial<Record<Name, NatsConnection>> = {};

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 100n);
  await pair.open();
  const registry = world.contracts.tokenNetworkRegistryAddress;
  const accessFor = (name: Name) => ({ address: pair.address[name], stream: streamOf(name) });
  cluster = await startCluster(
    { chainId: world.chain.chainId, registry },
    { alice: accessFor('alice'), bob: accessFor('bob') },
  );
  for (const name of NAMES) connections[name] = await connect(accessOf(name, pair.address[name]));
});
afterAll(async () => {
  for (const connection of Object.values(connections)) await connection.close();
  await world?.stop();
  await cluster?.stop();
});

const ownOf = (name: Name) => pair.address[name].toLowerCase();

function network(): string {
  const registry = world.contracts.tokenNetworkRegistryAddress.toLowerCase();
  return `sluice.${world.chain.chainId}.${registry}`;
}

function accessOf(name: string, address: Address): ConnectionOptions {
  const files = cluster.filesOf(name);
  return {
    servers: cluster.url.replaceAll('tls://', '').split(','),
    tls: { caFile: files['nats-ca'], certFile: files['nats-cert'], keyFile: files['nats-key'] },
    inboxPrefix: `_INBOX.${address.toLowerCase()}`,
    maxReconnectAttempts: -1,
  };
}

function as(name: Name): NatsConnection {
  const connection = connections[name];
  if (connection === undefined) throw new Error(`${name} is not on the broker`);
  return connection;
}

/** What the server says to a subscription, or null. */
function refusedListening(name: Name, subject: string): Promise<string | null> {
  return new Promise((resolve) => {
    const subscription = as(name).subscribe(subject, {
      callback: (error) => resolve(error?.message ?? null),
    });
    void as(name)
      .flush()
      .then(() => {
        subscription.unsubscribe();
        resolve(null);
      });
  });
}

/** What the server says to a publication, or null. */
async function refusedSaying(name: Name, subject: string): Promise<string | null> {
  const answer = as(name).request(subject, '', { timeout: 2_000 });
  const said = await answer.then(
    () => null,
    (error: unknown) => String(error),
  );
  return said?.includes('Permissions Violation') === true ? said : null;
}

const streamOf = (name: Name) => `stream-of-${name}`;
const subjectOf = (name: Name) => `sluice.replica.${streamOf(name)}.log`;

/** The servers agree on a leader first. */
async function makeStream(name: Name): Promise<void> {
  const stream = {
    name: streamOf(name),
    subjects: [`sluice.replica.${streamOf(name)}.>`],
    retention: RetentionPolicy.Limits,
    num_replicas: 3,
    max_bytes: 1_000_000,
  };
  const make = async () => (await as(name).jetstreamManager()).streams.add(stream);
  await until(
    () =>
      make().then(
        () => true,
        () => false,
      ),
    'three servers keep the stream',
  );
}

/** The code with which `sluice replica create` ends, and what it prints. */
async function create(name: Name) {
  const flags = { nats: cluster.url, ...cluster.filesOf(name), replicate: streamOf(name) };
  const given = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  return callProgram(['replica', 'create', '--replicas', '3', ...given]);
}

async function recordsOf(name: Name, stream: string): Promise<number> {
  const manager = await as(name).jetstreamManager();
  return (await manager.streams.info(stream)).state.messages;
}

describe('the packaged brokers', () => {
  it('let a node hear what is for it, and nobody else', async () => {
    for (const subject of [
      `${network()}.${ownOf('bob')}`,
      `_INBOX.${ownOf('bob')}.>`,
      `sluice.standby.${streamOf('bob')}`,
    ])
      expect(await refusedListening('bob', subject)).toBeNull();
    const foreign = [`${network()}.${ownOf('alice')}`, `_INBOX.${ownOf('alice')}.>`];
    for (const subject of [...foreign, '_INBOX.>', 'sluice.standby.*', 'sluice.>', '>', '$SYS.>'])
      expect(await refusedListening('bob', subject)).toContain('Permissions Violation');
  });

  it('let a node speak to nodes and services, and nowhere else', async () => {
    for (const subject of [`${network()}.${ownOf('alice')}`, `${network()}.hello`])
      expect(await refusedSaying('bob', subject)).toBeNull();
    for (const subject of [
      `_INBOX.${ownOf('alice')}.1`,
      'sluice.1.0x0.bob',
      '$SYS.REQ.SERVER.PING',
    ])
      expect(await refusedSaying('bob', subject)).toContain('Permissions Violation');
  });

  it('carry what is for everybody to everybody', async () => {
    const heard = new Promise<string>((resolve) => {
      as('alice').subscribe(`${network()}.hello`, {
        callback: (_, message) => resolve(message.string()),
      });
    });
    await as('alice').flush();
    // Another server may hear a moment later that somebody listens.
    const timer = setInterval(() => as('bob').publish(`${network()}.hello`, 'hello'), 20);
    expect(await heard.finally(() => clearInterval(timer))).toBe('hello');
  });

  it('keep the records of a node on three servers', async () => {
    await makeStream('alice');
    const { seq } = await as('alice').jetstream().publish(subjectOf('alice'), 'a record');
    expect(seq).toBe(1);
    const manager = await as('alice').jetstreamManager();
    const { cluster: copies } = await manager.streams.info(streamOf('alice'));
    expect(copies?.replicas).toHaveLength(2);
    const stored = await manager.streams.getMessage(streamOf('alice'), { seq: 1 });
    expect(stored.string()).toBe('a record');
    // As one who follows the stream reads it.
    const options = consumerOpts().orderedConsumer().bindStream(streamOf('alice'));
    const reader = await as('alice').jetstream().subscribe(subjectOf('alice'), options);
    for await (const record of reader) {
      expect(record.string()).toBe('a record');
      break;
    }
  });

  it('let no node read or write the records of another', async () => {
    const before = await recordsOf('alice', streamOf('alice'));
    const foreign = streamOf('alice');
    for (const subject of [
      ...[subjectOf('alice'), `sluice.standby.${foreign}`],
      ...['INFO', 'MSG.GET', 'UPDATE', 'PURGE', 'DELETE'].map(
        (call) => `$JS.API.STREAM.${call}.${foreign}`,
      ),
      `$JS.API.CONSUMER.CREATE.${foreign}`,
      `$JS.API.CONSUMER.CREATE.${foreign}.one`,
      `$JS.API.CONSUMER.MSG.NEXT.${foreign}.one`,
      `$JS.ACK.${foreign}.one.1.1.1.1.0`,
      '$JS.API.STREAM.CREATE.ANOTHER',
      '$JS.API.STREAM.LIST',
    ])
      expect(await refusedSaying('bob', subject)).toContain('Permissions Violation');
    await makeStream('bob');
    expect((await as('bob').jetstream().publish(subjectOf('bob'), 'of bob')).seq).toBe(1);
    expect(await recordsOf('alice', foreign)).toBe(before);
  });

  it('make a stream for who has asked before enough of them were there', async () => {
    await (await as('alice').jetstreamManager()).streams.delete(streamOf('alice'));
    const back = [await cluster.kill(1), await cluster.kill(2)];
    const creating = create('alice');
    for (const startAgain of back) await startAgain();
    expect(await creating).toMatchObject({ code: 0, stdout: `created: ${streamOf('alice')}\n` });
  });

  it('let in a node that is given access later, without a stream, and without a restart', async () => {
    // The same file as before: the one that a container was given.
    const users = () => statSync(join(cluster.folder, 'users.conf')).ino;
    const before = users();
    cluster.giveAccess({ carol: { address: CAROL } });
    expect(users()).toBe(before);
    cluster.reload();
    const options = { ...accessOf('carol', CAROL), reconnect: false, timeout: 5_000 };
    const joined: NatsConnection[] = [];
    await until(async () => {
      joined.push(...[await connect(options).catch(() => null)].flatMap((one) => one ?? []));
      return joined.length > 0;
    }, 'carol is let in');
    const [carol] = joined;
    const heard = new Promise<string>((resolve) => {
      as('alice').subscribe(`${network()}.${ownOf('alice')}`, {
        callback: (_, message) => resolve(message.string()),
      });
    });
    await as('alice').flush();
    const timer = setInterval(
      () => carol?.publish(`${network()}.${ownOf('alice')}`, 'from carol'),
      20,
    );
    expect(await heard.finally(() => clearInterval(timer))).toBe('from carol');
    await expect(carol?.jetstreamManager()).rejects.toThrow('Permissions Violation');
    await carol?.close();
  });

  it('take nobody without a certificate, and no node for a server', async () => {
    const { client, route } = cluster.ports[0] ?? { client: 0, route: 0 };
    const files = cluster.filesOf('alice');
    const ca = readFileSync(files['nats-ca'], 'utf8');
    await expect(
      connect({ port: client, tls: { ca }, reconnect: false, timeout: 5_000 }),
    ).rejects.toThrow();
    const [node, server] = [join('nodes', 'alice', 'broker'), join('tls', 'route')];
    expect(await endOfJoining(route, join(cluster.folder, server))).toBe('INFO ');
    expect(await endOfJoining(route, join(cluster.folder, node))).not.toBe('INFO ');
  });

  it('carry payments of nodes while each of the servers is started anew', async () => {
    for (const name of NAMES) {
      await pair.nodes[name].stop();
      const options = { nats: cluster.url, ...cluster.filesOf(name) };
      await pair.restart(name, { options });
    }
    await pair.meet();
    expect((await pair.pay('alice', 1n)).status).toBe(200);
    for (const index of [0, 1, 2]) {
      const startAgain = await cluster.kill(index);
      await until(async () => (await pair.pay('bob', 1n)).status === 200, 'bob pays again');
      expect((await pair.pay('alice', 1n)).status).toBe(200);
      await startAgain();
    }
  });
});

/** What comes of an attempt to join the cluster as a server with this certificate. */
function endOfJoining(port: number, file: string): Promise<string> {
  const certificate = { cert: readFileSync(`${file}.pem`), key: readFileSync(`${file}.key`) };
  const socket = connectTls({ port, ...certificate, rejectUnauthorized: false });
  return new Promise((resolve) => {
    const end = (what: string) => {
      socket.destroy();
      resolve(what);
    };
    socket.once('error', ({ message }) => end(message));
    socket.once('close', () => end('closed'));
    // A server greets another one.
    socket.once('data', (greeting) => end(greeting.toString().slice(0, 5)));
  });
}
