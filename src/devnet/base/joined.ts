/** Two connections that carry what the other brings, until one of them ends. */
import type { Duplex } from 'node:stream';

/** `all` has both for as long as they are open. */
export function joinSockets(near: Duplex, far: Duplex, all: Set<Duplex>): void {
  endTogether(near, far, all);
  endTogether(far, near, all);
  near.pipe(far).pipe(near);
}

function endTogether(socket: Duplex, other: Duplex, all: Set<Duplex>): void {
  all.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    all.delete(socket);
    other.destroy();
  });
}
