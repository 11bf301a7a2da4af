/**
 * Makes a call until it is known what became of it, each time with the same `Idempotency-Key`: what it asks for is done
 * once, however often a connection is lost or a node starts anew in between.
 */
import { OUTCOMES, type Outcome } from '../protocol/codes.ts';
import { pause } from './pause.ts';

/**
 * `outcome`: `not_begun` and `failed`: nothing is done, nor will be; `pending`: it may still be done, ask again with the
 * same key. `code` and `reason`: why, as the node says it; code null: no answer came. `identifier`: of a payment that was
 * begun, as far as it is known.
 */
export type Undone = {
  outcome: Outcome;
  code: string | null;
  reason: string;
  identifier: bigint | null;
};
/** `isPassing`: another try can change it. */
export type Told = { ok: false; isPassing: boolean; retryAfterMs: number | null } & Undone;
type Done<T> = { ok: true; value: T };
export type Insisting = {
  /** Names this call among all of the caller: with the key of an earlier process, its call is gone on with. */
  key: string;
  /** Milliseconds after which nothing more is asked. */
  timeoutMs: number;
  /** Ends the asking, not what is asked for. */
  signal?: AbortSignal | undefined;
};

/** Milliseconds before the second question; each further pause is twice as long. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Statuses of a node, or of a proxy before it, that another try can change. */
const PASSING = [429, 500, 502, 503, 504];
const DIGITS = /^\d{1,20}$/;

const UNKNOWN: Told = {
  ok: false,
  outcome: 'pending',
  code: null,
  reason: 'The node did not answer.',
  identifier: null,
  isPassing: true,
  retryAfterMs: null,
};
const NOT_ASKED: Told = { ...UNKNOWN, outcome: 'not_begun', reason: 'It was not asked for.' };

/** What every answer of the typed client has. */
export type ClientAnswer = { status: number; headers: Headers; text(): Promise<string> };
/** What is sent with a call besides its content. */
export type CallOptions = { headers: Record<string, string>; init: { signal: AbortSignal } };

/** `ask` makes the call, and reads the value of an answer that is a success; null: it is none. Never throws. */
export async function insist<A extends ClientAnswer, T>(
  { key, timeoutMs, signal }: Insisting,
  ask: (options: CallOptions) => Promise<A>,
  read: (answer: A) => Promise<T> | null,
): Promise<Done<T> | Told> {
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  const options = { headers: { 'idempotency-key': key }, init: { signal: over.signal } };
  let told = NOT_ASKED;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; !over.signal.aborted; pauseMs *= 2) {
      const answer = await answered(() => ask(options), read);
      if (answer.ok) return answer;
      // That it began once is not made undone by an answer that did not come.
      told =
        answer.code === null && told.outcome === 'pending' ? { ...told, isPassing: true } : answer;
      if (!told.isPassing) break;
      const asLongAs = answer.retryAfterMs ?? Math.min(pauseMs, LONGEST_PAUSE_MS);
      await pause(asLongAs, over.signal);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
  return told;
}

/** One call. A connection that is lost says nothing about what the node has done. */
async function answered<A extends ClientAnswer, T>(
  ask: () => Promise<A>,
  read: (answer: A) => Promise<T> | null,
): Promise<Done<T> | Told> {
  try {
    const answer = await ask();
    const value = read(answer);
    if (value !== null) return { ok: true, value: await value };
    return toldBy(answer.status, answer.headers, await answer.text());
  } catch {
    return UNKNOWN;
  }
}

/** What an answer that is no success says. One that does not come from a node is of no use, and asked for again. */
function toldBy(status: number, headers: Headers, text: string): Told {
  const said = objectIn(text);
  const outcome = outcomeIn(said['outcome'] ?? headers.get('sluice-outcome'));
  const identifier = said['identifier'] ?? headers.get('sluice-identifier');
  const seconds = headers.get('retry-after');
  return {
    ok: false,
    outcome: outcome ?? 'pending',
    code: typeof said['code'] === 'string' ? said['code'] : null,
    reason: typeof said['errors'] === 'string' ? said['errors'] : text,
    identifier:
      typeof identifier === 'string' && DIGITS.test(identifier) ? BigInt(identifier) : null,
    isPassing: outcome === 'pending' || (outcome !== 'failed' && PASSING.includes(status)),
    retryAfterMs: seconds !== null && /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : null,
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const outcomeIn = (value: unknown): Outcome | null =>
  OUTCOMES.find((outcome) => outcome === value) ?? null;

/** 128 bits, drawn: no two calls have one key. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
