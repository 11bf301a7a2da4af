/**
 * A loopback network and process ids of one's own, where every port is free whatever else runs on this
 * machine, and where everything ends with its first process. Only Linux has it, and not for everybody.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const UNSHARE = ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--mount-proc'];
const WITH_LOOPBACK = ['sh', '-c', 'ip link set lo up && exec "$@"', '--'];

/** What is put before a command to run it there; empty where that cannot be had. */
export function ownMachine(): string[] {
  const [command = '', ...args] = [...UNSHARE, '--kill-child', ...WITH_LOOPBACK];
  const isThere = spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0;
  return isThere ? [command, ...args] : [];
}

/** Fails with the port and what to do, when another program has one of these. */
export async function expectFree(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const server = createServer().listen({ host: '127.0.0.1', port });
    await once(server, 'listening').catch(() => {
      throw new Error(
        `port ${port} is taken by another program: this test needs the default ports; end that program and try again`,
      );
    });
    server.close();
    await once(server, 'close');
  }
}
