/** Asks a server that the operator has named, over HTTP. It takes a third of the time of `fetch`, and tells trailers. */
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';

/** `body`: a stream is sent as it comes. */
export type Asked = {
  method: string;
  headers: Headers;
  body: ReadableStream<Uint8Array> | string | null;
  signal: AbortSignal | null;
};

/** Shorter than that for which servers keep a connection that nobody uses. */
const IDLE_MS = 3_000;
/** A server that says nothing for so long is given up. */
const SILENT_MS = 300_000;
/** An answer of so many bytes is taken whole: it is there at once, or cut off and none. */
const SHORT_BYTES = 65_536;

const options = { keepAlive: true, timeout: IDLE_MS };
const plain = { request: http.request, agent: new http.Agent(options) };
const secret = { request: https.request, agent: new https.Agent(options) };

/** What came behind the bodies of answers. */
const ends = new WeakMap<Response, http.IncomingMessage>();

/**
 * Follows no redirection. Rejects when there is no answer, or a short one is cut off; a longer one comes as it is sent, and its
 * body fails when it is cut.
 */
export function exchange(url: string, asked: Asked): Promise<Response> {
  const { method, body, signal } = asked;
  const { request, agent } = url.startsWith('https:') ? secret : plain;
  const headers = framed(asked);
  const told = {
    method,
    headers,
    agent,
    timeout: SILENT_MS,
    ...(signal === null ? {} : { signal }),
  };
  return new Promise((resolve, reject) => {
    let got: http.IncomingMessage | null = null;
    const fail = (error: Error) => {
      reject(error);
      // What has no length ends with its connection: broken off, it would seem to be whole.
      got?.destroy(error);
    };
    const sent = request(url, told, (head) => {
      got = head;
      answerOf(head, asked).then(resolve, fail);
    });
    sent.on('error', fail);
    // Also without an error, as when it begins to speak another protocol.
    sent.on('close', () => got ?? reject(new Error('it ends without an answer')));
    sent.on('timeout', () => sent.destroy(new Error('it says nothing for five minutes')));
    if (body === null || typeof body === 'string') return void sent.end(body);
    const source = Readable.from(body);
    source.on('error', (error) => sent.destroy(error));
    sent.on('close', () => source.destroy());
    source.pipe(sent);
  });
}

/** The same in the words of `fetch`. */
export function exchangeWith(url: string, init: RequestInit): Promise<Response> {
  const { method = 'GET', body, signal = null } = init;
  if (body != null && typeof body !== 'string') throw new Error('it sends text alone');
  return exchange(url, { method, headers: new Headers(init.headers), body: body ?? null, signal });
}

/** The values of a trailer, whose name is in small letters, once the body of the answer was read to its end. */
export function trailersOf(answer: Response, name: string): string[] {
  const { rawTrailers = [] } = ends.get(answer) ?? {};
  return rawTrailers.filter((_, at) => at % 2 === 1 && rawTrailers[at - 1]?.toLowerCase() === name);
}

/** Whether an answer with these headers was taken whole. */
export function isShort(headers: Headers): boolean {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,9}$/.test(length) && Number(length) <= SHORT_BYTES;
}

/** The body goes out as it came in. A length without a body, or a body without an end, would run into the next call. */
function framed({ headers, body }: Asked): Record<string, string> {
  const { 'content-length': length, ...others } = Object.fromEntries(headers);
  if (body === null || typeof body === 'string') return others;
  return length === undefined
    ? { ...others, 'transfer-encoding': 'chunked' }
    : { ...others, 'content-length': length };
}

async function answerOf(got: http.IncomingMessage, { method, signal }: Asked): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = got;
  if (status < 200 || status > 599) throw new Error(`it answers with the status ${status}`);
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const isBare = method === 'HEAD' || [204, 205, 304].includes(status);
  if (isBare) got.resume();
  const source = isBare ? null : unpacked(got, headers);
  const isWhole = source === got && isShort(headers);
  const body = source === null ? null : isWhole ? await wholeOf(got) : streamOf(source, signal);
  const answer = new Response(body, { status, statusText, headers });
  ends.set(answer, got);
  return answer;
}

const READERS: Partial<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
};

/** Callers of a server that was asked not to pack its answers cannot be supposed to unpack them. */
function unpacked(got: http.IncomingMessage, headers: Headers): Readable {
  const reader = READERS[headers.get('content-encoding')?.toLowerCase() ?? '']?.();
  if (reader === undefined) return got;
  headers.delete('content-encoding');
  headers.delete('content-length');
  got.on('error', (error) => reader.destroy(error));
  reader.on('close', () => got.destroy());
  return got.pipe(reader);
}

function wholeOf(got: http.IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    got.on('data', (part) => parts.push(part));
    got.on('end', () => resolve(Buffer.concat(parts)));
    got.on('error', reject);
  });
}

function streamOf(source: Readable, signal: Asked['signal']): ReadableStream<Uint8Array> {
  // It may fail before anybody reads it, who then is told.
  source.on('error', () => {});
  const parts = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done = false, value } = await parts.next();
        // What ends with its connection seems to be whole when that is broken off here.
        if (signal?.aborted) controller.error(signal.reason);
        else if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void source.destroy(),
    },
    { highWaterMark: 0 },
  );
}
