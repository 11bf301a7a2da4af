/** Makes every answer of the API, in one place, so that each has the same protective headers. */
import type { Code, Failure, Outcome, Result } from '../../protocol/codes.ts';
import { ERRORS, type ErrorEntry } from './errors.ts';

/** For each wrong field of the request, what is wrong with it. */
export type FieldErrors = Record<string, string[]>;
/**
 * A failure; with `fields` when the body or the query has the wrong shape. `retryAfter`: seconds, when more is known than
 * what goes for every failure with this code. `headers`: further ones.
 */
export type Refusal = Failure & {
  fields?: FieldErrors;
  retryAfter?: number;
  headers?: Record<string, string>;
};
/**
 * What is said of a call that could have changed something and did not succeed. `identifier`: that of the payment that it
 * has begun; absent: it has begun no payment.
 */
export type ToldOutcome = { outcome: Outcome; identifier?: string };

/** Headers that forbid embedding an answer, guessing its type, and caching it. */
export const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};
/** The same object for all answers: the server can write it without building a header list. */
export const JSON_HEADERS: Record<string, string> = {
  'content-type': 'application/json',
  ...PROTECTION,
};

/** The text of every answer in JSON: it ends its line, so that the prompt of a shell does not stand behind it. */
export const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** A successful answer; bigints must have been converted to text before. */
export function ok(value: unknown, status = 200): Response {
  return new Response(lineOf(value), { status, headers: JSON_HEADERS });
}

export function good<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** The value of a command in the API document's form, or its refusal. */
export function answer<T, V>(result: Result<T>, view: (value: T) => V): Result<V> {
  return result.ok ? good(view(result.value)) : result;
}

/** Converts each row to the API document's form, slice by slice as they are asked for. */
export function* inSlices<T, V>(slices: Iterable<T[]>, view: (row: T) => V): Generator<V[]> {
  for (const rows of slices) yield rows.map(view);
}

export function failure(code: Code, detail?: string): Failure {
  return detail === undefined ? { ok: false, code } : { ok: false, code, detail };
}

/** What an endpoint answers: a response as it is sent, or a refusal that is still to be written as one. */
export type HttpReply = Response | Refusal;

/**
 * `{errors, code}`; the errors are a sentence, or for a wrong shape an object from field to sentences. `told`: absent: the
 * call could not change anything.
 */
export function refuse(refusal: Refusal, told: ToldOutcome | null = null): Response {
  const { status, text, advice = '', retryAfter: usual }: ErrorEntry = ERRORS[refusal.code];
  const { retryAfter = usual, headers = {} } = refusal;
  const sentence = `${text} ${refusal.detail || advice}`.trim();
  const all = { ...JSON_HEADERS, ...headers };
  if (retryAfter !== undefined) all['retry-after'] = String(retryAfter);
  const body = { errors: refusal.fields ?? sentence, code: refusal.code, ...told };
  return new Response(lineOf(body), { status, headers: all });
}

/**
 * The only answer that is not JSON (API document, Errors 2). It tells nothing about the cause; what is said of a call that
 * could have changed something is in its headers.
 */
export function internalError(told: ToldOutcome | null = null): Response {
  const headers: Record<string, string> = {
    'content-type': 'text/plain; charset=utf-8',
    ...PROTECTION,
  };
  if (told !== null) headers['sluice-outcome'] = told.outcome;
  if (told?.identifier !== undefined) headers['sluice-identifier'] = told.identifier;
  return new Response('Internal server error', { status: 500, headers });
}
