/** A line to a server on loopback that a test can cut, or let fall silent. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/**
 * `open`: passes everything on; `cut`: refuses and breaks connections; `silent`: takes what is said, in both
 * directions, and passes nothing on; `deaf`: passes on what is said to the server, and loses the answers.
 */
export type LineState = 'open' | 'cut' | 'silent' | 'deaf';
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

type Line = { client: Socket; server: Socket };

/** `target`: the port of the server, or which one it is at this moment. */
export async function startTcpProxy(target: number | (() => number)) {
  const targetNow = typeof target === 'number' ? () => target : target;
  const lines = new Set<Line>();
  let state: LineState = 'open';

  function join(client: Socket): void {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const line = { client, server: dial(targetNow(), '127.0.0.1') };
    lines.add(line);
    line.client.on('data', (chunk: Buffer) => {
      if (state === 'open' || state === 'deaf') line.server.write(chunk);
    });
    line.server.on('data', (chunk: Buffer) => {
      if (state === 'open') line.client.write(chunk);
    });
    for (const socket of [line.client, line.server]) {
      socket.on('error', () => {});
      // While the line is silent, nobody hears either that the other side is gone.
      socket.on('close', () => {
        if (state !== 'silent') end(line);
      });
    }
  }

  function end(line: Line): void {
    lines.delete(line);
    line.client.destroy();
    line.server.destroy();
  }

  const server = createServer(join);
  const port = await listen(server);
  return {
    url: `nats://127.0.0.1:${port}`,
    /** Connections that have lost bytes are broken when the line is open again. */
    set(next: LineState): void {
      const hasLost = state === 'silent' || state === 'deaf';
      state = next;
      if (next === 'cut' || (next === 'open' && hasLost)) for (const line of [...lines]) end(line);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const line of [...lines]) end(line);
        server.close(() => resolve());
      }),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
