/**
 * The checks that each call passes before its handler, as middleware. The first that fails decides the answer: foreign
 * page 403, no token 401, shutting down 503, address in the URL 404, method 405, out of the token's scope 403, not
 * ready 503, body too large 413. Then the handler judges the request itself (415, 400, 409), and at last, when it is
 * the call's turn, the node answers.
 */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { NodeApi } from '../node/api/api.ts';
import type { Failure } from '../protocol/codes.ts';
import { type Address, isChecksummed } from '../protocol/hex.ts';
import { limitBody } from './body.ts';
import type { createDefence, Guest } from './defence.ts';
import type { Gate, Turn } from './gate.ts';
import { failure, internalError, type Refusal, refuse } from './responses.ts';
import { covers, EVERYTHING, type Grant, type Identify, type Scope } from './tokens.ts';

/**
 * `boundHost`: the host on which the server listens, as written in a URL; `cut` ends the connection of the call. Both
 * are absent without a server. `grant`: what the caller's token allows; absent when no token is needed. `addresses`:
 * the addresses in the URL, by their names in the path.
 */
export type ApiEnv = {
  Bindings: { boundHost?: string; cut?: () => void };
  Variables: { grant?: Grant; addresses?: Record<string, Address> };
};
export type ApiContext = Context<ApiEnv>;
type Middleware = MiddlewareHandler<ApiEnv>;
type Handler = (c: ApiContext) => Response | Promise<Response>;

/** One method of one path. */
type Mounted = {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** The path with the version; a name after a colon stands for an address, e.g. `/api/v1/tokens/:token`. */
  path: string;
  /** The scope that a token must cover; `open` needs no token. */
  scope: Scope | 'open';
  /** Answered even when the node is not ready. */
  atOnce?: boolean;
  /** Bytes of the largest body; absent: none is read. */
  bodyLimit?: number;
  /** Which other requests are let in beside those of usual callers. */
  guest?: Guest;
};
export type Mount = (mounted: Mounted, handler: Handler) => void;
/** Runs `work` when it is the call's turn. */
export type InTurn = (c: ApiContext, work: () => Response | Promise<Response>) => Promise<Response>;

/** Mounts a path without secrets, which anybody may read at once, whether the node takes calls or not. */
export function mountOpen(mount: Mount, path: string, handler: Handler, guest: Guest = null): void {
  mount({ method: 'GET', path, scope: 'open', atOnce: true, guest }, handler);
}

type Parts = {
  app: Hono<ApiEnv>;
  node: NodeApi;
  gate: Gate;
  /** Where queries wait for their turn: with all other calls, or among themselves. */
  readGate: Gate;
  defend: ReturnType<typeof createDefence>;
  identify: Identify;
  /** Called once, with what was thrown. */
  onInternalError: (error: unknown) => void;
  /** Once it is aborted, here or elsewhere, every call is refused. */
  ending: AbortController;
  /** Called after each call; `path` is the mounted one, null when there is none. */
  onAnswered: (path: string | null, method: string, status: number) => void;
};

const REFUSED_TURN = {
  full: failure('too_many_calls'),
  gone: failure('too_many_calls'),
  closed: failure('shutting_down'),
} satisfies Record<Exclude<Turn, 'turn'>, Refusal>;

export function createChain(parts: Parts) {
  const { app, node, gate, readGate, defend, identify, onInternalError, ending } = parts;
  const { onAnswered } = parts;
  const mounted = new Map<string, Mounted[]>();
  let isReported = false;
  for (const one of new Set([gate, readGate])) ending.signal.addEventListener('abort', one.close);

  /** From now on every call is answered 503, also those that wait for their turn. */
  const end = (): void => ending.abort();

  /**
   * Answers a call during which something was thrown. A call that was being checked when the node was asked to stop
   * finds the node gone: that is not a failure of the node.
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

  const counted =
    (path: string | null): Middleware =>
    async (c, next) => {
      await next();
      onAnswered(path, c.req.method, c.res.status);
    };

  const fromOwnSite =
    (guest: Guest): Middleware =>
    async (c, next) => {
      const foreign = defend(c.req.raw.headers, c.env?.boundHost, guest);
      return foreign === null ? next() : refuse(foreign);
    };

  const withToken: Middleware = async (c, next) => {
    const grant = identify(c.req.raw.headers.get('authorization'));
    if (grant === null) return refuse(failure('unauthorized'), { 'www-authenticate': 'Bearer' });
    if (grant !== EVERYTHING) c.set('grant', grant);
    return next();
  };

  const whileServing: Middleware = async (_, next) => stopped() ?? next();

  const whenReady: Middleware = async (_, next) => {
    const refusal = notReadyRefusal(node);
    return refusal === null ? next() : refuse(refusal);
  };

  /** The checks before the method is looked at. */
  function entrance(path: string, isOpen: boolean, guest: Guest): Middleware[] {
    const admitted = isOpen ? [] : [withToken];
    return [fromOwnSite(guest), ...admitted, whileServing, checkAddresses(path)];
  }

  const mount: Mount = (added, handler) => {
    const { method, path, scope, atOnce = false, bodyLimit, guest = null } = added;
    mounted.set(path, [...(mounted.get(path) ?? []), added]);
    const chain: Middleware[] = [
      ...entrance(path, scope === 'open', guest),
      ...(scope === 'open' ? [] : [withScope(scope)]),
      ...(atOnce ? [] : [whenReady]),
      ...(bodyLimit === undefined ? [] : [limitBody(bodyLimit)]),
      async (c) => handler(c),
    ];
    app.on(method, path, counted(path), ...chain);
  };

  /** To be called when everything is mounted: answers other methods with 405 and other paths with 404. */
  function mountRest(): void {
    for (const [path, methods] of mounted) {
      const { guest = null } = methods[0] ?? {};
      const allow = allowed(methods.map(({ method }) => method));
      const refused = () => refuse(failure('method_not_allowed'), { allow });
      app.all(path, counted(path), ...entrance(path, false, guest), refused);
    }
    const unknown = () => refuse(failure('unknown_endpoint'));
    app.all('*', counted(null), ...entrance('*', false, null), unknown);
    app.onError(fail);
  }

  const inTurn: InTurn = async (c, work) => {
    const own = isQuery(c.req.method) ? readGate : gate;
    if (!own.tryEnter()) {
      const turn = await own.wait(c.req.raw.signal);
      if (turn !== 'turn') return refuse(REFUSED_TURN[turn]);
    }
    try {
      const refusal = notReadyRefusal(node);
      return stopped() ?? (refusal === null ? await work() : refuse(refusal));
    } catch (error) {
      // Called before the turn is handed on: no further call may reach a node that has failed.
      return fail(error);
    } finally {
      own.leave();
    }
  };

  return { mount, mountRest, inTurn, end, fail };
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

function checkAddresses(path: string): Middleware {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return async (c, next) => {
    const addresses: Record<string, Address> = {};
    for (const name of names) {
      const value = c.req.param(name);
      if (!isChecksummed(value)) return refuse(failure('invalid_address'));
      addresses[name] = value;
    }
    c.set('addresses', addresses);
    return next();
  };
}

function withScope(scope: Scope): Middleware {
  return async (c, next) => (covers(grantOf(c), scope) ? next() : refuse(failure('out_of_scope')));
}

const isQuery = (method: string) => method === 'GET' || method === 'HEAD';

function allowed(methods: readonly string[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
}
