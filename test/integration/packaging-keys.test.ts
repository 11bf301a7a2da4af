/** The nodes of several keys in `packaging`: its setup, what its containers are told, and the channels between the keys. */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { good } from '../support/api.ts';
import { startPackagedWorld } from '../support/packaged-nodes.ts';
import type { Packaging } from '../support/packaged-setup.ts';
import type { World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const SERVICES = ['primary', 'node-2', 'node-3'] as const;
const DEPOSIT = 1_000n;

const deposits = v.array(v.object({ state: v.string(), total_deposit: v.string() }));
const targets = v.array(
  v.object({ targets: v.array(v.string()), labels: v.record(v.string(), v.string()) }),
);

let world: World;
let packaging: Packaging;
let set: Awaited<ReturnType<typeof startPackagedWorld>>;

const placesOf = (key: string, ...names: string[]) => ({
  targets: names.map((name) => `${name}:5001`),
  labels: { job: 'sluice', key },
});

async function depositsOf(service: string): Promise<string[]> {
  const channels = good(await set.ask(service, { path: '/channels' }));
  return v.parse(deposits, channels).map(({ state, total_deposit }) => `${state} ${total_deposit}`);
}

/** The step that opens channels, as an operator whose nodes are at these places calls it. */
async function openChannels(deposit: bigint, services: readonly string[] = SERVICES) {
  const places = services.map(
    (service) => `${set.nodeOf(service).api.url}=${set.tokenFileOf(service)}`,
  );
  const args = [world.token, String(deposit), ...places];
  const run = promisify(execFile)(join(packaging.folder, 'channels.sh'), args);
  return world.whileMining(
    run.then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    ),
  );
}

beforeAll(async () => {
  set = await startPackagedWorld(SERVICES);
  ({ world, packaging } = set);
});
afterAll(() => set?.stop());

describe('the packaged nodes of several keys', () => {
  it('are set up by the folders of their keys, each with its own access and nothing of the others', () => {
    expect(set.setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(packaging.folder, '.env'), 'utf8')).toContain(
      'COMPOSE_PROFILES=node-2,node-3\nAPI_PORTS=5001-5003\n',
    );
    const files = ['api-token', 'api-tokens', 'broker', 'contracts.json', 'keys', 'password'];
    expect(readdirSync(packaging.own('node-2')).toSorted()).toEqual(files);
    expect(packaging.textOf('node-2', 'api-token')).not.toBe(
      packaging.textOf('node-3', 'api-token'),
    );
    expect(statSync(packaging.own('node-2', 'password')).mode & 0o077).toBe(0);
    const users = packaging.textOf('nats', 'users.conf').split('user: ').slice(1);
    expect(
      users.map((user) =>
        [...user.matchAll(/sluice\.replica\.([\w-]+)/g)].map(([, stream]) => stream),
      ),
    ).toEqual([['node'], ['node-2'], ['node-3']]);
  });

  it('are read by Prometheus, each key with a token of its own that opens figures alone', () => {
    const files = readdirSync(packaging.own('prometheus')).toSorted();
    const keys = ['node', 'node-2', 'node-3'];
    expect(files).toEqual(keys.flatMap((key) => [`${key}-token`, `${key}.yml`]).toSorted());
    const tokens = keys.map((key) => packaging.textOf('prometheus', `${key}-token`));
    const folders = ['', 'node-2', 'node-3'];
    for (const [index, token] of tokens.entries())
      expect(
        folders.map((folder) => packaging.textOf(folder, 'api-tokens').includes(token)),
      ).toEqual(keys.map((_, other) => other === index));
    expect(packaging.textOf('node-2', 'api-tokens')).toContain(`\n${tokens[1]} metrics\n`);
    const places = keys.flatMap((key) =>
      v.parse(targets, parse(packaging.textOf('prometheus', `${key}.yml`))),
    );
    expect(places).toEqual([
      placesOf('node', 'primary', 'standby'),
      placesOf('node-2', 'node-2', 'standby-2'),
      placesOf('node-3', 'node-3', 'standby-3'),
    ]);
  });

  it('stay as they are when the setup runs again', () => {
    const before = ['api-token', 'broker/broker.key'].map((file) =>
      packaging.textOf('node-2', file),
    );
    expect(set.setUp().status).toBe(0);
    expect(
      ['api-token', 'broker/broker.key'].map((file) => packaging.textOf('node-2', file)),
    ).toEqual(before);
  });

  it('keep the tokens that the operator gave them, beside that of Prometheus', () => {
    const before = packaging.textOf('node-2', 'api-tokens');
    const given = `${'s'.repeat(16)} receive`;
    writeFileSync(packaging.own('node-2', 'api-tokens'), given);
    expect(set.setUp().status).toBe(0);
    const [, ...added] = packaging.textOf('node-2', 'api-tokens').split('\n');
    expect(packaging.textOf('node-2', 'api-tokens')).toMatch(new RegExp(`^${given}\n`));
    expect(added).toContain(`${packaging.textOf('prometheus', 'node-2-token')} metrics`);
    writeFileSync(packaging.own('node-2', 'api-tokens'), before);
  });

  it('never have a key twice', () => {
    cpSync(packaging.own('keys'), packaging.own('node-4', 'keys'), { recursive: true });
    expect(set.setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('packaging/own/node-4 has the key of another node'),
    });
    rmSync(packaging.own('node-4'), { recursive: true });
    expect(set.setUp().status).toBe(0);
  });

  it('are in the set of containers, with a standby that differs in its command and its data alone', () => {
    for (const number of [2, 3, 4, 5, 6, 7, 8]) {
      const [name, standby] = [`node-${number}`, `standby-${number}`];
      const node = packaging.service(name);
      expect(node).toEqual({
        command: packaging.service('primary').command,
        environment: {
          ...packaging.service('primary').environment,
          SLUICE_API_HOSTS: `${name},${standby},proxy`,
          SLUICE_REPLICATE: name,
        },
        ports: [],
        profiles: [name],
        volumes: [`./own/${name}:/etc/sluice:ro`, `./own/data/${name}:/var/lib/sluice`],
      });
      expect(packaging.service(standby)).toEqual({
        ...node,
        command: packaging.service('standby').command,
        volumes: [`./own/${name}:/etc/sluice:ro`, `./own/data/${standby}:/var/lib/sluice`],
      });
    }
  });

  it('get a channel between each two, with what the operator says, once', async () => {
    await set.startBrokers();
    for (const service of SERVICES) {
      const { address } = await set.start(service);
      await world.fund(address, 10n * DEPOSIT);
    }
    // One that an earlier call left half done, from the other side.
    const half = {
      token_address: world.token,
      partner_address: set.nodeOf('primary').address,
      total_deposit: '5',
    };
    const opening = set.ask('node-3', { method: 'PUT', path: '/channels', json: half });
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
    const path = `/payments/${world.token}/${set.nodeOf(third).address}`;
    await until(
      async () =>
        (await set.ask(second, { method: 'POST', path, json: { amount: '7' } })).status === 200,
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
    const path = `/channels/${world.token}/${set.nodeOf('node-2').address}`;
    const closing = set.ask('primary', { method: 'PATCH', path, json: { state: 'closed' } });
    expect((await world.whileMining(closing)).status).toBe(200);
    const { code, said } = await openChannels(DEPOSIT);
    expect(code).not.toBe(0);
    expect(said).toContain('is closed: run this again when it is settled');
  });
});
