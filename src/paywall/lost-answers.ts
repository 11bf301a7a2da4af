/**
 * Sold answers, kept for a while: a buyer whose connection broke off has paid for nothing else. They are given again only to
 * who comes with the same proof, which is a secret of its buyer, for the same method, URL and body, with the same credentials.
 */
import { createHash } from 'node:crypto';
import { namedIn } from '../x402/headers.ts';

/** Headers by which a server behind may know its caller: what it says to one is for no other, who may have seen the proof. */
const CREDENTIAL = /auth|cookie|key|token|session|x-user/;
const KEPT_MS = 60_000;
/** Bytes of one answer, and of the body of a call that may be repeated. */
const LONGEST = 65_536;
/** Bytes of all. */
const MOST = 16 * 2 ** 20;
/** What an answer takes besides. */
const OVERHEAD = 1_024;

type Kept = { status: number; headers: [string, string][]; body: Uint8Array<ArrayBuffer>[] };
type Entry = { kept: Kept; size: number; untilMs: number };
/** `request`: does not end when its caller leaves, who may come again for the answer. */
export type Repeatable = { key: string; request: Request };
/** Told of one answer, once. */
type Keeping = { keep(answer: Response): Response; forget(): void };
export type LostAnswers = ReturnType<typeof createLostAnswers>;

/** Null: its caller does not name it, or its body is longer. Rejects when the body breaks off. */
export async function repeatable(request: Request): Promise<Repeatable | null> {
  const shown = namedIn(request.headers);
  const hasBody = request.body !== null;
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (shown === null || (hasBody && !(length <= LONGEST))) return null;
  const { method, url, headers } = request;
  const body = hasBody ? await request.arrayBuffer() : null;
  const credentials = [...headers].filter(([name]) => CREDENTIAL.test(name));
  const words = JSON.stringify([...shown, method, url, ...credentials]);
  const hash = createHash('sha256').update(words);
  const key = hash.update(new Uint8Array(body ?? [])).digest('hex');
  return { key, request: new Request(url, { method, headers, body }) };
}

/** `now`: milliseconds. */
export function createLostAnswers(now: () => number) {
  const underWay = new Map<string, Promise<Kept | null>>();
  /** In the order in which they ended. */
  const entries = new Map<string, Entry>();
  let size = 0;

  function drop(key: string): void {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  /** The oldest go first. */
  function tidy(): void {
    for (const [key, { untilMs }] of entries) {
      if (untilMs > now() && size <= MOST) return;
      drop(key);
    }
  }

  return {
    /** Waits for one that is under way. Null: there is none. */
    async again(key: string): Promise<Response | null> {
      tidy();
      const kept = (await underWay.get(key)) ?? entries.get(key)?.kept;
      if (kept === undefined) return null;
      const { status, headers, body } = kept;
      return new Response(isBare(status) ? null : new Blob(body), { status, headers });
    },
    begin(key: string): Keeping {
      const { promise, resolve } = deferred<Kept | null>();
      underWay.set(key, promise);
      /** Whether it is the last that has begun under this key. */
      const end = (kept: Kept | null): boolean => {
        resolve(kept);
        return underWay.get(key) === promise && underWay.delete(key);
      };
      const note = (kept: Kept, bytes: number) => {
        if (!end(kept)) return;
        drop(key);
        entries.set(key, { kept, size: bytes + OVERHEAD, untilMs: now() + KEPT_MS });
        size += bytes + OVERHEAD;
        tidy();
      };
      const forget = () => void end(null);
      return { forget, keep: (answer) => copied(answer, { note, forget }) };
    },
  };
}

const isBare = (status: number) => [204, 205, 304].includes(status);

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

type Copying = { note(kept: Kept, bytes: number): void; forget(): void };

/** Passes it on as it comes. What its caller does not wait for is read all the same, as long as it can be kept. */
function copied(answer: Response, { note, forget }: Copying): Response {
  const headers = [...answer.headers];
  let bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const body: Uint8Array<ArrayBuffer>[] = [];
  const isKept = () => bytes <= LONGEST;
  let isOver = false;
  const end = () => {
    // The last part may have been on its way when the caller left.
    if (!isOver && isKept()) note({ status: answer.status, headers, body }, bytes);
    isOver = true;
  };
  const reader = answer.body?.getReader();
  if (!isKept()) forget();
  if (reader === undefined) {
    end();
    return answer;
  }
  /** Null: there is no more. */
  const next = async () => {
    try {
      const { done, value } = await reader.read();
      if (done) return null;
      bytes += value.byteLength;
      if (isKept()) body.push(Uint8Array.from(value));
      else forget();
      return value;
    } catch (error) {
      forget();
      throw error;
    }
  };
  const readOn = async () => {
    while (isKept()) if ((await next()) === null) return end();
    await reader.cancel();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const value = await next();
        if (value !== null) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel: () => void readOn().catch(() => {}),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, answer);
}
