/** Three message brokers that keep streams together, each of which can be killed and started again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import { type NatsServer, startNats } from './nats.ts';
import { freePort } from './processes.ts';
import { until } from './until.ts';

export type NatsCluster = Awaited<ReturnType<typeof startNatsCluster>>;

type Member = { name: string; port: number; args: string[]; server: NatsServer | null };

/** `folder`: for their streams. Resolves when streams can be made. */
export async function startNatsCluster(folder: string) {
  const names = ['one', 'two', 'three'];
  const routes = await Promise.all(names.map(freePort));
  const members = await Promise.all(
    names.map(async (name, index): Promise<Member> => {
      const store = join(folder, `broker ${name}`);
      mkdirSync(store, { recursive: true });
      const cluster = ['--cluster_name', 'test', '--cluster', `nats://127.0.0.1:${routes[index]}`];
      const others = routes.filter((port) => port !== routes[index]);
      const known = others.map((port) => `nats://127.0.0.1:${port}`).join(',');
      const streams = ['--jetstream', '--store_dir', store, '--server_name', name];
      const args = [...streams, ...cluster, '--routes', known];
      return { name, port: await freePort(), args, server: null };
    }),
  );
  const url = members.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
  const member = (index: number): Member => {
    const found = members[index];
    if (found === undefined) throw new Error(`there is no broker ${index}`);
    return found;
  };
  const running = (index: number): NatsServer => {
    const { server } = member(index);
    if (server === null) throw new Error(`broker ${index} does not run`);
    return server;
  };

  async function start(index: number): Promise<void> {
    const one = member(index);
    one.server = await startNats({ port: one.port, args: one.args });
  }
  async function kill(index: number): Promise<void> {
    const { server } = member(index);
    member(index).server = null;
    await server?.stop();
  }
  async function stop(): Promise<void> {
    await Promise.all(members.map((_, index) => kill(index)));
  }

  async function ask<T>(question: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const servers = members.filter(({ server }) => server !== null).map(({ port }) => port);
    const connection = await connect({
      servers: servers.map((port) => `127.0.0.1:${port}`),
      reconnect: false,
    });
    try {
      return await question(connection);
    } finally {
      await connection.close();
    }
  }

  /** Who leads the stream and who follows, as its leader says; null while there is none. */
  function keepersOf(stream: string) {
    return ask(async (connection) => {
      const { streams } = await connection.jetstreamManager({ timeout: 1_000 });
      return (await streams.info(stream)).cluster ?? null;
    }).catch(() => null);
  }

  /** The place of the server that leads the stream; null while there is none. */
  async function leaderOf(stream: string): Promise<number | null> {
    const leader = (await keepersOf(stream))?.leader;
    const found = members.findIndex(({ name }) => name === leader);
    return found === -1 ? null : found;
  }

  try {
    await Promise.all(members.map((_, index) => start(index)));
    const knowsStreams = () =>
      ask((connection) => connection.jetstreamManager({ timeout: 1_000 })).then(
        () => true,
        () => false,
      );
    await until(knowsStreams, 'the brokers keep streams together');
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    /** All of them. */
    url,
    /** That of one alone. */
    urlOf: (index: number) => `nats://127.0.0.1:${member(index).port}`,
    portOf: (index: number) => member(index).port,
    kill,
    start,
    pause: (index: number) => void process.kill(running(index).pid, 'SIGSTOP'),
    resume: (index: number) => void process.kill(running(index).pid, 'SIGCONT'),
    leaderOf,
    async whenLed(stream: string): Promise<number> {
      let leader: number | null = null;
      const isLed = async () => {
        leader = await leaderOf(stream);
        return leader !== null;
      };
      await until(isLed, `somebody leads the stream ${stream}`);
      return leader ?? 0;
    },
    /** Resolves when every server has all of the stream: then another one may die. */
    async whenWhole(stream: string): Promise<void> {
      const isWhole = async () => {
        const followers = (await keepersOf(stream))?.replicas ?? [];
        return followers.filter(({ current }) => current).length === members.length - 1;
      };
      await until(isWhole, `all servers have the stream ${stream}`);
    },
    stop,
  };
}
