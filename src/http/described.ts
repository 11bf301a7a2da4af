/** Makes what calls.ts follows out of the descriptions of endpoints: one resource per path. */
import type { Result } from '../protocol/codes.ts';
import { type Address, isChecksummed } from '../protocol/hex.ts';
import { ok, type Refusal, refuse } from './answers.ts';
import type { ApiContext, Prepare, Resource } from './calls.ts';
import {
  type AddressesOf,
  type AnswerOf,
  BASE,
  type BodyOf,
  type Endpoint,
  type QueryOf,
} from './endpoints/endpoint.ts';
import type { LongAnswers } from './long-answers.ts';
import { readBody, readQuery } from './read.ts';

/** What the request says, read and checked as its endpoint describes. */
type Input<E extends Endpoint> = AddressesOf<E> & { body: BodyOf<E>; query: QueryOf<E> };
type Answer<E extends Endpoint> = Result<AnswerOf<E>>;
/** The part of a call that waits for its turn. */
type Work<E extends Endpoint> = () => Answer<E> | Promise<Answer<E>>;
/** Judges the request before it is queued, without asking the node. */
type Judge<E extends Endpoint> = (input: Input<E>, c: ApiContext) => Work<E> | Refusal;
export type Route = <E extends Endpoint>(endpoint: E, judge: Judge<E>) => void;
/** The same for a list that may be long: its work answers with slices. */
export type RouteList = <E extends Endpoint>(
  endpoint: E,
  judge: (input: Input<E>) => () => Result<Iterable<AnswerOf<E> & readonly unknown[]>>,
) => void;

type Addresses = Record<string, Address>;

/** `resources` has one entry per path when all endpoints are routed. */
export function createRoutes({ send }: LongAnswers) {
  const resources = new Map<string, Resource<Addresses>>();

  function add(endpoint: Endpoint, prepare: Prepare<Addresses>): void {
    const { method, path, scope, atOnce = false } = endpoint;
    const known = resources.get(path);
    resources.set(path, {
      path: BASE + path,
      addresses: (c) => addressesIn(c, path),
      methods: { ...known?.methods, [method]: prepare },
      scopes: { ...known?.scopes, [method]: scope },
      atOnce,
    });
  }

  const route: Route = (endpoint, judge) => add(endpoint, prepareFor(endpoint, judge));
  const routeList: RouteList = (endpoint, judge) =>
    add(endpoint, async (c, addresses) => {
      const input = await readInput(endpoint, c, addresses);
      if (!input.ok) return input;
      const work = judge(input.value);
      return async () => {
        const receiver = { isHead: c.req.method === 'HEAD', cut: c.env?.cut ?? null };
        return send(work, endpoint.status, receiver);
      };
    });
  return { route, routeList, resources: () => resources.values() };
}

function prepareFor<E extends Endpoint>(endpoint: E, judge: Judge<E>): Prepare<Addresses> {
  return async (c, addresses) => {
    const input = await readInput(endpoint, c, addresses);
    if (!input.ok) return input;
    const work = judge(input.value, c);
    if (typeof work !== 'function') return work;
    return async () => {
      const answer = await work();
      return answer.ok ? ok(answer.value, endpoint.status) : refuse(answer);
    };
  };
}

type Read<T> = { ok: true; value: T } | Refusal;
const NOTHING = { ok: true as const, value: null };

// Two signatures: the outer one knows what the schemas of the endpoint make of the request.
function readInput<E extends Endpoint>(
  endpoint: E,
  c: ApiContext,
  addresses: Addresses,
): Promise<Read<Input<E>>>;
async function readInput(
  { query: querySchema, body: bodySchema }: Endpoint,
  c: ApiContext,
  addresses: Addresses,
): Promise<Read<object>> {
  const query = querySchema === undefined ? NOTHING : readQuery(c.req.url, querySchema);
  if (!query.ok) return query;
  const body = bodySchema === undefined ? NOTHING : await readBody(c.req.raw, bodySchema);
  if (!body.ok) return body;
  return { ok: true, value: { ...addresses, query: query.value, body: body.value } };
}

/** The addresses of the URL, or null when one of them is not in EIP-55 form. */
function addressesIn(c: ApiContext, path: string): Addresses | null {
  const addresses: Addresses = {};
  for (const [, name = ''] of path.matchAll(/:(\w+)/g)) {
    const value = c.req.param(name);
    if (!isChecksummed(value)) return null;
    addresses[name] = value;
  }
  return addresses;
}
