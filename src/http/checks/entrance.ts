/**
 * The checks that each call passes before its handler. The first that fails decides the answer: foreign
 * page 403, no token 401, shutting down 503, address in the URL 404, method 405, out of the token's scope 403, not
 * ready 503, body too large 413. Then the handler judges the request itself (415, 400, 409), and at last, when it is
 * the call's turn, the node answers.
 */
import type { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import { type Address, isChecksummed } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import { newCall } from '../../node/api/commands.ts';
import type { LockSupply } from '../../node/api/lock-supply.ts';
import { createRound } from '../../node/runtime/commits/round.ts';
import type { Call } from '../../node/runtime/knowledge/calls.ts';
import type { Code, Failure } from '../../protocol/codes.ts';
import { failure, internalError, type Refusal, type Reply, refuse } from '../answers/responses.ts';
import { BASE, X402_BASE } from '../endpoints/endpoint.ts';
import type { Turns } from '../queue/turns.ts';
import { bodyRefusal } from './body.ts';
import type { createDefence, Guest } from './defence.ts';
import { KEY_HEADER, keyedCall, keyIn } from './keys.ts';
import { toldOf } from './outcomes.ts';
import { covers, EVERYTHING, type Grant, type Identify, type Scope } from './tokens.ts';

/**
 * `boundHost`: the host on which the server listens, as written in a URL; `cut` ends the connection of the call;
 * `incoming`: the request as the server has it. All are absent without a server. `grant`: what the caller's token
 * allows; absent when no token is needed. `call`: what is known of a call that may change something; absent: it only asks.
 */
export type ApiEnv = {
  Bindings: { boundHost?: string; cut?: () => void; incoming?: IncomingMessage; call?: Call };
  Variables: { grant?: Grant; call?: Call };
};
export type ApiContext = Context<ApiEnv>;
/** The addresses in the URL, by their names in the path. */
type Addresses = Record<string, Address>;
type Handler = (c: ApiContext, addresses: Addresses) => Reply | Promise<Reply>;
type Counted = (c: ApiContext) => Promise<Response>;
/** Refuses the call with an answer, or lets it pass with null; the one that judges the addresses collects them. */
type Check = (c: ApiContext, addresses: Addresses) => Reply | null;

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
  call: { kind: string; work: () => Reply | Promise<Reply>; locks: () => LockSupply | null },
) => Promise<Reply>;

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

export function createEntrance(parts: Parts) {
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
   * Notes that something was thrown, and whether that is a failure of the node: a call that was being checked when the node
   * was asked to stop finds the node gone.
   */
  function note(error: unknown): boolean {
    if (ending.signal.aborted && !isReported) return false;
    end();
    if (!isReported) onInternalError(error);
    isReported = true;
    return true;
  }

  /** Answers a call during which something was thrown. */
  function fail(error: unknown, c: ApiContext): Reply {
    const call = c.get('call') ?? null;
    if (note(error)) return internalError(call && toldOf(call, null, () => isRepeated(c)));
    return call?.begun == null ? ended() : { ...ended(), outcome: 'pending' };
  }

  const ended = () => failure('shutting_down', isReported ? 'It met an internal failure.' : '');

  /** `isProbe`: only whether the process and its node are well is asked. */
  function stopped(c: ApiContext, isProbe = false): Reply | null {
    if (ending.signal.aborted) return ended();
    if (!node.isBroken()) return null;
    const failed = fail(new Error('the node met an internal failure'), c);
    return isProbe ? ended() : failed;
  }

  /** Whether the call has the key of one that has begun something, as far as can be known now. */
  function isRepeated(c: ApiContext): boolean {
    const key = keyIn(c.req.header(KEY_HEADER) ?? null);
    if (!key.ok || key.value === null) return false;
    try {
      return node.earlierCall(keyedCall(grantOf(c), key.value, [])) !== null;
    } catch {
      // The database is closed already.
      return true;
    }
  }

  function written(refusal: Refusal, c: ApiContext): Response {
    const call = c.get('call');
    if (call === undefined) return refuse(refusal);
    const isOther = NEVER_BEGUN.includes(refusal.code);
    return refuse(
      refusal,
      toldOf(call, refusal, () => !isOther && isRepeated(c)),
    );
  }

  /** Answers what is thrown in the handler as well, and counts each answer. */
  const counted =
    (path: string | null, handler: Handler): Counted =>
    async (c) => {
      const { method, path: asked } = c.req;
      if (mayChange(method, asked)) c.set('call', c.env?.call ?? newCall());
      let answer: Reply;
      try {
        answer = await handler(c, {});
      } catch (error) {
        answer = fail(error, c);
      }
      const response = answer instanceof Response ? answer : written(answer, c);
      onAnswered(path, method, response.status);
      return response;
    };

  const fromOwnSite =
    (guest: Guest): Check =>
    (c) => {
      return defend(c.req.raw.headers, c.env?.boundHost, guest);
    };

  const withToken: Check = (c) => {
    const grant = identify(c.req.raw.headers.get('authorization'));
    if (grant === null)
      return { ...failure('unauthorized'), headers: { 'www-authenticate': 'Bearer' } };
    if (grant !== EVERYTHING) c.set('grant', grant);
    return null;
  };

  /** The checks before the method is looked at. */
  function entrance(path: string, isOpen: boolean, guest: Guest): Check[] {
    const admitted = isOpen ? [] : [withToken];
    const goesOn: Check = (c) => stopped(c, guest === 'probe');
    return [fromOwnSite(guest), ...admitted, goesOn, checkAddresses(path)];
  }

  const mount: Mount = (added, handler) => {
    const { method, path, scope, atOnce = false, bodyLimit, guest = null } = added;
    const checks: Check[] = [
      ...entrance(path, scope === 'open', guest),
      ...(scope === 'open' ? [] : [withScope(scope)]),
      ...(atOnce ? [] : [() => notReadyRefusal(node)]),
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
      const refused = () => ({ ...failure('method_not_allowed'), headers: { allow } });
      const other = counted(path, checked(entrance(path, false, guest), refused));
      // One handler for a path: Hono would put several together anew for each call.
      app.all(path, (c) => (handlers.get(readAs(c.req.method)) ?? other)(c));
    }
    const unknown = () => failure('unknown_endpoint');
    app.notFound(counted(null, checked(entrance('*', false, null), unknown)));
    app.onError((error, c) => {
      const failed = fail(error, c);
      return failed instanceof Response ? failed : written(failed, c);
    });
  }

  const inTurn: InTurn = async (c, { kind, work, locks }) => {
    const entered = await turns.enter({
      caller: grantOf(c),
      kind,
      isQuery: isQuery(c.req.method),
      gone: () => c.req.raw.signal,
      locks,
    });
    if (!entered.ok) return entered;
    try {
      await round.inSlice();
      const refusal = notReadyRefusal(node);
      const answer = stopped(c) ?? refusal ?? (await work());
      // What the answer shows could be undone for as long as only this machine knows it. What a command did is
      // acknowledged already.
      const isKnown = (await node.acknowledged()) ?? true;
      // Many are answered by one commit.
      await round.inSlice();
      return isKnown || !isQuery(c.req.method) ? answer : failure('replica_unavailable');
    } catch (error) {
      // Called before the turn is handed on: no further call may reach a node that has failed.
      return fail(error, c);
    } finally {
      entered.leave();
    }
  };

  return { mount, mountRest, inTurn, end, onFailure: note };
}

/** Why the node takes no calls, or null. */
export function notReadyRefusal(node: NodeApi): Failure | null {
  const now = node.status();
  if (now.status === 'ready') return null;
  if (now.status === 'syncing') return failure('syncing');
  if (now.isDatabaseLost === true) return failure('database_lost', now.reason);
  if (now.isReplicaAway === true) return failure('replica_unavailable', now.reason);
  return failure(now.isSafeMode === true ? 'safe_mode' : 'chain_unavailable', now.reason);
}

const mayChange = (method: string, path: string): boolean =>
  !isQuery(method) && [BASE, X402_BASE].some((base) => path.startsWith(base));

/** Refused for what they are: an earlier call with the key of such a one, or with another content, is not theirs. */
const NEVER_BEGUN: readonly Code[] = ['forbidden_origin', 'unauthorized', 'key_reused'];

/** The call that may change something. */
export const callOf = (c: ApiContext): Call => c.get('call') ?? newCall();

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
      if (!isChecksummed(value)) return failure('invalid_address');
      addresses[name] = value;
    }
    return null;
  };
}

function withScope(scope: Scope): Check {
  return (c) => (covers(grantOf(c), scope) ? null : failure('out_of_scope'));
}

/** A HEAD is answered as a GET; Hono leaves the body out. */
const readAs = (method: string) => (method === 'HEAD' ? 'GET' : method);
/** Whether a call with this method only asks. */
export const isQuery = (method: string): boolean => readAs(method) === 'GET';

function allowed(methods: readonly string[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
}
