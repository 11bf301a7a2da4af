/** A paywall before a server of the test, between nodes that answer by heart. */
import type { RequestListener } from 'node:http';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { serve } from '../../src/http/server.ts';
import { createPaywall, type Paywall } from '../../src/paywall/paywall.ts';
import { createPriceAsker } from '../../src/paywall/price-asker.ts';
import { parseRule, type Rule } from '../../src/paywall/rules.ts';
import { createSales } from '../../src/paywall/sales.ts';
import { createUpstream } from '../../src/paywall/upstream.ts';
import {
  type ChannelClient,
  type ChannelClientOptions,
  channelClient,
} from '../../src/x402/client.ts';
import { nodeFacilitator } from '../../src/x402/facilitator.ts';
import { listening } from './http-server.ts';
import { ASSET, createMarket, NETWORK, PAYER_URL, SELLER, SELLER_URL } from './x402-market.ts';

/** What one call costs in the tests, 0.0001, in the smallest unit. */
export const UNIT = 10n ** 14n;
export type Shop = ReturnType<typeof createShop>;

function ruleOf(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

export function createShop() {
  const market = createMarket();
  const ends: (() => unknown)[] = [];
  const lines: [string, Record<string, unknown>][] = [];
  const note = (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]);
  const log = { info: note, warn: note, error: note };
  const sales = createSales(log);
  /** Of the paywall's clock, in milliseconds. */
  const clock = { time: 0 };
  const now = () => clock.time;

  const wallOf = (
    rules: readonly string[],
    upstream: string,
    priceFrom: string | null,
  ): Promise<Paywall> =>
    createPaywall({
      rules: rules.map(ruleOf),
      seller: { address: SELLER, network: NETWORK, decimals: new Map([[ASSET, 18]]) },
      node: nodeFacilitator({ node: SELLER_URL, fetch: market.fetch, timeoutMs: 1_000 }),
      key: '07'.repeat(32),
      offerSeconds: 60,
      publicUrl: null,
      tabs: null,
      upstream: createUpstream(upstream),
      sales,
      log,
      now,
      asker: priceFrom === null ? null : createPriceAsker({ url: priceFrom, log, now }),
    });

  function channel(options: Partial<ChannelClientOptions> = {}): ChannelClient {
    const caps = { most: 2n * UNIT, mostPerHost: 1_000n * UNIT, mostPerDay: 1_000n * UNIT };
    const given = { node: PAYER_URL, asset: ASSET, fetch: market.fetch };
    return channelClient({ ...given, ...caps, ...options });
  }

  /** `fetch` of a program that buys. */
  function buyer(options: Partial<ChannelClientOptions> = {}): typeof fetch {
    const own = channel(options);
    return wrapFetchWithPayment(own.fetch, new x402Client().register('eip155:*', own));
  }

  return {
    market,
    ends,
    lines,
    sales,
    clock,
    channel,
    buyer,
    /** The URL at which the server is sold. `around`: what stands before the paywall. `priceFrom`: where prices are asked. */
    async open(
      rules: readonly string[],
      server: RequestListener,
      around = (fetch: Paywall['fetch']) => fetch,
      priceFrom: string | null = null,
    ): Promise<string> {
      const call = around((await wallOf(rules, await listening(server, ends), priceFrom)).fetch);
      const app = {
        fetch: (request: Request, env?: { cut?: () => void }) =>
          call(request, '192.0.2.7', env?.cut),
      };
      const bound = await serve({ app, port: 0 });
      ends.push(bound.close);
      return bound.url;
    },
    /** The header PAYMENT-SIGNATURE of a call that is paid and not made. */
    async proofFor(url: string, method = 'GET'): Promise<string> {
      let proof = '';
      const spy: typeof fetch = async (input, init) => {
        const one = new Request(input, init);
        proof = one.headers.get('payment-signature') ?? proof;
        return proof === '' ? market.fetch(one) : new Response('', { status: 503 });
      };
      await buyer({ fetch: spy })(url, { method });
      return proof;
    },
    close: () => Promise.all(ends.map((end) => end())),
  };
}
