/** A Unix socket to listen on instead of a port: only who may open the file can reach the API. */
import { lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { isAbsolute } from 'node:path';

/** Connections that the system holds until they are taken; it may allow fewer. Those of a larger crowd try again. */
export const BACKLOG = 4_096;

const PREFIX = 'unix:';
/** The socket's file is readable and writable by its owner only. */
const UMASK = 0o177;
/** The longest path of a socket, which Linux and macOS both allow. */
const MOST_BYTES = 103;

/** The path in `unix:PATH`; null when `host` is an address or a host name. */
export function socketOf(host: string): string | null {
  return host.startsWith(PREFIX) ? host.slice(PREFIX.length) : null;
}

export function isSocketPath(path: string): boolean {
  return isAbsolute(path) && !path.includes('\0') && Buffer.byteLength(path) <= MOST_BYTES;
}

/** What is at the path: nothing, a socket on which no process listens any more, a socket in use, or something else. */
export type AtPath = 'nothing' | 'left' | 'used' | 'other';

export async function lookAt(path: string): Promise<AtPath> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  if (!stats.isSocket()) return 'other';
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (answer: AtPath) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end('used'));
    // Only a refused connection shows that nobody listens; after any other error the socket may be in use.
    socket.once('error', (error) =>
      end('code' in error && error.code === 'ECONNREFUSED' ? 'left' : 'used'),
    );
  });
}

/**
 * Listens at the path, and replaces the socket of a process that died. Only the owner has access to the file, from the
 * first moment on. Rejects with EADDRINUSE when a process listens there, or when the file is not a socket.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  const found = await lookAt(path);
  if (found === 'used' || found === 'other')
    throw Object.assign(new Error(`${path} is taken`), { code: 'EADDRINUSE' });
  if (found === 'left') unlinkSync(path);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(UMASK);
    // The file is created during this call, under the umask set above.
    server.listen({ path, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
    process.umask(before);
  });
}
