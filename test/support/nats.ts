import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

export type NatsServerOptions = {
  /** Default: a free one. Give the former one to start a server again in the same place. */
  port?: number;
  /** Further command line arguments, e.g. `['--user', 'a', '--pass', 'b']`. */
  args?: readonly string[];
  /** Where it is started: relative names of files in its configuration begin there. */
  cwd?: string;
  env?: Record<string, string>;
};

export type NatsServer = { url: string; port: number; pid: number; stop(): Promise<void> };

const FURTHER_PLACES = ['/usr/sbin', '/usr/local/bin'];

/** The program. */
export function natsServer(): string {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER_PLACES];
  for (const place of places) {
    const path = join(place, 'nats-server');
    if (isExecutable(path)) return path;
  }
  throw new Error('nats-server is not installed: run test/support/setup.sh');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The port of a server that is ready for clients. */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    if (child.stderr === null) throw new Error('nats-server was started without a pipe');
    const lines: string[] = [];
    let port: number | null = null;
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const found = /Listening for client connections on \S+:(\d+)/.exec(line)?.[1];
      if (found !== undefined) port = Number(found);
      if (port !== null && line.includes('Server is ready')) resolve(port);
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`nats-server ended with ${code} before it listened:\n${lines.join('\n')}`)),
    );
  });
}

/**
 * Starts a message broker on loopback and waits until it listens. `stop()` ends it; a test process that
 * exits without calling it takes the broker along.
 */
export async function startNats(options: NatsServerOptions = {}): Promise<NatsServer> {
  const args = ['--addr', '127.0.0.1', '--port', String(options.port ?? -1)];
  const child = spawn(natsServer(), [...args, ...(options.args ?? [])], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const port = await listening(child);
  const { pid } = child;
  if (pid === undefined) throw new Error('nats-server has no process id');
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      process.off('exit', kill);
    },
  };
}
