/** The REST API of one node as a Hono application; `serve` puts it on a port. */

import { Hono } from 'hono';
import type { NodeApi } from '../node/api/api.ts';
import { createLongAnswers } from './answers/long-answers.ts';
import type { ApiEnv } from './checks/call.ts';
import { createDefence } from './checks/defence.ts';
import { createEntrance } from './checks/entrance.ts';
import { createRepeats } from './checks/repeats.ts';
import { type ApiToken, createIdentify, type Identify } from './checks/tokens.ts';
import { createRoutes } from './description/described.ts';
import { mountDocs } from './description/docs.ts';
import { X402_BASE } from './endpoints/endpoint.ts';
import { healthRoutes } from './health.ts';
import { type Inspector, inspectorRoutes } from './inspector.ts';
import { landingRoute } from './landing.ts';
import { createMetrics, type Metrics, metricsRoutes } from './metrics.ts';
import { QUEUE_SECONDS } from './queue/gate.ts';
import { createTurns } from './queue/turns.ts';
import { channelRoutes } from './routes/channels.ts';
import { connectionRoutes } from './routes/connections.ts';
import { nodeRoutes } from './routes/node.ts';
import { paymentRoutes } from './routes/payments.ts';
import { pendingTransferRoutes } from './routes/pending-transfers.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { userDepositRoutes } from './routes/user-deposit.ts';
import { x402Routes } from './routes/x402.ts';
import { type RpcOptions, rpcRoutes } from './rpc.ts';
import { streamRoutes } from './stream.ts';
import { type WalletSource, walletRoutes } from './wallet.ts';
import { type WebUiOptions, webUiRoutes } from './web-ui.ts';

export type ApiOptions = {
  /** Calls that may be in progress at once; default 1, as the API document says. */
  apiConcurrency?: number;
  /** Whether queries are answered beside the other calls, instead of in order with them; default no. */
  concurrentReads?: boolean;
  /** Calls that may wait; the next one is answered 503. Default 10,000. */
  queueLimit?: number;
  /** How long a call may wait: one that would have to wait longer is answered 503 at once. */
  queueSeconds?: number;
  /** Host names (no port) under which the API is reached, beside loopback and the bound host. */
  allowedHosts?: readonly string[];
  /** The bearer tokens and what each allows; an empty list: no token is needed. */
  tokens?: readonly ApiToken[];
  /** Decides what a caller may do, by its `Authorization` header; by default by `tokens`. */
  identify?: Identify;
  /** Whether pages of this origin may call the API. */
  isNamedOrigin?: (origin: string) => boolean;
  /** Which JSON-RPC methods `POST /rpc` forwards, and where to; null: there is no `/rpc`. */
  rpc?: RpcOptions | null;
  /** The web page that is served under `/ui/`; null: none. */
  webUi?: WebUiOptions | null;
  /** Answers the calls under `/inspector/`, except for the page itself; null: there is no inspector. */
  inspector?: Inspector | null;
  /** What the wallet's page under `/wallet/` is told; null: there is no wallet. */
  wallet?: WalletSource | null;
  /** What the operator calls the node, for its first page; null: nothing. */
  name?: string | null;
  /** Where calls are counted; by default metrics of the application's own. */
  metrics?: Metrics;
  /**
   * Aborting it ends streams, which would otherwise go on for ever; the application aborts it when it stops taking
   * calls.
   */
  ending?: AbortController;
  /** Milliseconds between signs of life on a quiet stream; default 15,000. */
  heartbeatMs?: number;
  /** Called once, at the first 500: stop the server. What was thrown is for the log only. */
  onInternalError?: (error: unknown) => void;
  /** A long answer could not be read to its end; the node goes on. */
  onReadFailure?: (error: unknown) => void;
};

/** The application; it answers documented failures itself and throws nothing. */
export function createApp({ node, options = {} }: { node: NodeApi; options?: ApiOptions }) {
  const { allowedHosts = [], tokens = [], isNamedOrigin = () => false } = options;
  const { identify = createIdentify(tokens) } = options;
  const { apiConcurrency = 1, queueLimit = 10_000, queueSeconds = QUEUE_SECONDS } = options;
  const { concurrentReads = false, onInternalError = () => {} } = options;
  const { ending = new AbortController(), heartbeatMs = 15_000 } = options;
  const { onReadFailure = () => {} } = options;
  const { rpc = null, webUi = null, inspector = null, wallet = null, name = null } = options;
  const { metrics = createMetrics() } = options;
  const turns = createTurns({
    concurrency: apiConcurrency,
    hasOwnReads: concurrentReads,
    mostWaiting: queueLimit,
    patienceMs: queueSeconds * 1_000,
    onRefused: metrics.refused,
  });
  const defend = createDefence({ allowedHosts, isNamedOrigin });
  const app = new Hono<ApiEnv>();
  const entrance = createEntrance({
    app,
    node,
    turns,
    defend,
    identify,
    onInternalError,
    ending,
    onAnswered: metrics.answered,
  });
  const { mount, inTurn } = entrance;
  const { send } = createLongAnswers({ isBroken: node.isBroken, onReadFailure });
  const { once } = createRepeats(node);
  const { route, routeList, routeAt } = createRoutes({ mount, inTurn, send, once });
  nodeRoutes({ node, route, onShutdown: entrance.end });
  tokenRoutes({ node, route });
  channelRoutes({ node, route, routeList });
  paymentRoutes({ node, route, routeList });
  userDepositRoutes({ node, route });
  connectionRoutes({ node, route });
  pendingTransferRoutes({ node, routeList });
  x402Routes({ node, route: routeAt(X402_BASE), ending: ending.signal });
  // From here on routes that are not in the API document or do not answer JSON: streams, pages, metrics.
  streamRoutes({ node, mount, ending: ending.signal, heartbeatMs, onFailure: entrance.onFailure });
  healthRoutes({ node, mount });
  metricsRoutes({ node, turns, mount, metrics });
  mountDocs(mount);
  if (rpc !== null) rpcRoutes({ mount, rpc });
  const pages = { hasWallet: wallet !== null, hasInspector: inspector !== null };
  if (webUi !== null) webUiRoutes({ mount, webUi });
  else landingRoute({ mount, node, name, isOpen: identify(null) !== null, ...pages });
  if (inspector !== null) inspectorRoutes({ mount, inspector, ending: ending.signal });
  if (wallet !== null) walletRoutes({ mount, node, wallet });
  entrance.mountRest();
  return app;
}
