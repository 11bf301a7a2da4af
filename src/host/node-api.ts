/** Serves the API of one node on its port, and ends it when the node stops or fails. */

import { Hono } from 'hono';
import { messageOf } from '../basics/message-of.ts';
import { type ApiOptions, createApp } from '../http/app.ts';
import { type ApiEnv, isQuery } from '../http/checks/call.ts';
import { shareWith } from '../http/checks/cors.ts';
import { KEY_HEADER } from '../http/checks/keys.ts';
import { originMatcher } from '../http/checks/origins.ts';
import { unanswered } from '../http/checks/outcomes.ts';
import type { ApiToken } from '../http/checks/tokens.ts';
import type { Metrics } from '../http/metrics.ts';
import { type ApiServer, serve } from '../http/server.ts';
import { socketOf } from '../http/socket-file.ts';
import type { NodeApi } from '../node/api/api.ts';
import { newCall } from '../node/api/commands.ts';
import { refusal, type Started, started } from './base/refusal.ts';

export type ApiConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Calls that may be in progress at once. */
  concurrency: number;
  /** The bearer tokens and what each allows; without any, the API listens on loopback only. */
  tokens?: readonly ApiToken[];
  /** The origins whose pages may call the API, as `parseOrigins` gives them. */
  origins?: readonly string[];
} & Pick<
  ApiOptions,
  | 'allowedHosts'
  | 'concurrentReads'
  | 'queueSeconds'
  | 'identify'
  | 'rpc'
  | 'webUi'
  | 'inspector'
  | 'wallet'
  | 'name'
>;

export type NodeServer = Pick<ApiServer, 'url' | 'port'> & {
  /** Refuses calls from now on; resolves when those in progress are answered, or cut off after a while. */
  end(): Promise<void>;
  /**
   * Called when the node cannot go on: waiting callers are told, and every call is refused until `end`, probes too.
   * `isInternal`: it failed, and whoever waits for what it began is answered 500.
   */
  fail(isInternal: boolean): void;
};

type Serving = {
  node: NodeApi;
  config: ApiConfig;
  metrics?: Metrics;
  onInternalError: (error: unknown) => void;
  onReadFailure?: (error: unknown) => void;
};

/** The API of a node as an application, without a port. */
export type NodeApp = {
  fetch(...call: Parameters<ReturnType<typeof createApp>['fetch']>): Response | Promise<Response>;
  /** Refuses calls from now on. */
  end(): void;
  /** As `NodeServer.fail`. */
  fail(isInternal: boolean): void;
};

/**
 * A call without an answer so far; null when it is over. It lets go of the call then, because a Set that is always changing
 * keeps alive what was taken out of it: its former tables, each with what was in it, hang together until all memory is
 * looked through, and requests would be copied and kept for nothing.
 */
type Waiting = { giveUp: ((isInternal: boolean) => void) | null };

export function createNodeApp({ node, config, ...told }: Serving): NodeApp {
  const { host: _, port: __, concurrency, origins = [], ...given } = config;
  const isNamedOrigin = originMatcher(origins);
  const ending = new AbortController();
  const options = { ...given, ...told, apiConcurrency: concurrency, isNamedOrigin, ending };
  const app = createApp({ node, options });
  const waiting = new Set<Waiting>();

  function answer(request: Request, env: Omit<ApiEnv['Bindings'], 'call'> = {}): Promise<Response> {
    return new Promise((resolve, reject) => {
      const call = newCall();
      function giveUp(isInternal: boolean): void {
        const known = isQuery(request.method) ? null : call;
        const hasKey = request.headers.has(KEY_HEADER);
        const tell = () => resolve(unanswered(known, { hasKey, isInternal }));
        // What has not begun is refused by itself as soon as it comes to it, or has met the failure.
        if (known === null || call.begun !== null) tell();
        else setImmediate(tell);
      }
      const one: Waiting = { giveUp };
      waiting.add(one);
      function over(): void {
        waiting.delete(one);
        one.giveUp = null;
      }
      Promise.resolve(app.fetch(request, { call, ...env })).then(
        (answered) => {
          over();
          resolve(answered);
        },
        (error) => {
          over();
          reject(error);
        },
      );
    });
  }

  const shared = new Hono<ApiEnv>().use(shareWith(isNamedOrigin));
  shared.all('*', (c) => answer(c.req.raw, c.env));
  const end = () => ending.abort();
  return {
    fetch: origins.length === 0 ? answer : shared.fetch,
    end,
    fail(isInternal) {
      for (const { giveUp } of waiting) giveUp?.(isInternal);
      end();
    },
  };
}

/** Starts to serve. When it cannot listen on the host, the refusal says what to do. */
export async function serveNode(request: Serving): Promise<Started<NodeServer>> {
  const { host, port, tokens = [] } = request.config;
  const app = createNodeApp(request);
  try {
    const server = await serve({ app, host, port, allowPublic: tokens.length > 0 });
    const end = () => {
      app.end();
      return server.close();
    };
    return started({ url: server.url, port: server.port, end, fail: app.fail });
  } catch (error) {
    return refusal('api_address', listenProblem(error, host, port));
  }
}

/** What the operator can do when the API cannot listen on a host and port. */
export function listenProblem(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const socket = socketOf(host);
  if (socket !== null) return socketProblem(code, error, socket);
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is taken by another program: choose another --api-address`;
  if (code === 'EACCES')
    return `this user may not listen on port ${port} of ${host}: choose another --api-address`;
  return `the API cannot listen on ${host}:${port}: ${messageOf(error)}`;
}

function socketProblem(code: unknown, error: unknown, path: string): string {
  if (code === 'EADDRINUSE')
    return `${path} is taken by another program, or is no socket: choose another --api-address`;
  if (code === 'EACCES' || code === 'ENOENT')
    return `this user may not make a socket at ${path}, or its folder is missing: choose another --api-address`;
  return `the API cannot listen on ${path}: ${messageOf(error)}`;
}
