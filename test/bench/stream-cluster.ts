/** Brokers of one cluster on this machine, which keep streams. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../../src/devnet/base/child.ts';
import { findNatsServer } from '../../src/devnet/network/broker.ts';
import { freePort } from '../../src/host/port.ts';
import { createStream } from '../../src/replica/jetstream.ts';

const SERVERS = 3;
const FIRST_PORT = 14_222;
const PATIENCE_MS = 20_000;

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

type ClusterOptions = {
  /** One server alone keeps streams, too. */
  servers?: number;
  /** Is told every line that a server writes. */
  onLine?(name: string, line: string): void;
};

/** `folder`: where the streams are kept. */
export async function startCluster(
  folder: string,
  { servers = SERVERS, onLine }: ClusterOptions = {},
) {
  const command = findNatsServer();
  if (command === null) throw new Error('this benchmark needs a nats-server');
  const program = command;
  const ports = await portsFor(2 * servers);
  const clients = ports.slice(0, servers);
  const routes = ports.slice(servers).map((port) => `nats://127.0.0.1:${port}`);
  const children = new Map<number, Child>();

  async function start(at: number): Promise<void> {
    const name = `server-${at + 1}`;
    const own = ['--addr', '127.0.0.1', '--port', String(clients[at]), '--name', name];
    const stream = ['--jetstream', '--store_dir', join(folder, name)];
    const others = ['--cluster', routes[at] ?? '', '--cluster_name', 'bench', '--routes'];
    const cluster = servers === 1 ? [] : [...others, routes.join()];
    const args = [...own, ...stream, ...cluster];
    const heard = onLine === undefined ? {} : { onLine: (line: string) => onLine(name, line) };
    children.set(at, await startChild({ name, command: program, args, ...heard }));
  }
  for (const at of clients.keys()) await start(at);

  const url = clients.map((port) => `nats://127.0.0.1:${port}`).join();
  return {
    url,
    /** Those of the servers, for clients. */
    ports: clients,
    /** Makes a stream that so many servers keep, as soon as they have found each other. */
    async create(name: string, replicas: number): Promise<void> {
      const options = { url, name, inbox: 'bench', report() {}, replicas };
      const begin = performance.now();
      for (;;) {
        const made = await createStream(options);
        if (made.ok) return;
        if (performance.now() - begin > PATIENCE_MS) throw new Error(made.message);
        await delay(200);
      }
    },
    /** Ends one of them: in order, or as if its machine had no power any more. */
    async end(at: number, how: 'stop' | 'kill'): Promise<void> {
      await children.get(at)?.[how]();
      children.delete(at);
    },
    /** Starts it again in its place. */
    start,
    async stop(): Promise<void> {
      await Promise.all([...children.values()].map((child) => child.stop()));
    },
  };
}

async function portsFor(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort((ports.at(-1) ?? FIRST_PORT) + 1));
  return ports;
}
