/** A machine with the key and a database of a replicated node, whose lines to the brokers can be cut. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type LineState, startTcpProxy } from '../support/tcp-proxy.ts';
import { type NodeFiles, writeNodeFiles } from './node-process.ts';
import type { Couple, Surroundings } from './replica-network.ts';

export type Machine = Awaited<ReturnType<typeof createMachine>>;
export type Process = Awaited<ReturnType<typeof startStandby>>;

const SOON_MS = 180_000;

export async function createMachine(
  { folder, chain, cluster, callers }: Surroundings,
  { payerKey: key, stream }: Couple,
  name: string,
) {
  const lines = await Promise.all(cluster.ports.map((port) => startTcpProxy(port)));
  const own = join(folder, `${stream}-${name}`);
  mkdirSync(own, { recursive: true });
  const nats = ['--nats', lines.map(({ url }) => url).join()];
  const further = [
    ...nats,
    '--api-concurrency',
    String(callers),
    '--replicate',
    stream,
    '--log-level',
    'info',
  ];
  const files = await writeNodeFiles(own, { chain, key, further });
  return {
    name,
    /** Resolves when it follows the stream; rejects when the process ends before. */
    start: () => startStandby(files, join(own, 'log')),
    setLines(state: LineState): void {
      for (const line of lines) line.set(state);
    },
    /** How often its database was set aside, and built again. */
    rebuilt: () => readdirSync(own).filter((file) => /replaced-\d+$/.test(file)).length,
    async stop(): Promise<void> {
      await Promise.all(lines.map((line) => line.stop()));
    },
  };
}

async function startStandby({ args, stateFolder }: NodeFiles, log: string) {
  const child = spawn(process.execPath, ['dist/src/cli/main.js', 'node', ...args, '--standby'], {
    env: { ...process.env, XDG_STATE_HOME: stateFolder },
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
  });
  const { pid, stdout } = child;
  if (pid === undefined || stdout === null) throw new Error('the standby has no process');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      process.off('exit', kill);
      resolve(code);
    });
  });
  const lines = createInterface({ input: stdout });
  const said = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const found = pattern.exec(line);
        if (found !== null) resolve(found[1] ?? '');
      });
    });
  const ready = said(/^ready: \S+ (\S+)$/);
  const early = ended.then((code) => {
    throw new Error(`the standby ended with ${code}: see ${log}`);
  });
  early.catch(() => undefined);
  await inTime(Promise.race([said(/^standby: (.*)$/), early]), `it follows: see ${log}`);
  return {
    pid,
    /** Resolves with the address of its API when it has taken over. */
    api: () => inTime(Promise.race([ready, early]), `it takes over: see ${log}`),
    signal: (name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM') => void child.kill(name),
    /** Resolves with its exit code. */
    end: () => inTime(ended, `it ends: see ${log}`),
    async kill(): Promise<void> {
      kill();
      await ended;
    },
  };
}

/** Rejects when that does not happen. */
export function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`within ${SOON_MS / 1_000} s not: ${what}`)),
      SOON_MS,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
