/**
 * A payment that is asked for until it is known what became of it. Each time it has the same `Idempotency-Key`, so that the
 * node pays once, however often a connection is lost or a node starts anew in between.
 */
import { OUTCOMES, type Outcome } from '../protocol/codes.ts';
import { type ClientOptions, createClient } from './api.ts';
import { pause } from './pause.ts';

/** `amount`: in the token's smallest unit. `identifier`: a tag for the target, 1 to 2^64 - 1. */
export type PayOrder = {
  token: string;
  target: string;
  amount: bigint;
  identifier?: bigint;
};
export type PayOptions = ClientOptions & {
  /** Names this payment among all of the caller: with the key of an earlier process, its payment is gone on with. */
  key?: string;
  /** Milliseconds after which nothing more is asked; default a minute. */
  timeoutMs?: number;
  /** Ends the asking, not the payment. */
  signal?: AbortSignal;
};
/** The target has the amount. */
export type Paid = {
  ok: true;
  amount: bigint;
  identifier: bigint;
  secret: string;
  secretHash: string;
};
/**
 * `outcome`: `not_begun` and `failed`: nothing is paid, nor will be; `pending`: it may still be paid, ask again with the
 * same key. `code` and `reason`: why, as the node says it; code null: no answer came. `identifier`: of a payment that was
 * begun, as far as it is known.
 */
export type Unpaid = {
  ok: false;
  outcome: Outcome;
  code: string | null;
  reason: string;
  identifier: bigint | null;
  key: string;
};

const TIMEOUT_MS = 60_000;
/** Milliseconds before the second question; each further pause is twice as long. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Statuses of a node, or of a proxy before it, that another try can change. */
const PASSING = [429, 500, 502, 503, 504];
const DIGITS = /^\d{1,20}$/;

type Told = Omit<Unpaid, 'ok' | 'key'> & { isPassing: boolean; retryAfterMs: number | null };

/** Never throws: whatever happens is told by what it answers. */
export async function pay(
  url: string,
  order: PayOrder,
  { key = newKey(), timeoutMs = TIMEOUT_MS, signal, ...options }: PayOptions = {},
): Promise<Paid | Unpaid> {
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  const ask = () => asked(url, order, { key, signal: over.signal, ...options });
  let told: Told = { ...UNKNOWN, outcome: 'not_begun', reason: 'The payment was not asked for.' };
  try {
    for (let pauseMs = FIRST_PAUSE_MS; !over.signal.aborted; pauseMs *= 2) {
      const answer = await ask();
      if ('ok' in answer) return answer;
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
  const { outcome, code, reason, identifier } = told;
  return { ok: false, outcome, code, reason, identifier, key };
}

const UNKNOWN: Told = {
  outcome: 'pending',
  code: null,
  reason: 'The node did not answer.',
  identifier: null,
  isPassing: true,
  retryAfterMs: null,
};

type Asking = ClientOptions & { key: string; signal: AbortSignal };

/** One call. A connection that is lost says nothing about what the node has done. */
async function asked(
  url: string,
  { token, target, amount, identifier }: PayOrder,
  { key, signal, ...options }: Asking,
): Promise<Paid | Told> {
  const { payments } = createClient(url, options);
  const tag = identifier === undefined ? {} : { identifier: `${identifier}` };
  try {
    const answer = await payments[':token'][':partner'].$post(
      { param: { token, partner: target }, json: { amount: `${amount}`, ...tag } },
      { headers: { 'idempotency-key': key }, init: { signal } },
    );
    if (answer.status !== 200) return toldBy(answer.status, answer.headers, await answer.text());
    const paid = await answer.json();
    return {
      ok: true,
      amount: BigInt(paid.amount),
      identifier: BigInt(paid.identifier),
      secret: paid.secret,
      secretHash: paid.secret_hash,
    };
  } catch {
    return UNKNOWN;
  }
}

/** What an answer other than 200 says. One that does not come from a node is of no use, and asked for again. */
function toldBy(status: number, headers: Headers, text: string): Told {
  const said = objectIn(text);
  const outcome = outcomeIn(said['outcome'] ?? headers.get('sluice-outcome'));
  const identifier = said['identifier'] ?? headers.get('sluice-identifier');
  const seconds = headers.get('retry-after');
  return {
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

/** 128 bits, drawn: no two payments have one key. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
