/**
 * The checks that each call passes before its handler. The first that fails decides the answer: foreign
 * page 403, no token 401, shutting down 503, address in the URL 404, method 405, out of the token's scope 403, not
 * ready 503, body too large 413. Then the handler judges the request itself (415, 400, 409), and at last, when it is
 * the call's turn, the node answers.
 */
import type { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import type { NodeApi } from '../node/api/api.ts';
import type { LockSupply } from '../node/api/lock-supply.ts';
import { createRound } from '../node/runtime/round.ts';
import type { Failure } from '../protocol/codes.ts';
import { type Address, isChecksummed } from '../protocol/hex.ts';
import { bodyRefusal } from './body.ts';
import type { createDefence, Guest } from './defence.ts';
import { failure, internalError, refuse } from './responses.ts';
import { covers, EVERYTHING, type Grant, type Identify, type Scope } from './tokens.ts';
import type { Turns } from './turns.ts';

/**
 * `boundHost`: the host on which the server listens, as written in a URL; `cut` ends the connection of the call;
 * `incoming`: the request as the server has it. All are absent without a server. `grant`: what the caller's token
 * allows; absent when no token is needed.
 */
export type ApiEnv = {
  Bindings: { boundHost?: string; cut?: () => void; incoming?: IncomingMessage };
  Variables: { grant?: Grant };
};
export type ApiContext = Context<ApiEnv>;
/** The addresses in the URL, by their names in the path. */
type Addresses = Record<string, Address>;
type Handler = (c: ApiContext, addresses: Addresses) => Response | Promise<Response>;
type Counted = (c: ApiContext) => Promise<Response>;
/** Refuses the call with an answer, or lets it pass with null; the one that judges the addresses collects them. */
type Check = (c: ApiContext, addresses: Addresses) => Response | null;

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
/** One method of one path. */
type Mounted = {
  method: Method;
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
/** Runs `work` when it is the call's turn, and there is one of `locks` for it. `kind`: what is asked for. */
export type InTurn = (
  c: ApiContext,
  call: { kind: string; work: () => Response | Promise<Response>; locks: () => LockSupply | null },
) => Promise<Response>;

/** Mounts a path without secrets, which anybody may read at once, whether the node takes calls or not. */
export function mountOpen(mount: Mount, path: string, handler: Handler, guest: Guest = null): void {
  mount({ method: 'GET', path, scope: 'open', atOnce: true, guest }, handler);
}

type Parts = {
  app: Hono<ApiEnv>;
  node: NodeApi;
  turns: Turns;
  defend: ReturnType<typeof createDefence>;
  identify: Identify;
  /** Called once, with what was thrown. */
  onInternalError: (error: unknown) => void;
  /** Once it is aborted, here or elsewhere, every call is refused. */
  ending: AbortController;
  /** Called after each call; `path` is the mounted one, null when there is none. */
  onAnswered: (path: string | null, method: string, status: number) => void;
};

export function createChain(parts: Parts) {
  const { app, node, turns, defend, identify, onInternalError, ending } = parts;
  const { onAnswered } = parts;
  /** Callers who all come at once do not keep the node from its messages and its commits. */
  const round = createRound({ now: () => performance.now() });
  /** By path; `guest` is that of its first method. */
  const mounted = new Map<string, { guest: Guest; handlers: Map<string, Counted> }>();
  let isReported = false;
  ending.signal.addEventListener('abort', turns.close);

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

  /** Answers what is thrown in the handler as well, and counts each answer. */
  const counted =
    (path: string | null, handler: Handler): Counted =>
    async (c) => {
      let answer: Response;
      try {
        answer = await handler(c, {});
      } catch (error) {
        answer = fail(error);
      }
      onAnswered(path, c.req.method, answer.status);
      return answer;
    };

  const fromOwnSite =
    (guest: Guest): Check =>
    (c) => {
      const foreign = defend(c.req.raw.headers, c.env?.boundHost, guest);
      return foreign === null ? null : refuse(foreign);
    };

  const withToken: Check = (c) => {
    const grant = identify(c.req.raw.headers.get('authorization'));
    if (grant === null) return refuse(failure('unauthorized'), { 'www-authenticate': 'Bearer' });
    if (grant !== EVERYTHING) c.set('grant', grant);
    return null;
  };

  const whenReady: Check = () => {
    const refusal = notReadyRefusal(node);
    return refusal === null ? null : refuse(refusal);
  };

  /** The checks before the method is looked at. */
  function entrance(path: string, isOpen: boolean, guest: Guest): Check[] {
    const admitted = isOpen ? [] : [withToken];
    return [fromOwnSite(guest), ...admitted, stopped, checkAddresses(path)];
  }

  const mount: Mount = (added, handler) => {
    const { method, path, scope, atOnce = false, bodyLimit, guest = null } = added;
    const checks: Check[] = [
      ...entrance(path, scope === 'open', guest),
      ...(scope === 'open' ? [] : [withScope(scope)]),
      ...(atOnce ? [] : [whenReady]),
    ];
    const limited = bodyLimit === undefined ? handler : within(bodyLimit, handler);
    const atPath = mounted.get(path) ?? { guest, handlers: new Map() };
    mounted.set(path, atPath);
    atPath.handlers.set(method, counted(path, checked(checks, limited)));
  };

  /** To be called when everything is mounted: answers other methods with 405 and other paths with 404. */
  function mountRest(): void {
    for (const [path, { guest, handlers }] of mounted) {
      const allow = allowed([...handlers.keys()]);
      const refused = () => refuse(failure('method_not_allowed'), { allow });
      const other = counted(path, checked(entrance(path, false, guest), refused));
      // One handler for a path: Hono would put several together anew for each call.
      app.all(path, (c) => (handlers.get(readAs(c.req.method)) ?? other)(c));
    }
    const unknown = () => refuse(failure('unknown_endpoint'));
    app.notFound(counted(null, checked(entrance('*', false, null), unknown)));
    app.onError(fail);
  }

  const inTurn: InTurn = async (c, { kind, work, locks }) => {
    const entered = await turns.enter({
      caller: grantOf(c),
      kind,
      isQuery: isQuery(c.req.method),
      gone: () => c.req.raw.signal,
      locks,
    });
    if (!entered.ok) return refuse(entered);
    try {
      while (round.isOver()) await new Promise<void>(round.next);
      const refusal = notReadyRefusal(node);
      const answer = stopped() ?? (refusal === null ? await work() : refuse(refusal));
      // What the answer shows could be undone for as long as only this machine knows it. What a command did is
      // acknowledged already.
      const isKnown = (await node.acknowledged()) ?? true;
      return isKnown || !isQuery(c.req.method) ? answer : refuse(failure('replica_unavailable'));
    } catch (error) {
      // Called before the turn is handed on: no further call may reach a node that has failed.
      return fail(error);
    } finally {
      entered.leave();
    }
  };

  return { mount, mountRest, inTurn, end, fail };
}

/** Why the node takes no calls, or null. */
export function notReadyRefusal(node: NodeApi): Failure | null {
  const now = node.status();
  if (now.status === 'ready') return null;
  if (now.status === 'syncing') return failure('syncing');
  if (now.isReplicaAway === true) return failure('replica_unavailable', now.reason);
  return failure(now.isSafeMode === true ? 'safe_mode' : 'chain_unavailable', now.reason);
}

/** What the caller may do. */
export function grantOf(c: ApiContext): Grant {
  return c.get('grant') ?? EVERYTHING;
}

/** The handler behind the checks: the first that refuses decides the answer. */
function checked(checks: readonly Check[], handler: Handler): Handler {
  return (c, addresses) => {
    for (const check of checks) {
      const refused = check(c, addresses);
      if (refused !== null) return refused;
    }
    return handler(c, addresses);
  };
}

/** The handler behind a limit on the body. Only a body of unknown length has to be waited for. */
function within(limit: number, handler: Handler): Handler {
  const refusal = bodyRefusal(limit);
  return (c, addresses) => {
    const refused = refusal(c);
    if (refused instanceof Promise) return refused.then((late) => late ?? handler(c, addresses));
    return refused ?? handler(c, addresses);
  };
}

function checkAddresses(path: string): Check {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return (c, addresses) => {
    for (const name of names) {
      const value = c.req.param(name);
      if (!isChecksummed(value)) return refuse(failure('invalid_address'));
      addresses[name] = value;
    }
    return null;
  };
}

function withScope(scope: Scope): Check {
  return (c) => (covers(grantOf(c), scope) ? null : refuse(failure('out_of_scope')));
}

/** A HEAD is answered as a GET; Hono leaves the body out. */
const readAs = (method: string) => (method === 'HEAD' ? 'GET' : method);
const isQuery = (method: string) => readAs(method) === 'GET';

function allowed(methods: readonly string[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
}
