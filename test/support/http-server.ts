/** A server over HTTP that answers as a test says. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** Its URL. What ends it joins `ends`. */
export async function listening(
  listener: RequestListener,
  ends: (() => unknown)[],
): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
}
