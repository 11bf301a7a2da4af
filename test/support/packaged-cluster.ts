/** The three message brokers of `packaging/nats`, with its configuration and its script for access, on loopback. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Address } from '../../src/protocol/hex.ts';
import { type NatsServer, startNats } from './nats.ts';
import { freePort } from './processes.ts';

const PACKAGING = fileURLToPath(new URL('../../packaging', import.meta.url));
const SERVERS = ['nats-1', 'nats-2', 'nats-3'] as const;

type Network = { chainId: bigint; registry: Address };
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** `nodes`: names and addresses of those who are given access. */
export async function startCluster({ chainId, registry }: Network, nodes: Record<string, Address>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  copyFileSync(join(PACKAGING, 'nats', 'nats.conf'), join(folder, 'nats.conf'));

  function giveAccess(names: Record<string, Address>): void {
    const given = Object.entries(names).map(([name, address]) => `${name}=${address}`);
    execFileSync('bash', [join(PACKAGING, 'nats', 'access.sh'), folder, ...given], {
      env: { ...process.env, CHAIN_ID: String(chainId), REGISTRY: registry },
    });
  }
  giveAccess(nodes);

  const ports = await Promise.all(
    SERVERS.map(async (name) => ({
      name,
      client: await freePort(),
      route: await freePort(),
      health: await freePort(),
    })),
  );
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(',');
  /** Only places are other ones than in a container. */
  const start = ({ name, client, route, health }: (typeof ports)[number]) =>
    startNats({
      port: client,
      cwd: folder,
      env: { SERVER_NAME: name, STORE_DIR: join(folder, name) },
      args: [
        ...['--config', 'nats.conf', '--http_port', String(health)],
        ...['--cluster', `nats://127.0.0.1:${route}`, '--routes', routes],
      ],
    });
  const servers: NatsServer[] = await Promise.all(ports.map(start));

  return {
    folder,
    ports,
    url: ports.map(({ client }) => `tls://127.0.0.1:${client}`).join(','),
    giveAccess,
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
    async stop(): Promise<void> {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
