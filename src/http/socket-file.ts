/** A Unix socket to listen on instead of a port: whoever may not open the file reaches nothing. */
import { lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { isAbsolute } from 'node:path';

const PREFIX = 'unix:';
/** For the owner alone. */
const UMASK = 0o177;
/** What an address of a socket holds at most, on Linux and macOS alike. */
const MOST_BYTES = 103;

/** The path in `unix:PATH`; null: it is the name of a host. */
export function socketOf(host: string): string | null {
  return host.startsWith(PREFIX) ? host.slice(PREFIX.length) : null;
}

export function isSocketPath(path: string): boolean {
  return isAbsolute(path) && !path.includes('\0') && Buffer.byteLength(path) <= MOST_BYTES;
}

/** What stands at the path: nothing, a socket that nobody answers at, one that is used, or something else. */
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
    // Only a refusal says that nobody is there: one that lacks the right may not take it from its owner.
    socket.once('error', (error) =>
      end('code' in error && error.code === 'ECONNREFUSED' ? 'left' : 'used'),
    );
  });
}

/**
 * Listens, in the place of a process that died if need be. The file is its owner's from the first moment on.
 * Rejects with EADDRINUSE when somebody is there, or when the file is no socket.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  const found = await lookAt(path);
  if (found === 'used' || found === 'other')
    throw Object.assign(new Error(`${path} is taken`), { code: 'EADDRINUSE' });
  if (found === 'left') unlinkSync(path);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(UMASK);
    // The file is made in this very call.
    server.listen({ path, backlog: 1_024 }, () => {
      server.off('error', reject);
      resolve();
    });
    process.umask(before);
  });
}
