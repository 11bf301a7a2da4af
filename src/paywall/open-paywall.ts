/** Opens the paywall on this machine: asks the seller's node, then takes calls. */
import { Hono } from 'hono';
import type { Log } from '../basics/environment.ts';
import { defended } from '../http/checks/defended.ts';
import { serve } from '../http/server.ts';
import { nodeFacilitator } from '../x402/facilitator.ts';
import { exchangeWith } from './base/exchange.ts';
import { openToPages } from './pages.ts';
import { inBothDialects } from './payment-dialect.ts';
import { createPaywall, type Paywall } from './paywall.ts';
import { createPriceAsker } from './price-asker.ts';
import type { Rule } from './rules.ts';
import { createSales } from './sales.ts';
import { askSeller, type SellerTerms } from './seller.ts';
import { openTabCalls, type TabConfig } from './tab-calls.ts';
import { createUpstream } from './upstream.ts';

export type PaywallConfig = SellerTerms & {
  rules: readonly Rule[];
  upstream: string;
  /** The API of the seller's node. */
  node: string;
  /** Of its API; null: none. */
  token: string | null;
  /** Where it takes calls; port 0 takes a free one. */
  host: string;
  port: number;
  /** On loopback; null: none is served. */
  metricsPort: number | null;
  publicUrl: string | null;
  /** Null: each call is paid by itself. */
  tabs: TabConfig | null;
  /** Of the pages that may call it from a browser; `*`: all. */
  origins: readonly string[];
  /** Of the seller's server that says what a call costs; null: the rules say it. */
  priceFrom?: string | null;
  offerSeconds: number;
  /** Hexadecimal: with the same one offers outlast a start. */
  key: string;
};
export type OpenPaywall = { url: string; metricsPort: number | null; stop(): Promise<void> };

/** A body may be as long in coming as the upstream can wait. */
const REQUEST_MS = 600_000;
/** Who starts it wants to know soon that the node is not there. */
const FIRST_MS = 3_000;

/** Throws with what a person can do. */
export async function openPaywall(config: PaywallConfig, log: Log): Promise<OpenPaywall> {
  const { rules, upstream, node, token, key, offerSeconds, publicUrl, host, port } = config;
  const access = token === null ? {} : { token };
  const facilitator = nodeFacilitator({ node, ...access, fetch: exchangeWith });
  const tokens = rules.flatMap(({ price }) => (price === null ? [] : [price.token]));
  const first = nodeFacilitator({ node, ...access, timeoutMs: FIRST_MS });
  const seller = await askSeller({ node, facilitator: first, tokens, told: config }, access);
  const sales = createSales(log);
  const tabs =
    config.tabs === null
      ? null
      : openTabCalls(config.tabs, { seller, node, token, facilitator, log });
  const now = () => performance.now();
  const { priceFrom = null } = config;
  const paywall = await createPaywall({
    ...{ rules, seller, key, offerSeconds, sales, log, tabs, now },
    asker: priceFrom === null ? null : createPriceAsker({ url: priceFrom, log, now }),
    node: facilitator,
    publicUrl: publicUrl?.replace(/\/+$/, '') ?? null,
    upstream: createUpstream(upstream),
  });
  const server = await serve({
    app: appOf(openToPages(inBothDialects(paywall.fetch), config.origins)),
    host,
    port,
    // It gives nothing away: what it passes on is what it was told to sell, and to give for nothing.
    allowPublic: true,
    timeouts: { request: REQUEST_MS },
  });
  const metrics =
    config.metricsPort === null ? null : await serveMetrics(config.metricsPort, sales);
  return {
    url: server.url,
    metricsPort: metrics?.port ?? null,
    async stop() {
      await Promise.all([server.close(), metrics?.close()]);
      await tabs?.stop();
    },
  };
}

type App = Parameters<typeof serve>[0]['app'];

function appOf(call: Paywall['fetch']): App {
  return {
    fetch(request, env = {}) {
      const incoming = 'incoming' in env ? env.incoming : undefined;
      return call(
        request,
        incoming?.socket.remoteAddress ?? null,
        'cut' in env ? env.cut : undefined,
      );
    },
  };
}

async function serveMetrics(port: number, sales: ReturnType<typeof createSales>) {
  const app = new Hono();
  const headers = { 'content-type': sales.contentType };
  app.get('/metrics', async () => new Response(await sales.page(), { headers }));
  // Pages of a browser on this machine have nothing to ask there.
  return serve({ app: defended(app, {}, null), port });
}
