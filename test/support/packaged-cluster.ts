/** The three message brokers of `packaging/nats`, with its configuration and its script for access, on loopback. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Address } from '../../src/basics/hex.ts';
import { type NatsServer, natsServer, startNats } from './nats.ts';
import { freePort } from './processes.ts';

const PACKAGING = fileURLToPath(new URL('../../packaging', import.meta.url));
const SERVERS = ['nats-1', 'nats-2', 'nats-3'] as const;

/** Of the installed server, after the 2. */
function version(): [minor: number, patch: number] {
  const said = execFileSync(natsServer(), ['--version']).toString();
  const [, minor, patch] = /v2\.(\d+)\.(\d+)/.exec(said) ?? [];
  return [Number(minor), Number(patch)];
}

/** Before 2.10 a server ends when its configuration says how often it has to force its files to the disk. */
const isOld = () => version()[0] < 10;

/** Whether the server looks what a leaf says, as `hub.conf` demands it. */
export function checksLeaves(): boolean {
  const [minor, patch] = version();
  const first =
    new Map([
      [11, 16],
      [12, 7],
    ]).get(minor) ?? (minor < 11 ? Number.POSITIVE_INFINITY : 0);
  return patch >= first;
}

const textOf = (name: string) => readFileSync(join(PACKAGING, 'nats', name), 'utf8');

type Network = { chainId: bigint; registry: Address };
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Names and addresses of nodes, and of those who may keep a stream, its name; of a leaf, the names of its nodes. */
type Access = Record<string, { address: Address; stream?: string } | readonly string[]>;

/** `nodes`: those who are given access. */
export async function startCluster(
  { chainId, registry }: Network,
  nodes: Access,
  options: { hasLeaves?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));

  function giveAccess(names: Access): void {
    const given = Object.entries(names).map(([name, access]) => {
      if ('address' in access) {
        const { address, stream } = access;
        return [name, address, ...(stream === undefined ? [] : [stream])].join('=');
      }
      return `${name}=${access.join(',')}`;
    });
    execFileSync('bash', [join(PACKAGING, 'nats', 'access.sh'), folder, ...given], {
      env: { ...process.env, CHAIN_ID: String(chainId), REGISTRY: registry },
      stdio: 'pipe',
    });
  }
  giveAccess(nodes);
  return { ...(await startServers(folder, options)), giveAccess };
}

/** `folder`: what the script for access has made. `hasLeaves`: they let leaves in, too. */
export async function startServers(folder: string, { hasLeaves = false } = {}) {
  const configuration = textOf('nats.conf');
  const ports = await Promise.all(
    SERVERS.map(async (name) => ({
      name,
      client: await freePort(),
      route: await freePort(),
      leaf: await freePort(),
    })),
  );
  const routes = ports.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ');
  /** Only places are other ones than in a container, and what an older server does not know is left out. */
  function start({ name, client, route, leaf }: (typeof ports)[number]): Promise<NatsServer> {
    const file = `${name}.conf`;
    const own = configuration
      .replace('0.0.0.0:4222', `127.0.0.1:${client}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${route}`)
      .replace('127.0.0.1:8222', '127.0.0.1:-1')
      .replace(/routes: \[.*\]/, `routes: [${routes}]`)
      .replace(/^ *sync_interval: always\n/m, isOld() ? '' : '$&');
    writeFileSync(join(folder, file), own);
    const hub = textOf('hub.conf')
      .replace('"nats.conf"', `"${file}"`)
      .replace('0.0.0.0:7422', `127.0.0.1:${leaf}`);
    writeFileSync(join(folder, `hub-${file}`), hub);
    const env = { SERVER_NAME: name, STORE_DIR: join(folder, name) };
    const args = ['--config', hasLeaves ? `hub-${file}` : file];
    return startNats({ port: client, cwd: folder, env, args });
  }
  const servers: NatsServer[] = await Promise.all(ports.map(start));

  return {
    folder,
    ports,
    url: ports.map(({ client }) => `tls://127.0.0.1:${client}`).join(','),
    /** What lets this node in. */
    filesOf: (name: string) => ({
      'nats-ca': join(folder, 'nodes', name, 'broker-authority.pem'),
      'nats-cert': join(folder, 'nodes', name, 'broker.pem'),
      'nats-key': join(folder, 'nodes', name, 'broker.key'),
    }),
    /** Kills the server with this number; the answer starts it again. */
    async kill(index: number): Promise<() => Promise<void>> {
      const place = ports[index];
      if (place === undefined) throw new Error(`there is no server ${index}`);
      await servers[index]?.stop();
      return async () => {
        servers[index] = await start(place);
      };
    },
    /** Lets all servers read their configuration again. */
    reload(): void {
      for (const { pid } of servers) process.kill(pid, 'SIGHUP');
    },
    async stop(): Promise<void> {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the leaf of this name beside the cluster, which it finds at these ports. */
export async function startLeaf(folder: string, name: string, ports: readonly number[]) {
  const health = await freePort();
  const places = ports.map((port) => `"tls://127.0.0.1:${port}"`).join(', ');
  const own = textOf('leaf.conf')
    .replace('"127.0.0.1:8222"', `"127.0.0.1:${health}"`)
    .replace(/urls: \[.*\]/, `urls: [${places}]`);
  const cwd = join(folder, 'leaves', name);
  writeFileSync(join(cwd, 'leaf.conf'), own);
  const args = ['--config', 'leaf.conf'];
  const server = await startNats({ cwd, env: { SERVER_NAME: name }, args });
  return {
    port: server.port,
    url: `tls://127.0.0.1:${server.port}`,
    /** Whether it has found a server of the cluster. */
    async isJoined(): Promise<boolean> {
      const said = await fetch(`http://127.0.0.1:${health}/leafz`);
      return /"leafnodes": *[1-9]/.test(await said.text());
    },
    stop: server.stop,
  };
}
