import { once } from 'node:events';
import { createServer } from 'node:net';
import { isCallable } from '../http/blocked-ports.ts';

const HIGHEST = 65_535;
const LOOPBACK = '127.0.0.1';

/** The first free loopback port from `first` on that `fetch` may call; 0 stays 0, which lets the system choose. */
export async function freePort(first: number): Promise<number> {
  if (first === 0) return 0;
  for (let port = first; port <= HIGHEST; port++)
    if (isCallable(port) && (await isFree({ host: LOOPBACK, port }))) return port;
  throw new Error(`there is no free port from ${first} on`);
}

/** Whether this machine has the address, and nobody listens there on the port. */
export async function isFree({ host, port }: { host: string; port: number }): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen({ host, port });
    await listening;
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
