/** Connections without an HTTP client: they send exactly what they are told, many requests at once. */
import { connect, type Socket } from 'node:net';

type RawAnswer = { status: number; headers: string; body: string };
export type Raw = Awaited<ReturnType<typeof openRaw>>;

export async function openRaw(url: string) {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const reader = createReader();
  let received = '';
  socket.on('data', (chunk) => {
    reader.push(chunk);
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    /** All that are whole, in order; not for answers to HEAD. */
    answers: reader.answers,
    /** What has arrived so far. */
    text: () => received,
    /** Waits while the other side takes no more. Answers false when the connection is gone. */
    write: (data: string | Uint8Array) => write(socket, data),
    isGone: () => socket.destroyed || socket.readableEnded,
  };
}

function write(socket: Socket, data: string | Uint8Array): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    socket.once('close', () => resolve(false));
    socket.write(data, (error) => resolve(error === null || error === undefined));
  });
}

/** A request as text; `body` is sent with its length. */
export function rawRequest(method: string, path: string, body?: string): string {
  const head = `${method} /api/v1${path} HTTP/1.1\r\nHost: localhost\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const length = Buffer.byteLength(body);
  return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Cuts what arrives into answers; each must say its length. */
function createReader() {
  const answers: RawAnswer[] = [];
  let left = Buffer.alloc(0);

  function next(): boolean {
    const end = left.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const headers = left.subarray(0, end).toString('latin1');
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? 0);
    const start = end + 4;
    if (left.length < start + length) return false;
    const body = left.subarray(start, start + length).toString();
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1]);
    answers.push({ status, headers: headers.toLowerCase(), body });
    left = left.subarray(start + length);
    return true;
  }
  return {
    answers,
    push(chunk: Buffer) {
      left = Buffer.concat([left, chunk]);
      while (next());
    },
  };
}
