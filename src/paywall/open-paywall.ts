/** Opens the paywall on this machine: asks the seller's node, then takes calls. */
import { Hono } from 'hono';
import type { Log } from '../basics/environment.ts';
import { messageOf } from '../basics/message-of.ts';
import type { Problem } from '../host/base/refusal.ts';
import { createCleanup } from '../host/cleanup.ts';
import type { StandingBy } from '../host/replica/follow-owner.ts';
import { leaveReplica } from '../host/replica/leave-replica.ts';
import { defended } from '../http/checks/defended.ts';
import { serve } from '../http/server.ts';
import type { BookReplica } from '../tabs/book.ts';
import { nodeFacilitator } from '../x402/facilitator.ts';
import { exchangeWith } from './base/exchange.ts';
import { openToPages } from './pages.ts';
import { inBothDialects } from './payment-dialect.ts';
import { createPaywall, type Paywall } from './paywall.ts';
import { createPriceAsker } from './price-asker.ts';
import type { Rule } from './rules.ts';
import { createSales } from './sales.ts';
import { askSeller, type Seller, type SellerTerms } from './seller.ts';
import { openTabCalls, type TabConfig } from './tab-calls.ts';
import { watchTabs } from './tab-metrics.ts';
import { followTabs, openTabReplica, stampOf, type TabStream, type Taking } from './tab-replica.ts';
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
  const seller = await sellerOf(config);
  if (config.tabs !== null) {
    const { file, leaveStream: code = null } = config.tabs;
    const database = `file:${file}`;
    const refused = leaveReplica({ database, stamp: stampOf(seller), who: 'paywall', code, log });
    if (refused !== null) throw new Error(refused.message);
  }
  return openFor(config, { seller, copy: null, log });
}

type Replicated = PaywallConfig & { tabs: TabConfig };
/** `problem`: see `StartRefusal`. */
export type OpenedPaywall =
  | { ok: true; value: OpenPaywall }
  | { ok: false; message: string; problem?: Problem };

/** Whose tabs are in a stream as well. Throws with what a person can do when the seller's node does not answer. */
export async function replicatedPaywall(config: Replicated, stream: TabStream, log: Log) {
  const seller = await sellerOf(config);
  const { file } = config.tabs;
  const parts = { stream, seller, key: config.key, file, log };
  return {
    /** Follows the paywall that sells, until its place is to be taken. */
    follow: (waiting: StandingBy) => followTabs(parts, waiting, config),
    /** `onTaken`: called once, when another one sells in this one's place. */
    async open(
      taking: Taking,
      onTaken: (reason: string, isOrdered: boolean) => void,
    ): Promise<OpenedPaywall> {
      const replica = await openTabReplica(parts, taking, onTaken);
      if (!replica.ok) return replica;
      const { copy, start, close } = replica.value;
      try {
        const paywall = await openFor(config, { seller, copy, log });
        start();
        const stop = () => paywall.stop().finally(close);
        return { ok: true, value: { ...paywall, stop } };
      } catch (error) {
        await close();
        return { ok: false, message: messageOf(error) };
      }
    },
  };
}

function sellerOf(config: PaywallConfig): Promise<Seller> {
  const { rules, node, token } = config;
  const access = token === null ? {} : { token };
  const tokens = rules.flatMap(({ price }) => (price === null ? [] : [price.token]));
  const facilitator = nodeFacilitator({ node, ...access, timeoutMs: FIRST_MS });
  return askSeller({ node, facilitator, tokens, told: config }, access);
}

type Parts = { seller: Seller; copy: BookReplica | null; log: Log };

async function openFor(config: PaywallConfig, { seller, copy, log }: Parts): Promise<OpenPaywall> {
  const { rules, upstream, node, token, key, offerSeconds, publicUrl, host, port } = config;
  const access = token === null ? {} : { token };
  const facilitator = nodeFacilitator({ node, ...access, fetch: exchangeWith });
  const now = () => performance.now();
  const { priceFrom = null } = config;
  const sales = createSales(log);
  const failed = (error: unknown) =>
    log.error({ error: String(error) }, 'a part of the paywall did not end as it should');
  const held = createCleanup(failed);
  try {
    const tabs =
      config.tabs === null
        ? null
        : openTabCalls(config.tabs, { seller, node, token, facilitator, copy, log });
    await held.add(async () => tabs?.stop());
    if (tabs !== null) watchTabs(sales.registry, tabs.figures);
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
    await held.add(server.close);
    const metrics =
      config.metricsPort === null ? null : await serveMetrics(config.metricsPort, sales);
    await held.add(async () => metrics?.close());
    return { url: server.url, metricsPort: metrics?.port ?? null, stop: held.end };
  } catch (error) {
    await held.end();
    throw error;
  }
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
