/**
 * Cuts off clients that do not read what they asked for. The rest of an answer waits until the client takes it, and
 * keeps the connection, what it is read from, and perhaps one of few streams for as long.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection had to send when it was looked at, and since when nothing of it has been taken. */
type Unread = { length: number; written: number; since: number };

/** Looks at the connections for as long as the server listens. A connection with nothing to send is left alone. */
export function cutUnread(server: Server, patienceMs: number): void {
  const sockets = new Map<Socket, Unread | null>();
  server.on('connection', (socket) => {
    sockets.set(socket, null);
    socket.once('close', () => sockets.delete(socket));
  });

  function look(now: number): void {
    for (const [socket, before] of sockets) {
      const { writableLength: length, bytesWritten: written } = socket;
      const isSame = before !== null && before.length === length && before.written === written;
      if (length === 0) sockets.set(socket, null);
      else if (!isSame) sockets.set(socket, { length, written, since: now });
      else if (now - before.since >= patienceMs) socket.destroy();
    }
  }

  const timer = setInterval(() => look(performance.now()), patienceMs / 4);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
