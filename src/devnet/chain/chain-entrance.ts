/**
 * The address of a devnet's chain. anvil itself lets every web page in: over WebSockets, whatever page opens them, and
 * under any host name. So it listens where no browser calls, and everybody comes through here, where pages are refused
 * as they are by a node's API.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { isFree } from '../../host/port.ts';
import { JSON_HEADERS, refuse } from '../../http/answers/responses.ts';
import { BLOCKED_PORTS } from '../../http/blocked-ports.ts';
import { createDefence, headersOf } from '../../http/checks/defence.ts';
import { joinSockets } from '../base/joined.ts';
import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts';

export type Entrance = { url: string; close(): Promise<void> };
type Place = { host: string; port: number };

const LOOPBACK = '127.0.0.1';
/** Ports that a user may listen on, and that no browser calls under any name. */
const UNCALLED_PORTS = BLOCKED_PORTS.filter((port) => port > 1_023);
/** Linux has all of them, macOS the first. */
const LOOPBACKS = Array.from({ length: 8 }, (_, last) => `127.0.0.${last + 1}`);
/** Browser extensions, as wallets are: no page can give itself such an origin. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[^/]+$/;
/** Milliseconds without a request after which a connection is ended: here, and earlier on the way to the chain. */
const IDLE_MS = 60_000;
const IDLE_BEHIND_MS = 5_000;
/** What concerns one connection only (RFC 9110, section 7.6.1), and what is answered here already. */
const OF_ONE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect'];

/** Starts a chain on a loopback port that browsers never call. Rejects when all of them are taken. */
export async function startUnreachable(options: Pick<AnvilOptions, 'blockTime'>): Promise<Anvil> {
  const places = LOOPBACKS.flatMap((host) => UNCALLED_PORTS.map((port) => ({ host, port })));
  for (const place of places) {
    if (!(await isFree(place))) continue;
    try {
      return await startAnvil({ ...options, ...place, args: ['--no-cors'] });
    } catch (error) {
      // Another devnet that starts at the same moment has taken it, or looks whether it is free.
      if (!/address already in use/i.test(String(error))) throw error;
    }
  }
  throw new Error('all ports for the chain are taken, 6665 to 6669 among them: end another devnet');
}

/** `chain`: the URL of anvil; `port`: 0 takes a free one. */
export async function openEntrance(given: { chain: string; port: number }): Promise<Entrance> {
  const { hostname, port } = new URL(given.chain);
  const chain = { host: hostname, port: Number(port) };
  const judge = createDefence({
    allowedHosts: [],
    isNamedOrigin: (origin) => EXTENSION.test(origin),
  });
  const refusalOf = (asked: IncomingMessage) => judge(headersOf(asked), undefined);
  const agent = new Agent({ keepAlive: true, timeout: IDLE_BEHIND_MS });
  const upgraded = new Set<Duplex>();
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (asked, answer) => {
    const refusal = refusalOf(asked);
    if (refusal === null) passOn(asked, answer, { ...chain, agent });
    else void write(answer, refuse(refusal));
  });
  server.on('upgrade', (asked, near, head) => {
    near.on('error', () => near.destroy());
    if (refusalOf(asked) !== null)
      return near.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n', () => near.destroy());
    const far = connect(chain);
    far.write(headOf(asked, chain), 'latin1');
    far.write(head);
    joinSockets(near, far, upgraded);
  });
  const bound = await new Promise<AddressInfo | string | null>((resolve, reject) => {
    // Kept for later errors (no more files can be opened): without a listener they would end the devnet.
    server.on('error', reject);
    server.listen(given.port, LOOPBACK, () => resolve(server.address()));
  });
  if (bound === null || typeof bound === 'string') throw new Error('the entrance has no port');
  return {
    url: `http://${LOOPBACK}:${bound.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
        agent.destroy();
      }),
  };
}

/** Nobody waits here: a call may take as long as the chain takes. */
function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  chain: Place & { agent: Agent },
): void {
  const { method, url: path } = asked;
  const headers = { ...endToEnd(asked.headers), host: `${chain.host}:${chain.port}` };
  const forwarded = request({ ...chain, method, path, headers }, (told) => {
    answer.writeHead(told.statusCode ?? 502, endToEnd(told.headers));
    pipeline(told, answer, () => {});
  });
  forwarded.on('error', () => {
    if (answer.headersSent) return answer.destroy();
    const errors = 'The chain does not answer: has it ended?';
    answer.writeHead(502, JSON_HEADERS).end(JSON.stringify({ errors }));
  });
  answer.once('close', () => forwarded.destroy());
  asked.pipe(forwarded);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !OF_ONE_HOP.includes(name));
  return Object.fromEntries(kept);
}

/** The request for a WebSocket as the chain gets it. */
function headOf({ method, url, headers }: IncomingMessage, { host, port }: Place): string {
  const all = [...headersOf({ headers: { ...headers, host: `${host}:${port}` } })];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function write(answer: ServerResponse, response: Response): Promise<void> {
  const text = await response.text();
  answer.writeHead(response.status, Object.fromEntries(response.headers)).end(text);
}
