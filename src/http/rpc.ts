/**
 * Forwards JSON-RPC calls to the chain's endpoint (JSON-RPC 2.0, section 6 for batches), for pages that need the chain,
 * too. Only listed methods are forwarded, and answers never reveal the endpoint's URL, which may contain a key.
 */

import { LosslessNumber, parse, stringify } from 'lossless-json';
import * as v from 'valibot';
import { boundedText } from '../basics/bounded-text.ts';
import { failure, JSON_HEADERS, refuse } from './answers/responses.ts';
import { readJsonText } from './checks/body.ts';
import { grantOf } from './checks/call.ts';
import type { Mount } from './checks/entrance.ts';
import { covers, type Grant } from './checks/tokens.ts';
import { createPlaces } from './queue/places.ts';
import { READ_ONLY_METHODS } from './rpc-methods.ts';

export type RpcOptions = {
  /** The URL of the endpoint, with user and password if it needs them. */
  url: string;
  /** The methods that may be called. */
  methods: readonly string[];
};

const REQUEST_LIMIT = 262_144;
const ANSWER_LIMIT = 16 * 1_048_576;
const MOST_IN_BATCH = 100;
const MOST_AT_ONCE = 16;
const NO_PLACE = `Of ${MOST_AT_ONCE}, no more are for this caller: this one was not passed on.`;
const TIMEOUT_MS = 30_000;
/** Parts of a URL shorter than this are taken for words, not keys. */
const SHORTEST_KEY = 8;

const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
const INTERNAL = -32603;
const PARSE_ERROR = -32700;

/** A number keeps the digits that its caller wrote. */
type Id = string | LosslessNumber | null;
type RpcError = { code: number; message: string; data?: string };
type Outcome = { result: unknown } | { error: RpcError };
type Call = { id: Id; method: string; params: unknown };

const callShape = v.object({
  id: v.union([v.string(), v.instance(LosslessNumber), v.null()]),
  method: v.pipe(v.string(), v.maxLength(100)),
  params: v.optional(v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]), []),
});
const outcomeShape = v.union([
  v.object({
    error: v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
  }),
  v.object({ result: v.unknown() }),
]);
const answerShape = v.object({ id: v.number() });

export function rpcRoutes({ mount, rpc }: { mount: Mount; rpc: RpcOptions }): void {
  const all = new Set(rpc.methods);
  // Further methods may change something: only callers with the scope `admin` may use them.
  const readOnly = new Set(READ_ONLY_METHODS.filter((method) => all.has(method)));
  const ask = createEndpoint(rpc.url);
  const places = createPlaces(MOST_AT_ONCE);

  async function answer(text: string, caller: Grant, signal: AbortSignal): Promise<Response> {
    if (!places.take(caller)) return refuse(failure('too_many_calls', NO_PLACE));
    try {
      const methods = { all, allowed: covers(caller, 'admin') ? all : readOnly };
      const body = await answerTo(text, { methods, ask: (calls) => ask(calls, signal) });
      return new Response(body, { headers: JSON_HEADERS });
    } finally {
      places.giveBack(caller);
    }
  }

  const mounted = { method: 'POST', path: '/rpc', scope: 'read', atOnce: true } as const;
  mount({ ...mounted, bodyLimit: REQUEST_LIMIT }, async (c) => {
    const text = await readJsonText(c.req.raw, c.env?.incoming);
    return text.ok ? answer(text.value, grantOf(c), c.req.raw.signal) : refuse(text);
  });
}

type Ask = (calls: readonly Call[]) => Promise<Outcome[]>;
/** `all`: the methods that are forwarded for some callers; `allowed`: those for this caller. */
type Methods = { all: ReadonlySet<string>; allowed: ReadonlySet<string> };
type Rpc = { methods: Methods; ask: Ask };

/** The answer as JSON: an object, or for a batch a list in the order of its calls. */
async function answerTo(text: string, rpc: Rpc): Promise<string> {
  const parsed = jsonIn(text);
  if (parsed === null)
    return refusal(null, PARSE_ERROR, 'This is not JSON, or it is nested too deeply.');
  const { value } = parsed;
  if (!Array.isArray(value)) return (await answersTo([value], rpc)).join();
  if (value.length === 0 || value.length > MOST_IN_BATCH) {
    return refusal(null, INVALID_REQUEST, `A batch has from 1 to ${MOST_IN_BATCH} calls.`);
  }
  return `[${(await answersTo(value, rpc)).join()}]`;
}

async function answersTo(values: readonly unknown[], { methods, ask }: Rpc): Promise<string[]> {
  const calls = values.map((value) => v.safeParse(callShape, value));
  const passed = calls.flatMap(({ success, output }) =>
    success && methods.allowed.has(output.method) ? [output] : [],
  );
  const outcomes = passed.length === 0 ? [] : await ask(passed);
  let next = 0;
  return calls.map(({ success, output }) => {
    if (!success) return refusal(null, INVALID_REQUEST, 'A call needs an id, a method and params.');
    const { id, method } = output;
    if (methods.allowed.has(method)) return textOf(id, outcomes[next++] ?? NO_ANSWER);
    return methods.all.has(method)
      ? refusal(id, NO_METHOD, 'This method needs a bearer token of the scope admin.')
      : refusal(id, NO_METHOD, 'This method is not passed on.');
  });
}

const NO_ANSWER: Outcome = {
  error: { code: INTERNAL, message: "The chain's endpoint does not answer." },
};

/** Asks the endpoint; gives an outcome for each call, whatever the endpoint answers. Never rejects. */
function createEndpoint(given: string) {
  const url = new URL(given);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const pair = `${decoded(url.username)}:${decoded(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  const clean = cleanerOf(url);
  url.username = '';
  url.password = '';

  return async (calls: readonly Call[], signal: AbortSignal): Promise<Outcome[]> => {
    try {
      // The request is written anew with ids of its own, so that no two parsers can read it differently.
      const all = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: stringify(all.length === 1 ? all[0] : all) ?? '',
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const value: unknown = JSON.parse(await boundedText(response, ANSWER_LIMIT));
      const answers = Array.isArray(value) ? value : [value];
      const byId = new Map(answers.map((answer) => [idOf(answer), answer]));
      return calls.map((_, id) => outcomeIn(byId.get(id), clean));
    } catch {
      return calls.map(() => NO_ANSWER);
    }
  };
}

function idOf(answer: unknown): number | null {
  const parsed = v.safeParse(answerShape, answer);
  return parsed.success ? parsed.output.id : null;
}

function outcomeIn(answer: unknown, clean: (text: string) => string): Outcome {
  const parsed = v.safeParse(outcomeShape, answer);
  if (!parsed.success) return NO_ANSWER;
  if ('result' in parsed.output) return { result: parsed.output.result };
  const { code, message, data } = parsed.output.error;
  const error = { code, message: clean(message) };
  return { error: typeof data === 'string' ? { ...error, data: clean(data) } : error };
}

/** Removes from a text the parts of the endpoint's URL that may be secret. */
function cleanerOf(url: URL): (text: string) => string {
  const { username, password, pathname, searchParams, host } = url;
  const secrets = [username, password, ...pathname.split('/'), ...searchParams.values()].flatMap(
    (part) => [part, decoded(part)],
  );
  const parts = [host, ...secrets.filter(({ length }) => length >= SHORTEST_KEY)];
  return (text) => parts.reduce((all, part) => all.replaceAll(part, '[hidden]'), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function jsonIn(text: string): { value: unknown } | null {
  try {
    return { value: parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue }) };
  } catch {
    return null;
  }
}

function refusal(id: Id, code: number, message: string): string {
  return textOf(id, { error: { code, message } });
}

function textOf(id: Id, outcome: Outcome): string {
  const name = id instanceof LosslessNumber ? id.value : JSON.stringify(id);
  return `{"jsonrpc":"2.0","id":${name},${outcomeText(outcome).slice(1)}`;
}

/** The outcome as JSON text. The endpoint's answer may be nested too deeply to be written. */
function outcomeText(outcome: Outcome): string {
  try {
    return JSON.stringify(outcome);
  } catch {
    return JSON.stringify(NO_ANSWER);
  }
}
