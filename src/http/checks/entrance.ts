/**
 * The checks that each call passes before its handler. The first that fails decides the answer: foreign
 * page 403, no token 401, shutting down 503, address in the URL 404, method 405, out of the token's scope 403, not
 * ready 503, body too large 413. Then the handler judges the request itself (415, 400, 409), and at last, when it is
 * the call's turn, the node answers.
 */
import type { Hono } from 'hono';
import type { NodeApi } from '../../node/api/api.ts';
import { newCall } from '../../node/api/commands.ts';
import type { LockSupply } from '../../node/api/lock-supply.ts';
import { createRound } from '../../node/runtime/commits/round.ts';
import { failure, type HttpReply } from '../answers/responses.ts';
import type { Turns } from '../queue/turns.ts';
import {
  type ApiContext,
  type ApiEnv,
  type CallCheck,
  grantOf,
  type Handler,
  isQuery,
  mayChange,
  readAs,
} from './call.ts';
import { checkAddresses, checked, notReadyRefusal, within, withScope } from './common.ts';
import type { createDefence, Guest } from './defence.ts';
import { createEnding } from './ending.ts';
import { type Identify, MAY_ALL, type Scope } from './tokens.ts';

type Counted = (c: ApiContext) => Promise<Response>;

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
  call: {
    kind: string;
    work: () => HttpReply | Promise<HttpReply>;
    locks: () => LockSupply | null;
  },
) => Promise<HttpReply>;

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
  const { app, node, turns, defend, identify, ending } = parts;
  const { onAnswered } = parts;
  /** Callers who all come at once do not keep the node from its messages and its commits. */
  const round = createRound({ now: () => performance.now() });
  const { end, note, fail, stopped, written } = createEnding(parts);
  ending.signal.addEventListener('abort', turns.close);
  /** By path; `guest` is that of its first method. */
  const mounted = new Map<string, { guest: Guest; handlers: Map<string, Counted> }>();
  /** Answers what is thrown in the handler as well, and counts each answer. */
  const counted =
    (path: string | null, handler: Handler): Counted =>
    async (c) => {
      const { method, path: asked } = c.req;
      if (mayChange(method, asked)) c.set('call', c.env?.call ?? newCall());
      let answer: HttpReply;
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
    (guest: Guest): CallCheck =>
    (c) => {
      return defend(c.req.raw.headers, c.env?.boundHost, guest);
    };

  const withToken: CallCheck = (c) => {
    const grant = identify(c.req.raw.headers.get('authorization'));
    if (grant === null)
      return { ...failure('unauthorized'), headers: { 'www-authenticate': 'Bearer' } };
    if (grant !== MAY_ALL) c.set('grant', grant);
    return null;
  };

  /** The checks before the method is looked at. */
  function entrance(path: string, isOpen: boolean, guest: Guest): CallCheck[] {
    const admitted = isOpen ? [] : [withToken];
    const goesOn: CallCheck = (c) => stopped(c, guest === 'probe');
    return [fromOwnSite(guest), ...admitted, goesOn, checkAddresses(path)];
  }

  const mount: Mount = (added, handler) => {
    const { method, path, scope, atOnce = false, bodyLimit, guest = null } = added;
    const checks: CallCheck[] = [
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

function allowed(methods: readonly string[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
}
