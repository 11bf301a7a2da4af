/** Callers of a node's API, each on a connection of its own that stays open. */
import { connect, type Socket } from 'node:net';

export type Answer = { status: number; body: string };

/**
 * One caller. `call` rejects when the connection breaks. It writes and reads HTTP/1.1 by itself: callers share the
 * machine with the nodes, and Node's own client would take a tenth of it.
 */
export function createCaller(base: string) {
  const { hostname, port, host } = new URL(base);
  let socket: Socket | null = null;
  let unread = '';
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;

  function connected(): Socket {
    if (socket !== null) return socket;
    const made = connect({ host: hostname, port: Number(port), noDelay: true });
    made.setEncoding('utf8');
    made.on('data', (text: string) => {
      unread += text;
      const found = answerIn(unread);
      if (found === null) return;
      unread = unread.slice(found.end);
      const caller = waiting;
      waiting = null;
      caller?.resolve(found.answer);
    });
    made.on('error', (error) => fail(error));
    made.on('close', () => fail(new Error('the node closed the connection')));
    socket = made;
    return made;
  }

  function fail(error: Error): void {
    socket = null;
    waiting?.reject(error);
    waiting = null;
  }

  return {
    call: (method: string, path: string, body?: unknown): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        const text = body === undefined ? '' : JSON.stringify(body);
        const type = text === '' ? '' : 'content-type: application/json\r\n';
        const length = `content-length: ${Buffer.byteLength(text)}\r\n`;
        connected().write(
          `${method} /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\n${type}${length}\r\n${text}`,
        );
      }),
    close: () => socket?.destroy(),
  };
}

/** The answer at the beginning of what was read, and where it ends; null: not all of it is there yet. */
function answerIn(text: string): { answer: Answer; end: number } | null {
  const begin = text.indexOf('\r\n\r\n') + 4;
  if (begin < 4) return null;
  const head = text.slice(0, begin);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const found = length === undefined ? chunksIn(text, begin) : wholeIn(text, begin, Number(length));
  if (found === null) return null;
  return { answer: { status: Number(head.slice(9, 12)), body: found.body }, end: found.end };
}

/** Answers of these benchmarks are ASCII: a character is a byte. */
function wholeIn(text: string, begin: number, length: number) {
  const end = begin + length;
  return text.length < end ? null : { body: text.slice(begin, end), end };
}

/** A body that comes in chunks, each with its length in hexadecimal before it. */
function chunksIn(text: string, begin: number) {
  let body = '';
  for (let at = begin; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return null;
    const length = Number.parseInt(text.slice(at, line), 16);
    const end = line + 2 + length;
    if (text.length < end + 2) return null;
    if (length === 0) return { body, end: end + 2 };
    body += text.slice(line + 2, end);
    at = end + 2;
  }
}

export type Load = { rate: number; p50: number; p99: number; first: number; last: number };

/**
 * `total` calls by `callers` at a time. Rates per second, latencies in milliseconds; `first` and `last`
 * are the rates of the first and the last tenth. Throws when a call is not answered with 200.
 */
export async function load(
  base: string,
  path: string,
  body: unknown,
  { callers, total }: { callers: number; total: number },
): Promise<Load> {
  const ends: number[] = [];
  const latencies: number[] = [];
  let left = total;
  const begin = performance.now();
  async function work() {
    const caller = createCaller(base);
    while (left-- > 0) {
      const asked = performance.now();
      const { status, body: answer } = await caller.call('POST', path, body);
      if (status !== 200) throw new Error(`payment answered ${status}: ${answer}`);
      const now = performance.now();
      ends.push(now);
      latencies.push(now - asked);
    }
    caller.close();
  }
  await Promise.all(Array.from({ length: callers }, work));
  const end = performance.now();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.floor(q * (latencies.length - 1))] ?? 0;
  const tenth = Math.floor(total / 10);
  const at = (index: number) => ends[index] ?? end;
  return {
    rate: (total * 1000) / (end - begin),
    p50: quantile(0.5),
    p99: quantile(0.99),
    first: (tenth * 1000) / (at(tenth - 1) - begin),
    last: (tenth * 1000) / (end - at(total - tenth)),
  };
}
