/** A paywall with tabs before a server of a test's own, and programs that buy there; the nodes answer by heart. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { Address } from '../../src/basics/hex.ts';
import { serve } from '../../src/http/server.ts';
import { createPaywall } from '../../src/paywall/paywall.ts';
import { createPriceAsker } from '../../src/paywall/price-asker.ts';
import { parseRule } from '../../src/paywall/rules.ts';
import { createSales } from '../../src/paywall/sales.ts';
import { openTabCalls } from '../../src/paywall/tab-calls.ts';
import { createUpstream } from '../../src/paywall/upstream.ts';
import { channelClient } from '../../src/x402/client.ts';
import { nodeFacilitator } from '../../src/x402/facilitator.ts';
import { listening } from './http-server.ts';
import { ASSET, createMarket, NETWORK, PAYER_URL, SELLER, SELLER_URL } from './x402-market.ts';

export const UNIT = 10n ** 14n;
type Line = [text: string, fields: Record<string, unknown>];
export type TabShop = Awaited<ReturnType<typeof openTabShop>>;

/**
 * `rules`: without the token, which has 18 digits. A tab is opened with 100 units, of 0.0001 tokens each. `pricing`: says what
 * a call costs for rules that ask.
 */
export async function openTabShop(
  rules: readonly string[],
  behind: RequestListener,
  pricing: RequestListener | null = null,
) {
  const market = createMarket();
  const ends: (() => unknown)[] = [];
  const lines: Line[] = [];
  const note = (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]);
  const log = { info: note, warn: note, error: note };
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tabs-'));
  const seller = {
    ...({ address: SELLER, network: NETWORK } as const),
    decimals: new Map<Address, number>([[ASSET, 18]]),
  };
  const facilitator = nodeFacilitator({ node: SELLER_URL, fetch: market.fetch, timeoutMs: 1_000 });
  const tabs = openTabCalls(
    {
      file: join(folder, 'tabs.db'),
      terms: new Map([[ASSET, { least: '0.01', most: '0.1', token: ASSET }]]),
      idleSeconds: 3_600,
    },
    { seller, node: SELLER_URL, token: null, fetch: market.fetch, facilitator, log },
  );
  const now = () => performance.now();
  const sales = createSales(log);
  const wall = await createPaywall({
    rules: rules.map((text) => {
      const rule = parseRule(`${text} ${ASSET}`);
      if (!rule.ok) throw new Error(rule.message);
      return rule.value;
    }),
    ...{ seller, node: facilitator, tabs, log, sales, publicUrl: null, offerSeconds: 60 },
    key: '07'.repeat(32),
    upstream: createUpstream(await listening(behind, ends)),
    now,
    asker:
      pricing === null ? null : createPriceAsker({ url: await listening(pricing, ends), log, now }),
  });
  const app = { fetch: (request: Request) => wall.fetch(request, null) };
  const server = await serve({ app, port: 0, timeouts: { close: 100 } });
  ends.push(server.close);
  function program(mostOnTab = 500n * UNIT) {
    const caps = { most: 20n * UNIT, mostPerHost: 9_000n * UNIT, mostPerDay: 9_000n * UNIT };
    const at = { node: PAYER_URL, asset: ASSET, fetch: market.fetch };
    const channel = channelClient({ ...at, ...caps, mostOnTab });
    const client = new x402Client().register('eip155:*', channel);
    return { channel, buy: wrapFetchWithPayment(channel.fetch, client) };
  }
  return {
    program,
    ...{ market, lines, sales, tabs, url: server.url },
    /** Of a program, with a tab or without one. */
    buyer: (mostOnTab?: bigint) => program(mostOnTab).buy,
    /** What the calls on tabs came to, in units. */
    earned(): number {
      const paid = [...market.payments.values()].reduce((sum, { amount }) => sum + amount, 0n);
      return Number(paid - (tabs.figures().held.get(ASSET) ?? 0n)) / Number(UNIT);
    },
    async close(): Promise<void> {
      await Promise.all(ends.map((end) => end()));
      await tabs.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
