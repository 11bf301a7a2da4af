/** Calls that draw from a tab, between a paywall and a buying program, with nodes that answer by heart. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { serve } from '../../../src/http/server.ts';
import { createPaywall, type Paywall } from '../../../src/paywall/paywall.ts';
import { parseRule } from '../../../src/paywall/rules.ts';
import { createSales } from '../../../src/paywall/sales.ts';
import { openTabCalls } from '../../../src/paywall/tab-calls.ts';
import { createUpstream } from '../../../src/paywall/upstream.ts';
import type { SellerTabs } from '../../../src/tabs/seller-tabs.ts';
import { type ChannelClientOptions, channelClient } from '../../../src/x402/client.ts';
import { nodeFacilitator } from '../../../src/x402/facilitator.ts';
import { listening } from '../../support/http-server.ts';
import { until } from '../../support/until.ts';
import {
  ASSET,
  createMarket,
  type Market,
  NETWORK,
  PAYER,
  PAYER_URL,
  SELLER,
  SELLER_URL,
} from '../../support/x402-market.ts';

const UNIT = 10n ** 14n;
const log = { info() {}, warn() {}, error() {} };

let market: Market;
let ends: (() => unknown)[];
let folder: string;
let wall: Paywall;
let tabs: SellerTabs;
let url: string;
/** What the server behind answers, and how often it was asked. */
let status: number;
let served: number;
/** What the buyer has sent to the paywall: with which header, and what came back. */
let sent: { proof: string | null; status: number }[];

beforeEach(async () => {
  market = createMarket();
  ends = [];
  folder = mkdtempSync(join(tmpdir(), 'sluice-tabs-'));
  status = 200;
  served = 0;
  sent = [];
  const upstream = await listening(weather, ends);
  await open(upstream);
  const app = { fetch: (request: Request) => wall.fetch(request, null) };
  const server = await serve({ app, port: 0 });
  ends.push(server.close);
  url = `${server.url}/v1/weather`;
  reopen = async () => {
    await tabs.stop();
    await open(upstream);
  };
});
afterEach(async () => {
  for (const end of ends) await end();
  await tabs.stop();
  rmSync(folder, { recursive: true });
});

/** Ends the seller's program, and starts it anew on the same file. */
let reopen: () => Promise<void>;

const weather: RequestListener = (_, response) => {
  served++;
  response.writeHead(status).end('dry');
};

async function open(upstream: string): Promise<void> {
  const decimals = new Map<Address, number>([[ASSET, 18]]);
  const seller = { address: SELLER, network: NETWORK, decimals } as const;
  const facilitator = nodeFacilitator({ node: SELLER_URL, fetch: market.fetch, timeoutMs: 1_000 });
  const rules = [`/v1/* 0.0001 ${ASSET}`, `/dear 0.005 ${ASSET}`].map((text) => {
    const rule = parseRule(text);
    if (!rule.ok) throw new Error(rule.message);
    return rule.value;
  });
  tabs = openTabCalls(
    {
      file: join(folder, 'tabs.db'),
      terms: new Map([[ASSET, { least: '0.001', most: '0.1', token: ASSET }]]),
      idleSeconds: 3_600,
    },
    { seller, node: SELLER_URL, token: null, fetch: market.fetch, facilitator, log },
  );
  wall = await createPaywall({
    ...{ rules, seller, node: facilitator, tabs, log, publicUrl: null, offerSeconds: 60 },
    key: '07'.repeat(32),
    upstream: createUpstream(upstream),
    sales: createSales(log),
    now: () => performance.now(),
  });
}

function channelOf(others: Partial<ChannelClientOptions> = {}) {
  const spy: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const answer = await market.fetch(request);
    if (request.url.startsWith(new URL(url).origin))
      sent.push({ proof: request.headers.get('payment-signature'), status: answer.status });
    return answer;
  };
  const caps = { most: 2n * UNIT, mostPerHost: 9_000n * UNIT, mostPerDay: 9_000n * UNIT };
  const tabCaps = { mostOnTab: 500n * UNIT };
  return channelClient({
    ...{ node: PAYER_URL, asset: ASSET, fetch: spy },
    ...caps,
    ...tabCaps,
    ...others,
  });
}

const buying = (channel: ReturnType<typeof channelOf>) =>
  wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));

const paidFor = () => [...market.payments.values()].reduce((sum, { amount }) => sum + amount, 0n);
const rests = () => [...market.rests.values()];

describe('a tab', () => {
  it('serves each call after the first with one exchange, and asks no node', async () => {
    const buy = buying(channelOf());
    for (let call = 0; call < 6; call++) expect((await buy(url)).status).toBe(200);
    expect(served).toBe(6);
    expect(market.payments.size).toBe(1);
    // The offer, the proof, and a ticket for each of the others.
    expect(sent.map((one) => one.status)).toEqual([402, 200, 200, 200, 200, 200, 200]);
    expect(paidFor()).toBe(10n * UNIT);
  });

  it('is opened once by calls that begin at once, and topped up while they go on', async () => {
    const buy = buying(channelOf());
    const calls = Array.from({ length: 64 }, () => buy(url).then((answer) => answer.status));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    for (let call = 0; call < 100; call++) expect((await buy(url)).status).toBe(200);
    expect(served).toBe(164);
    const held = tabs.figures();
    expect(held.count).toBe(1);
    // Some calls may have been paid by themselves while the tab was filled.
    const alone = [...market.payments.values()].filter(({ amount }) => amount === UNIT).length;
    expect(paidFor() - (held.held.get(ASSET) ?? 0n)).toBe(164n * UNIT);
    expect(alone).toBeLessThan(64);
  });

  it('takes no ticket twice, at once or after a restart, nor at another address', async () => {
    const buy = buying(channelOf());
    for (let call = 0; call < 3; call++) await buy(url);
    const ticket = sent.at(-1)?.proof ?? '';
    const replay = (to: string, method = 'GET') =>
      fetch(to, { method, headers: { 'payment-signature': ticket } });
    const refusedFor = async (answer: Response) => Object(await answer.json()).error;
    expect(await refusedFor(await replay(url))).toBe('counter_used');
    expect(await refusedFor(await replay(`${url}?town=Fafnir`))).toBe('malformed_ticket');
    expect(await refusedFor(await replay(url, 'POST'))).toBe('malformed_ticket');
    await reopen();
    expect(await refusedFor(await replay(url))).toBe('counter_used');
    expect(served).toBe(3);
    expect((await buy(url)).status).toBe(200);
    expect(served).toBe(4);
  });

  it('costs nothing when the server behind fails', async () => {
    const buy = buying(channelOf());
    await buy(url);
    status = 503;
    expect((await buy(url)).status).toBe(503);
    status = 200;
    await buy(url);
    expect(tabs.figures().held.get(ASSET)).toBe(paidFor() - 2n * UNIT);
  });

  it('is paid back once when it is closed, and opens no second time', async () => {
    const channel = channelOf();
    const buy = buying(channel);
    for (let call = 0; call < 3; call++) await buy(url);
    const opening = sent[1]?.proof ?? '';
    market.hooks.beforeRest = () => {
      delete market.hooks.beforeRest;
      return Response.json({ errors: 'no route', outcome: 'failed' }, { status: 409 });
    };
    expect(await channel.closeTabs()).toBe(7n * UNIT);
    await until(() => rests().length > 0, 'the rest is paid');
    await until(() => tabs.figures().count === 0, 'the tab is gone');
    expect(rests()).toMatchObject([{ amount: 7n * UNIT, target: PAYER }]);
    const again = await fetch(url, { headers: { 'payment-signature': opening } });
    expect(await again.json()).toMatchObject({ error: 'tab_open' });
    const ticket = await fetch(url, { headers: { 'payment-signature': sent[2]?.proof ?? '' } });
    expect(await ticket.json()).toMatchObject({ error: 'unknown_tab' });
    await reopen();
    expect(tabs.figures().count).toBe(0);
    expect(rests()).toHaveLength(1);
    expect((await buy(url)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  }, 40_000);

  it('is opened by a payment whose redemption was not heard of', async () => {
    const buy = buying(channelOf());
    let answers = 0;
    market.hooks.afterSettle = () => {
      answers += 1;
      return answers === 1 ? new Response('lost', { status: 400 }) : undefined;
    };
    expect((await buy(url)).status).toBe(503);
    expect((await buy(url)).status).toBe(200);
    expect((await buy(url)).status).toBe(200);
    expect(market.payments.size).toBe(1);
    expect(served).toBe(2);
  });

  it('is opened with a call that costs more than the least payment', async () => {
    const buy = buying(channelOf({ most: 60n * UNIT }));
    const dear = `${new URL(url).origin}/dear`;
    expect((await buy(dear)).status).toBe(200);
    expect((await buy(url)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  });

  it('is not opened for what a call has paid, and what has opened it pays for no call', async () => {
    const plain = buying(channelOf({ mostOnTab: 0n }));
    await plain(url);
    const proof = JSON.parse(atob(sent[1]?.proof ?? ''));
    const offers = await fetch(url);
    const offer = JSON.parse(atob(offers.headers.get('payment-required') ?? '')).accepts[1];
    const { tag, paymentId, expires } = proof.accepted.extra;
    const extra = { ...offer.extra, tag, paymentId, expires };
    const forged = { ...proof, accepted: { ...offer, extra }, extensions: {} };
    const header = { 'payment-signature': btoa(JSON.stringify(forged)) };
    expect(await (await fetch(url, { headers: header })).json()).toMatchObject({
      error: 'unknown_offer',
    });
    expect(tabs.figures().count).toBe(0);
  });

  it('holds no more than the caps allow', async () => {
    const buy = buying(channelOf({ mostOnTab: 12n * UNIT }));
    for (let call = 0; call < 30; call++) expect((await buy(url)).status).toBe(200);
    expect(tabs.figures().held.get(ASSET)).toBeLessThanOrEqual(12n * UNIT);
    const dear = `${new URL(url).origin}/dear`;
    await expect(buy(dear)).rejects.toThrow('costs more');
    const paid = market.payments.size;
    await expect(buying(channelOf())(dear)).rejects.toThrow('refused');
    expect(market.payments.size).toBe(paid);
  });
});
