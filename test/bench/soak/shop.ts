/** A shop: a server of this process that knows nothing of payments, and `sluice paywall` before it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startChild } from '../../../src/devnet/base/child.ts';
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import type { Logs } from './logs.ts';

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** How often the server behind the paywall fails although it was paid. */
const FAILS = 0.03;
const UNAVAILABLE = 503;
/** In whole tokens of 18 decimals: an odd number of units. */
const PRICE = '0.001000000000000007';

/** `node`: the URL of the seller's node. */
export async function openShop(parts: { node: string; token: string; draw: Draw; logs: Logs }) {
  const { node, token, draw, logs } = parts;
  const served = new Map<string, number>();
  const server = createServer((request, response) => {
    const item = request.url ?? '';
    response.statusCode = draw.happens(FAILS) ? UNAVAILABLE : 200;
    if (response.statusCode === 200) served.set(item, (served.get(item) ?? 0) + 1);
    logs.note(`the shop answers ${item} with ${response.statusCode}`);
    response.end(item);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const upstream = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  const options = {
    '--upstream': upstream,
    '--node': node,
    '--price': `GET /v1/* ${PRICE} ${token}`,
    '--key-file': join(logs.folder, 'paywall.key'),
  };
  const paywall = await startChild({
    name: 'the paywall',
    command: process.execPath,
    args: ['dist/src/cli/main.js', 'paywall', ...Object.entries(options).flat()],
    onLine: (line) => logs.write('paywall', line),
  });
  const [, url = ''] = await paywall.line(/^ready: (\S+)/);
  return {
    url,
    /** How often each path was answered with what it sells. */
    served: () => served,
    isRunning: paywall.isRunning,
    async close(): Promise<void> {
      await paywall.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}
