/** The HTTP server for the application: on loopback unless configured otherwise, with limits on slow clients. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Code } from '../protocol/codes.ts';
import { internalError, JSON_HEADERS, lineOf } from './answers/responses.ts';
import { cutUnread } from './answers/unread.ts';
import type { ApiEnv } from './checks/call.ts';
import { hostInUrl } from './checks/defence.ts';
import { BACKLOG, listenOnSocket, socketOf } from './socket-file.ts';

/** Timeouts in milliseconds. None of them limits how long a call may take. */
type Timeouts = {
  /**
   * For all headers of a request; also for a connection that sends nothing at all. A node that is short of time reads
   * late what came in time.
   */
  headers: number;
  /** For a whole request with its body. */
  request: number;
  /** For a connection without a request, after an answer. */
  idle: number;
  /** For a client to take the next part of an answer that is being sent. */
  unread: number;
  /** For answers in progress when the server is closed. */
  close: number;
  /** For calls that were sent before the close and are still on their way to the server. */
  late: number;
};

const TIMEOUTS: Timeouts = {
  headers: 30_000,
  request: 30_000,
  idle: 60_000,
  unread: 60_000,
  close: 5_000,
  late: 50,
};

export type ServeOptions = {
  app: Pick<Hono<ApiEnv>, 'fetch'>;
  /** Address or name to listen on, or `unix:PATH` for a socket; default 127.0.0.1. */
  host?: string;
  /** 0 takes a free port; a socket has none. */
  port: number;
  /** Whether `host` may be something other than loopback; only for an API that demands a token. */
  allowPublic?: boolean;
  timeouts?: Partial<Timeouts>;
};

export type ApiServer = {
  /** Without a slash at the end; `unix:PATH` for a socket. */
  url: string;
  /** 0: a socket. */
  port: number;
  /** Soon takes no new connections, waits a while for answers in progress, then cuts the rest. */
  close(): Promise<void>;
};

/** Starts to listen. Rejects with advice when the host is public, and with the system's error (EADDRINUSE). */
export async function serve(options: ServeOptions): Promise<ApiServer> {
  const { app, host = '127.0.0.1', port, allowPublic = false } = options;
  if (!allowPublic && !isLoopback(host)) {
    throw new Error(
      `${host} can be reached from other machines, and whoever reaches the API can spend the node's ` +
        'money. Listen on 127.0.0.1, or set up an API token first.',
    );
  }
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const socket = socketOf(host);
  const boundHost = socket === null ? hostInUrl(host) : 'localhost';
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.idle,
      connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
      // The listener answers it, because the built-in answer has no body.
      requireHostHeader: false,
    },
    getRequestListener(
      (request, { incoming, outgoing }) =>
        app.fetch(request, { boundHost, cut: () => void outgoing.destroy(), incoming }),
      { errorHandler },
    ),
  );
  const silent = silentSockets(server);
  endBodiesOfWhoLeft(server);
  cutUnread(server, timeouts.unread);
  server.on('clientError', answerBrokenRequest);
  // The built-in answer has no body either.
  server.on('checkExpectation', (_, response: ServerResponse) => {
    response.writeHead(417, { ...JSON_HEADERS, connection: 'close' });
    response.end(errorsText('Only the expectation 100-continue can be met.'));
  });
  if (socket === null) await listen(server, host.replace(/^\[(.*)\]$/, '$1'), port);
  else await listenOnSocket(server, socket);
  const bound = boundPort(server);
  let closing: Promise<void> | null = null;
  return {
    url: socket === null ? `http://${boundHost}:${bound}` : host,
    port: bound,
    close() {
      closing ??= delay(timeouts.late).then(() => close(server, silent, timeouts.close));
      return closing;
    },
  };
}

/** Whether no other machine can reach the host. */
export function isLoopback(host: string): boolean {
  if (socketOf(host) !== null) return true;
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

function boundPort(server: Server): number {
  const bound = server.address();
  if (bound === null) throw new Error('the server does not listen');
  return typeof bound === 'string' ? 0 : bound.port;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Connections without a request so far. Browsers open some in reserve, and Node does not count them as idle: closing
 * the server would wait for them.
 */
function silentSockets(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  // Runs before the application's listener, whose answer may close the server at once.
  server.prependListener('request', ({ socket }) => silent.delete(socket));
  return silent;
}

/** Of a caller that leaves after its answer, in the middle of its body, Node tells nobody: whoever reads that body would wait. */
function endBodiesOfWhoLeft(server: Server): void {
  server.on('request', (incoming, outgoing) => {
    outgoing.once('finish', () => {
      if (incoming.complete) return;
      const end = () => void incoming.destroy();
      incoming.socket.once('close', end);
      incoming.once('close', () => incoming.socket.off('close', end));
    });
  });
}

function close(server: Server, silent: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    for (const socket of silent) socket.destroy();
    // Connections become idle one by one as their answers end; Node closes only those idle right now.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}

/** Answers requests that do not reach the application: without a host, or with one that makes no valid URL. */
function errorHandler(error: unknown): Response {
  if (!(error instanceof RequestError)) return internalError();
  return new Response(
    errorsText('The URL or the host name of the request is missing or malformed.'),
    {
      status: 400,
      headers: JSON_HEADERS,
    },
  );
}

const BROKEN: Record<string, readonly [line: string, errors: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

/** The HTTP parser gave up: there is no request object, so the answer is written by hand. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [line, text] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'This is not HTTP.'];
  const body = errorsText(text);
  const headers = { ...JSON_HEADERS, connection: 'close', 'content-length': String(body.length) };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${line}\r\n${head.join('')}\r\n${body}`, () => socket.destroy());
}

function errorsText(errors: string): string {
  return lineOf({ errors, code: 'broken_request' satisfies Code });
}
