/**
 * The description of an endpoint: calls are read and checked by it, the OpenAPI document is written from it, and the
 * client takes its types from it.
 */
import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Address } from '../../basics/hex.ts';
import type { Code } from '../../protocol/codes.ts';
import type { Scope } from '../checks/tokens.ts';

/** The prefix of every path of the API. */
export const BASE = '/api/v1';
/** The same of the paths that x402 gives to a facilitator, which are no part of the API document. */
export const X402_BASE = '/x402';

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export type Endpoint = {
  method: Method;
  /** The path without its prefix; a name after a colon stands for an address, e.g. `/tokens/:token`. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /** The scope that a bearer token must cover when the API demands one; `open` needs no token. */
  scope: Scope | 'open';
  body?: GenericSchema;
  /** Whether exactly one of the body's fields must be given; its route checks that. */
  hasOneField?: boolean;
  query?: GenericSchema;
  /** The status of the successful answer. */
  status: 200 | 201;
  answer: GenericSchema;
  /** The media type of an answer that is not JSON; app.ts mounts such an endpoint separately. */
  media?: 'text/plain' | 'text/event-stream';
  /**
   * The codes with which the node or the route may refuse, beside those of every call of the same form (see `codesOf`).
   */
  refusals: readonly Code[];
  /** Answered even when the node is not ready, and without queueing. */
  atOnce?: true;
};

/** The methods of calls that can be repeated under a key. */
const KEYED_METHODS = ['POST', 'PUT', 'PATCH'] as const;
type Keyed = { method: (typeof KEYED_METHODS)[number]; atOnce?: never };
/** Whether a call can be repeated under a key. What is answered at once is the same however often it is asked for. */
export const takesKey = ({ method, atOnce }: Pick<Endpoint, 'method' | 'atOnce'>): boolean =>
  KEYED_METHODS.some((one) => one === method) && atOnce !== true;

/** Keeps the literal types of the description. */
export function endpoint<const E extends Endpoint>(description: E): E {
  return description;
}

type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;
/** The addresses of the URL by their names in the path. */
export type AddressesOf<E extends Endpoint> = { [Name in NamesIn<E['path']>]: Address };
export type BodyOf<E extends Endpoint> = E extends { body: infer S extends GenericSchema }
  ? InferOutput<S>
  : null;
export type QueryOf<E extends Endpoint> = E extends { query: infer S extends GenericSchema }
  ? InferOutput<S>
  : null;
/** What is answered as JSON. */
export type AnswerOf<E extends Endpoint> = InferOutput<E['answer']>;

/** The addresses as a caller writes them. */
export type ParamIn<E extends Endpoint> = { [Name in NamesIn<E['path']>]: string };
export type BodyIn<E extends Endpoint> = E extends { body: infer S extends GenericSchema }
  ? InferInput<S>
  : never;
export type QueryIn<E extends Endpoint> = E extends { query: infer S extends GenericSchema }
  ? { [Name in keyof InferInput<S>]?: string }
  : never;

const EVERY_CALL = ['forbidden_origin', 'shutting_down'] as const;
const CALL_WITH_TOKEN = ['unauthorized', 'out_of_scope'] as const;
const QUEUED_CALL = [
  'syncing',
  'chain_unavailable',
  'too_many_calls',
  'safe_mode',
  'database_lost',
  'replica_unavailable',
] as const;
const QUERY_IN_TURN = ['unreadable'] as const;
const CALL_WITH_KEY = ['invalid_key', 'key_reused', 'too_many_keys'] as const;
const CALL_WITH_ADDRESS = ['invalid_address'] as const;
const CALL_WITH_QUERY = ['invalid_shape'] as const;
const CALL_WITH_BODY = [
  'body_too_large',
  'unsupported_media_type',
  'malformed_json',
  'invalid_shape',
] as const;

/** Every code with which a call can be refused, each once. */
export function codesOf(described: Endpoint): Code[] {
  return [
    ...new Set<Code>([
      ...(described.body === undefined ? [] : CALL_WITH_BODY),
      ...(described.query === undefined ? [] : CALL_WITH_QUERY),
      ...(takesKey(described) ? CALL_WITH_KEY : []),
      ...(described.path.includes('/:') ? CALL_WITH_ADDRESS : []),
      ...described.refusals,
      ...(described.scope === 'open' ? [] : CALL_WITH_TOKEN),
      ...EVERY_CALL,
      ...(described.atOnce === true ? [] : QUEUED_CALL),
      ...(described.atOnce !== true && described.method === 'GET' ? QUERY_IN_TURN : []),
    ]),
  ];
}

/** The codes of `codesOf` as a type. */
export type CodesOf<E extends Endpoint> =
  | E['refusals'][number]
  | (typeof EVERY_CALL)[number]
  | (E extends { scope: 'open' } ? never : (typeof CALL_WITH_TOKEN)[number])
  | (E extends { atOnce: true } ? never : (typeof QUEUED_CALL)[number])
  | (E extends { body: GenericSchema } ? (typeof CALL_WITH_BODY)[number] : never)
  | (E extends { query: GenericSchema } ? (typeof CALL_WITH_QUERY)[number] : never)
  | (E extends { method: 'GET'; atOnce?: never } ? (typeof QUERY_IN_TURN)[number] : never)
  | (E extends Keyed ? (typeof CALL_WITH_KEY)[number] : never)
  | (E['path'] extends `${string}/:${string}` ? (typeof CALL_WITH_ADDRESS)[number] : never);
