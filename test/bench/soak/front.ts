/** What stands before the two machines of a node: one address, whose connections go to the machine that is ready. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Front = Awaited<ReturnType<typeof openFront>>;

/** `target`: the URL of the machine that is ready now; null: there is none. */
export async function openFront(target: () => string | null) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const url = target();
    if (url === null) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(url);
    const machine = connect({ host: hostname, port: Number(port) });
    for (const [one, other] of [
      [client, machine],
      [machine, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : null;
  return {
    url: `http://127.0.0.1:${port}`,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
