/** The nodes of several keys in `packaging`: its setup, what its containers are told, and the channels between the keys. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { good, type Request } from '../support/api.ts';
import { type Cluster, startServers } from '../support/packaged-cluster.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { callProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const PACKAGING = fileURLToPath(new URL('../../packaging', import.meta.url));
/** The first key's folders are those of a node alone. */
const SERVICES = ['primary', 'node-2', 'node-3'] as const;
const KEYS = ['keys', 'node-2/keys', 'node-3/keys'];
const DEPOSIT = 1_000n;

const composition = v.object({
  services: v.record(
    v.string(),
    v.object({
      environment: v.optional(v.record(v.string(), v.string()), {}),
      volumes: v.optional(v.array(v.string()), []),
      ports: v.optional(v.array(v.string()), []),
      profiles: v.optional(v.array(v.string()), []),
    }),
  ),
});
const deposits = v.array(v.object({ state: v.string(), total_deposit: v.string() }));
type Service = v.InferOutput<typeof composition>['services'][string];

let world: World;
let packaging: string;
let cluster: Omit<Cluster, 'giveAccess'>;
const nodes: Record<string, NodeProcess> = {};

const own = (...path: string[]) => join(packaging, 'own', ...path);
const textOf = (...path: string[]) => readFileSync(own(...path), 'utf8');

/** As docs/operating.md calls it. */
function setUp() {
  const env = {
    PATH: process.env['PATH'],
    CHAIN_ID: String(world.chain.chainId),
    ETH_RPC_ENDPOINT: world.anvil.rpc,
  };
  return spawnSync(join(packaging, 'setup.sh'), { env, encoding: 'utf8' });
}

function serviceOf(name: string): Service {
  const { services } = v.parse(
    composition,
    parse(readFileSync(join(packaging, 'compose.yaml'), 'utf8'), { merge: true }),
  );
  const service = services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

/** What the container is told, with the places of its files on this machine. */
function environmentOf(name: string): Record<string, string> {
  const { environment, volumes } = serviceOf(name);
  const places = volumes.map((volume) => volume.split(':'));
  const outside = (path: string) => {
    const place = places.find(([, inside = '']) => path.startsWith(inside));
    if (place === undefined) throw new Error(`${name} has no volume for ${path}`);
    const [host = '', inside = ''] = place;
    return path.replace(inside, join(packaging, host));
  };
  const told = Object.entries(environment).map(([option, value]) => [
    option,
    value.startsWith('/') ? outside(value) : value,
  ]);
  return {
    ...Object.fromEntries(told),
    SLUICE_ETH_RPC_ENDPOINT: world.anvil.rpc,
    SLUICE_NATS: cluster.url,
  };
}

/** Flags count before the environment, so nothing is a flag that a container is told otherwise. */
async function startNode(service: string): Promise<NodeProcess> {
  const env = environmentOf(service);
  const made = await callProgram(['replica', 'create', '--replicas', '3'], env);
  expect(made.stderr).toContain('Start the node');
  const flags = [
    'eth-rpc-endpoint',
    'contracts',
    'nats',
    'keystore-path',
    'address',
    'password-file',
  ];
  const options = Object.fromEntries(flags.map((flag) => [flag, null]));
  return world.start(service, { options, env });
}

const tokenFileOf = (service: string) => own(service === 'primary' ? '' : service, 'api-token');

function nodeOf(service: string): NodeProcess {
  const node = nodes[service];
  if (node === undefined) throw new Error(`${service} does not run`);
  return node;
}

/** As the operator asks, with the token that the setup has made. */
function ask(service: string, request: Request) {
  const authorization = `Bearer ${readFileSync(tokenFileOf(service), 'utf8')}`;
  return nodeOf(service).api.ask({ ...request, headers: { authorization } });
}

async function depositsOf(service: string): Promise<string[]> {
  const channels = good(await ask(service, { path: '/channels' }));
  return v.parse(deposits, channels).map(({ state, total_deposit }) => `${state} ${total_deposit}`);
}

/** The step that opens channels, as an operator whose nodes are at these places calls it. */
async function openChannels(deposit: bigint, services: readonly string[] = SERVICES) {
  const places = services.map((service) => `${nodeOf(service).api.url}=${tokenFileOf(service)}`);
  const args = [world.token, String(deposit), ...places];
  const run = promisify(execFile)(join(packaging, 'channels.sh'), args);
  return world.whileMining(
    run.then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    ),
  );
}

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  packaging = mkdtempSync(join(tmpdir(), 'sluice-packaging-'));
  cpSync(PACKAGING, packaging, {
    recursive: true,
    filter: (path) => !/packaging\/(own|\.env)/.test(path),
  });
  for (const [index, service] of SERVICES.entries()) {
    await world.createKey(service);
    cpSync(join(world.home(service), 'keys'), own(KEYS[index] ?? ''), { recursive: true });
  }
  cpSync(world.passwordFile, own('password'));
  cpSync(world.contractsFile, own('contracts.json'));
});
afterAll(async () => {
  await world?.stop();
  await cluster?.stop();
  rmSync(packaging, { recursive: true, force: true });
});

describe('the packaged nodes of several keys', () => {
  it('are set up by the folders of their keys, each with its own access and nothing of the others', () => {
    expect(setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(packaging, '.env'), 'utf8')).toContain(
      'COMPOSE_PROFILES=node-2,node-3\n',
    );
    const files = ['api-token', 'api-tokens', 'broker', 'contracts.json', 'keys', 'password'];
    expect(readdirSync(own('node-2')).toSorted()).toEqual(files);
    expect(textOf('node-2', 'api-token')).not.toBe(textOf('node-3', 'api-token'));
    expect(statSync(own('node-2', 'password')).mode & 0o077).toBe(0);
    const users = textOf('nats', 'users.conf').split('user: ').slice(1);
    expect(
      users.map((user) =>
        [...user.matchAll(/sluice\.replica\.([\w-]+)/g)].map(([, stream]) => stream),
      ),
    ).toEqual([['node'], ['node-2'], ['node-3']]);
    expect(parse(textOf('targets.yml'))).toEqual(
      ['primary', 'standby', 'node-2', 'node-3'].map((name) => ({
        targets: [`${name}:5001`],
        labels: { key: name.startsWith('node-') ? name : 'node' },
      })),
    );
  });

  it('stay as they are when the setup runs again', () => {
    const before = ['api-token', 'broker/broker.key'].map((file) => textOf('node-2', file));
    expect(setUp().status).toBe(0);
    expect(['api-token', 'broker/broker.key'].map((file) => textOf('node-2', file))).toEqual(
      before,
    );
  });

  it('never have a key twice', () => {
    cpSync(own('keys'), own('node-4', 'keys'), { recursive: true });
    expect(setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('packaging/own/node-4 has the key of another node'),
    });
    rmSync(own('node-4'), { recursive: true });
    expect(setUp().status).toBe(0);
  });

  it('are in the set of containers, one profile and one port of loopback for each', () => {
    for (const number of [2, 3, 4, 5, 6, 7, 8]) {
      const name = `node-${number}`;
      const { environment, ports, profiles, volumes } = serviceOf(name);
      expect(environment).toEqual({
        ...serviceOf('primary').environment,
        SLUICE_API_HOSTS: name,
        SLUICE_REPLICATE: name,
      });
      expect(ports).toEqual([`127.0.0.1:${5000 + number}:5001`]);
      expect(profiles).toEqual([name]);
      expect(volumes).toEqual([
        `./own/${name}:/etc/sluice:ro`,
        `./own/data/${name}:/var/lib/sluice`,
      ]);
    }
  });

  it('get a channel between each two, with what the operator says, once', async () => {
    cluster = await startServers(own('nats'));
    for (const service of SERVICES) {
      nodes[service] = await startNode(service);
      await world.fund(nodeOf(service).address, 10n * DEPOSIT);
    }
    // One that an earlier call left half done, from the other side.
    const half = {
      token_address: world.token,
      partner_address: nodeOf('primary').address,
      total_deposit: '5',
    };
    const opening = ask('node-3', { method: 'PUT', path: '/channels', json: half });
    expect((await world.whileMining(opening)).status).toBe(201);
    expect(await openChannels(DEPOSIT)).toEqual({
      code: 0,
      said: 'Each of 3 nodes has put 1000 into its channels with the others, or more.\n',
    });
    for (const service of SERVICES)
      expect(await depositsOf(service)).toEqual(['opened 1000', 'opened 1000']);
    const before = await world.events();
    expect((await openChannels(DEPOSIT)).code).toBe(0);
    expect((await openChannels(DEPOSIT - 1n)).code).toBe(0);
    expect(await world.events()).toEqual(before);
    expect((await openChannels(2n * DEPOSIT)).code).toBe(0);
    for (const service of SERVICES)
      expect(await depositsOf(service)).toEqual(['opened 2000', 'opened 2000']);
  });

  it('pay each other', async () => {
    const [, second, third] = SERVICES;
    const path = `/payments/${world.token}/${nodeOf(third).address}`;
    await until(
      async () =>
        (await ask(second, { method: 'POST', path, json: { amount: '7' } })).status === 200,
      'a payment from one key to another',
    );
  });

  it('get an answer that says what is wrong, and nothing else changes', async () => {
    const before = await world.events();
    const wrong = [
      [1_000_000n, SERVICES, 'insufficient_balance'],
      [DEPOSIT, ['node-2', 'node-2'], 'is a node that was named before'],
      [DEPOSIT, ['node-2'], 'there is only one node'],
      [0n, SERVICES, 'usage: '],
    ] as const;
    for (const [deposit, services, words] of wrong) {
      const { code, said } = await openChannels(deposit, services);
      expect(code).not.toBe(0);
      expect(said).toContain(words);
    }
    expect(await world.events()).toEqual(before);
  });

  it('leave a closed channel alone', async () => {
    const path = `/channels/${world.token}/${nodeOf('node-2').address}`;
    const closing = ask('primary', { method: 'PATCH', path, json: { state: 'closed' } });
    expect((await world.whileMining(closing)).status).toBe(200);
    const { code, said } = await openChannels(DEPOSIT);
    expect(code).not.toBe(0);
    expect(said).toContain('is closed: run this again when it is settled');
  });
});
