/** A gate between one node and the message broker, which can be shut to do to the node what a broken cable does. */
import { createConnection, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { joinSockets } from '../base/joined.ts';

export type Gate = {
  /** The URL at which the node reaches the broker. */
  url: string;
  isOpen(): boolean;
  /** Ends all connections through the gate, and every new one at once. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
};

/** `broker`: a URL with host and port. Listens on a loopback port that the system chooses. */
export async function openGate(broker: string): Promise<Gate> {
  const { hostname, port } = new URL(broker);
  const sockets = new Set<Duplex>();
  let isOpen = true;
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (!isOpen) return void near.destroy();
    const far = createConnection({ host: hostname, port: Number(port), noDelay: true });
    near.setNoDelay(true);
    joinSockets(near, far, sockets);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the gate has no port');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${bound.port}`,
    isOpen: () => isOpen,
    shut() {
      isOpen = false;
      drop();
    },
    open() {
      isOpen = true;
    },
    close() {
      drop();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
