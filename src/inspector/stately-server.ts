/**
 * A WebSocket on loopback for clients of `@statelyai/inspect`. It reads the inspector's own stream, so that the
 * journal is the buffer; messages from clients are ignored.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { headersOf } from '../http/checks/defence.ts';
import { decode } from '../store/base/codec.ts';
import { isAnswer } from './answers.ts';
import { createEventReader } from './event-stream.ts';
import { asText, createStately, type StatelyEvent } from './stately.ts';

type Handle = (request: Request, ending?: AbortSignal) => Promise<Response>;
export type StatelyOptions = {
  /** 0 takes a free port. */
  port: number;
  handle: Handle;
  /** Whether the API would accept a request with these headers: a page of another site must not read along. */
  admits: (headers: Headers) => boolean;
  onFailure: (error: unknown) => void;
};
export type StatelyServer = { port: number; end(): Promise<void> };

const HOST = '127.0.0.1';
const MOST_CLIENTS = 4;
/** The most live actors that a new client is told of at first. */
const MOST_ACTORS = 200;
/** The most bytes that may wait for a client; one that does not read them is disconnected. */
const MOST_WAITING = 8 * 1_048_576;
/** The most bytes in a message from a client, which is thrown away. */
const MOST_SAID = 64 * 1024;

/** Rejects when the port cannot be listened on. */
export async function serveStately(options: StatelyOptions): Promise<StatelyServer> {
  const { port, admits, handle, onFailure } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_SAID });
  const server = createServer((_, response) => {
    response.writeHead(426, { 'content-type': 'text/plain' }).end('This is a WebSocket.\n');
  });
  server.on('upgrade', (request, socket, head) => {
    // From here on the HTTP server has no listener on the socket: an error of the connection would end the node.
    socket.on('error', () => socket.destroy());
    const refusal = !admits(headersOf(request))
      ? '403 Forbidden'
      : sockets.clients.size >= MOST_CLIENTS
        ? '503 Service Unavailable'
        : null;
    if (refusal !== null)
      return socket.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\n\r\n`, () => socket.destroy());
    sockets.handleUpgrade(request, socket, head, (client) => {
      // A broken connection is the client's matter, not an error to report.
      client.on('error', () => client.terminate());
      tell(client, handle).catch((error: unknown) => {
        client.terminate();
        onFailure(error);
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    // Kept for later errors (no more files can be opened): without a listener they would end the node.
    server.on('error', reject);
    server.listen(port, HOST, resolve);
  });
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    end: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        server.close(() => resolve());
        // An idle connection would hold up the end of the node.
        server.closeAllConnections();
      }),
  };
}

/** Sends the live actors, then everything that happens, until the client disconnects. */
async function tell(client: WebSocket, handle: Handle): Promise<void> {
  const ending = new AbortController();
  client.once('close', () => ending.abort());
  const stately = createStately();
  const send = (event: StatelyEvent) => {
    if (client.bufferedAmount > MOST_WAITING) client.terminate();
    else if (client.readyState === client.OPEN) client.send(asText(event));
  };
  const actors = await ask(handle, 'actors');
  if (!isAnswer('actors', actors)) throw new Error('the inspector does not tell its actors');
  const living = actors.actors.filter(({ isEnded }) => !isEnded).slice(0, MOST_ACTORS);
  for (const { actor } of living) {
    const view = await ask(handle, `actors/${encodeURIComponent(actor)}`);
    // Null: the actor has ended meanwhile.
    if (isAnswer('actor', view)) send(stately.present(view));
  }
  const reader = createEventReader((_, steps) => {
    for (const records of steps) for (const event of stately.step(records)) send(event);
  });
  const events = `events?last_event_id=${actors.seq}&kinds=spawn,event,transition,stop`;
  const { body } = await handle(new Request(`http://node/inspector/${events}`), ending.signal);
  if (body === null) return;
  for await (const text of body.pipeThrough(new TextDecoderStream())) reader.take(text);
}

async function ask(handle: Handle, path: string): Promise<unknown> {
  const response = await handle(new Request(`http://node/inspector/${path}`));
  return response.ok ? decode(await response.text()) : null;
}
