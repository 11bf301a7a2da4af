/**
 * The way of a call, in the order in which its faults are looked for: foreign page 403, no token 401,
 * shutting down 503, address in the URL 404, method 405, out of the token's scope 403, not ready 503, then
 * whatever `prepare` finds wrong with the request itself (413, 415, 400, 409), and at last, when it is the
 * call's turn, the node's own answer.
 */
import type { Context } from 'hono';
import type { NodeApi } from '../node/api/api.ts';
import type { Failure } from '../protocol/codes.ts';
import type { Address } from '../protocol/hex.ts';
import { failure, internalError, type Refusal, refuse } from './answers.ts';
import type { createDefence, Guest } from './defence.ts';
import type { Gate, Turn } from './gate.ts';
import { covers, EVERYTHING, type Grant, type Identify, type Scope } from './tokens.ts';

/**
 * `boundHost`: where the server listens, as it stands in a URL; `cut` ends the connection of the call. Both are
 * absent without a server. `grant`: what the caller's token allows; absent when none is needed.
 */
export type ApiEnv = {
  Bindings: { boundHost?: string; cut?: () => void };
  Variables: { grant?: Grant };
};
export type ApiContext = Context<ApiEnv>;

/** The part of a call that waits for its turn. */
export type Job = () => Response | Promise<Response>;
/** Reads and judges the request before it is queued, without asking the node. */
export type Prepare<A> = (c: ApiContext, addresses: A) => Job | Refusal | Promise<Job | Refusal>;

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
export type Resource<A> = {
  /** With the version, e.g. `/api/v1/tokens/:token`. */
  path: string;
  /** The addresses of the URL, or null when one of them is not in EIP-55 form. */
  addresses: (c: ApiContext) => A | null;
  methods: Partial<Record<Method, Prepare<A>>>;
  /** Answered even when the node is not ready, and without queueing. */
  atOnce?: boolean;
  /** What a token must cover, where it is not `read` for GET and `admin` for the rest; `open` takes anybody. */
  scopes?: Partial<Record<Method, Scope | 'open'>>;
  /** Who may ask for it beside the usual callers. */
  guest?: Guest;
};
/** Takes a resource under its full path. */
export type Mount = <A>(resource: Resource<A>) => void;

export function noAddress(): Record<never, Address> {
  return {};
}

/** What anybody may read at once, whether the node takes calls or not: it holds no secret. */
export function mountOpen(
  mount: Mount,
  path: string,
  answer: (c: ApiContext) => Response | Promise<Response>,
  guest: Guest = null,
): void {
  mount({
    path,
    guest,
    addresses: noAddress,
    atOnce: true,
    scopes: { GET: 'open' },
    methods: { GET: (c) => () => answer(c) },
  });
}

type Parts = {
  node: NodeApi;
  gate: Gate;
  /** Where queries wait for their turn: with all other calls, or among themselves. */
  readGate: Gate;
  defend: ReturnType<typeof createDefence>;
  identify: Identify;
  /** Called once, with what was thrown. */
  onInternalError: (error: unknown) => void;
  /** Aborted here or elsewhere: from now on nobody is let in. */
  ending: AbortController;
  /** Called after each call; `path` is the resource's, null when there is none. */
  onAnswered?: (path: string | null, method: string, status: number) => void;
};

const REFUSED_TURN = {
  full: failure('too_many_calls'),
  gone: failure('too_many_calls'),
  closed: failure('shutting_down'),
} satisfies Record<Exclude<Turn, 'turn'>, Refusal>;

export function createCalls(parts: Parts) {
  const { node, gate, readGate, defend, identify, onInternalError, ending } = parts;
  const { onAnswered = () => {} } = parts;
  let isReported = false;
  for (const one of new Set([gate, readGate])) ending.signal.addEventListener('abort', one.close);

  /** From now on every call is answered 503; those that wait are sent away. */
  const end = (): void => ending.abort();

  /**
   * A call that was amid its checks when the node was asked to stop finds a node that is gone: that is no
   * failure of the node.
   */
  function fail(error: unknown): Response {
    if (ending.signal.aborted && !isReported) return refuse(failure('shutting_down'));
    end();
    if (!isReported) onInternalError(error);
    isReported = true;
    return internalError();
  }

  function stopped(): Response | null {
    if (ending.signal.aborted) return refuse(failure('shutting_down'));
    return node.isBroken() ? fail(new Error('the node met an internal failure')) : null;
  }

  /** Why the request cannot even be looked up, or null; `isOpen`: no token is asked for. */
  function admit(c: ApiContext, isOpen: boolean, guest: Guest = null): Response | null {
    const { headers } = c.req.raw;
    const foreign = defend(headers, c.env?.boundHost, guest);
    if (foreign !== null) return refuse(foreign);
    const grant = isOpen ? EVERYTHING : identify(headers.get('authorization'));
    if (grant === null) return refuse(failure('unauthorized'), { 'www-authenticate': 'Bearer' });
    if (grant !== EVERYTHING) c.set('grant', grant);
    return stopped();
  }

  function notReady(): Response | null {
    const refusal = notReadyRefusal(node);
    return refusal === null ? null : refuse(refusal);
  }

  async function inTurn(gate: Gate, job: Job, signal: () => AbortSignal): Promise<Response> {
    if (!gate.tryEnter()) {
      const turn = await gate.wait(signal());
      if (turn !== 'turn') return refuse(REFUSED_TURN[turn]);
    }
    try {
      return stopped() ?? notReady() ?? (await job());
    } catch (error) {
      // Before the turn is handed on: no further call may reach a node that has failed.
      return fail(error);
    } finally {
      gate.leave();
    }
  }

  async function follow<A>(c: ApiContext, resource: Resource<A>): Promise<Response> {
    const { addresses, methods, atOnce = false } = resource;
    const found = addresses(c);
    if (found === null) return refuse(failure('invalid_address'));
    const prepare = methodOf(methods, c.req.method);
    if (prepare === undefined) {
      return refuse(failure('method_not_allowed'), { allow: allowed(methods) });
    }
    const scope = scopeOf(resource, c.req.method);
    if (scope !== 'open' && !covers(grantOf(c), scope)) return refuse(failure('out_of_scope'));
    const early = atOnce ? null : notReady();
    if (early !== null) return early;
    const job = await prepare(c, found);
    if (typeof job !== 'function') return refuse(job);
    if (atOnce) return job();
    return inTurn(isQuery(c.req.method) ? readGate : gate, job, () => c.req.raw.signal);
  }

  async function answer<A>(c: ApiContext, resource: Resource<A>): Promise<Response> {
    try {
      const isOpen = scopeOf(resource, c.req.method) === 'open';
      return admit(c, isOpen, resource.guest) ?? (await follow(c, resource));
    } catch (error) {
      return fail(error);
    }
  }

  async function handle<A>(c: ApiContext, resource: Resource<A>): Promise<Response> {
    const response = await answer(c, resource);
    onAnswered(resource.path, c.req.method, response.status);
    return response;
  }

  function handleUnknown(c: ApiContext): Response {
    const response = admit(c, false) ?? refuse(failure('unknown_endpoint'));
    onAnswered(null, c.req.method, response.status);
    return response;
  }

  return { handle, handleUnknown, end, fail };
}

/** Why the node takes no calls, or null. */
export function notReadyRefusal(node: NodeApi): Failure | null {
  const now = node.status();
  if (now.status === 'ready') return null;
  if (now.status === 'syncing') return failure('syncing');
  return failure(now.isSafeMode === true ? 'safe_mode' : 'chain_unavailable', now.reason);
}

/** What the caller may do. */
export function grantOf(c: ApiContext): Grant {
  return c.get('grant') ?? EVERYTHING;
}

function scopeOf({ scopes = {} }: Pick<Resource<never>, 'scopes'>, name: string): Scope | 'open' {
  switch (name) {
    case 'HEAD':
    case 'GET':
      return scopes.GET ?? 'read';
    case 'PUT':
    case 'POST':
    case 'PATCH':
    case 'DELETE':
      return scopes[name] ?? 'admin';
    default:
      return 'admin';
  }
}

const isQuery = (method: string) => method === 'GET' || method === 'HEAD';

function methodOf<A>(methods: Resource<A>['methods'], name: string): Prepare<A> | undefined {
  switch (name) {
    case 'HEAD':
      return methods.GET;
    case 'GET':
    case 'PUT':
    case 'POST':
    case 'PATCH':
    case 'DELETE':
      return methods[name];
    default:
      return undefined;
  }
}

function allowed(methods: object): string {
  return Object.keys(methods)
    .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    .join(', ');
}
