/** The REST API of one node as a Hono application; `serve` puts it on a port. */
import { Hono } from 'hono';
import type { NodeApi } from '../node/api.ts';
import { failure, refuse } from './answers.ts';
import { type ApiEnv, createCalls, type Resource } from './calls.ts';
import { createDefence } from './defence.ts';
import { createGate } from './gate.ts';
import { channelRoutes } from './routes/channels.ts';
import { nodeRoutes } from './routes/node.ts';
import { paymentRoutes } from './routes/payments.ts';
import { tokenRoutes } from './routes/tokens.ts';

const BASE = '/api/v1';

export type ApiOptions = {
  /** Calls that may be in progress at once; default 1, as the API document says. */
  apiConcurrency?: number;
  /** Calls that may wait; the next one is answered 503. Default 10,000. */
  queueLimit?: number;
  /** Host names (no port) under which the API is reached, beside loopback and the bound host. */
  allowedHosts?: readonly string[];
  /** Demanded of every call as `Authorization: Bearer …`; null or absent: none. */
  token?: string | null;
  /** Called once, at the first 500: stop the server. What was thrown is for the log only. */
  onInternalError?: (error: unknown) => void;
};

/** The application; it answers documented failures itself and throws nothing. */
export function createApp({ node, options = {} }: { node: NodeApi; options?: ApiOptions }) {
  const { allowedHosts = [], token = null, onInternalError = () => {} } = options;
  const { apiConcurrency = 1, queueLimit = 10_000 } = options;
  const gate = createGate({ concurrency: apiConcurrency, limit: queueLimit });
  const defend = createDefence({ allowedHosts, token });
  const calls = createCalls({ node, gate, defend, onInternalError });
  const app = new Hono<ApiEnv>();

  function route<A>(resource: Resource<A>): void {
    app.all(BASE + resource.path, (c) => calls.handle(c, resource));
  }
  nodeRoutes({ node, route, onShutdown: calls.end });
  tokenRoutes({ node, route, base: BASE });
  channelRoutes({ node, route });
  paymentRoutes({ node, route });
  app.notFound((c) => calls.admit(c) ?? refuse(failure('unknown_endpoint')));
  app.onError((error) => calls.fail(error));
  return app;
}
