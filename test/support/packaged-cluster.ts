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

/** Before 2.10 a server ends when its configuration says how often it has to force its files to the disk. */
function isOld(): boolean {
  const [, minor] = /v2\.(\d+)/.exec(execFileSync(natsServer(), ['--version']).toString()) ?? [];
  return Number(minor) < 10;
}

type Network = { chainId: bigint; registry: Address };
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Names and addresses of nodes, and of those who may keep a stream, its name. */
type Access = Record<string, { address: Address; stream?: string }>;

/** `nodes`: those who are given access. */
export async function startCluster({ chainId, registry }: Network, nodes: Access) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));

  function giveAccess(names: Access): void {
    const given = Object.entries(names).map(([name, { address, stream }]) =>
      [name, address, ...(stream === undefined ? [] : [stream])].join('='),
    );
    execFileSync('bash', [join(PACKAGING, 'nats', 'access.sh'), folder, ...given], {
      env: { ...process.env, CHAIN_ID: String(chainId), REGISTRY: registry },
    });
  }
  giveAccess(nodes);
  return { ...(await startServers(folder)), giveAccess };
}

/** `folder`: what the script for access has made. */
export async function startServers(folder: string) {
  const configuration = readFileSync(join(PACKAGING, 'nats', 'nats.conf'), 'utf8');
  const ports = await Promise.all(
    SERVERS.map(async (name) => ({
      name,
      client: await freePort(),
      route: await freePort(),
      health: await freePort(),
    })),
  );
  const routes = ports.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ');
  /** Only places are other ones than in a container, and what an older server does not know is left out. */
  function start({ name, client, route, health }: (typeof ports)[number]): Promise<NatsServer> {
    const file = `${name}.conf`;
    const own = configuration
      .replace('0.0.0.0:4222', `127.0.0.1:${client}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${route}`)
      .replace('127.0.0.1:8222', `127.0.0.1:${health}`)
      .replace(/routes: \[.*\]/, `routes: [${routes}]`)
      .replace(/^ *sync_interval: always\n/m, isOld() ? '' : '$&');
    writeFileSync(join(folder, file), own);
    const env = { SERVER_NAME: name, STORE_DIR: join(folder, name) };
    return startNats({ port: client, cwd: folder, env, args: ['--config', file] });
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
