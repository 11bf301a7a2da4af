/** Calls on tabs, sold with the packages of x402 as they are: two nodes that answer by heart settle and pay back. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { paymentMiddleware as expressMiddleware } from '@x402/express';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { paymentMiddleware as honoMiddleware, x402ResourceServer } from '@x402/hono';
import express from 'express';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedTabs, type OpenTabsOptions, openTabs } from '../../../src/tabs/library.ts';
import { type ChannelClientOptions, channelClient } from '../../../src/x402/client.ts';
import { nodeFacilitator } from '../../../src/x402/facilitator.ts';
import { channelPrice } from '../../../src/x402/price.ts';
import { channelServer } from '../../../src/x402/server.ts';
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
const asset = { address: ASSET, decimals: 18 };
const at = { network: NETWORK, payTo: SELLER } as const;

let market: Market;
let ends: (() => unknown)[];
let folder: string;
let file: string;
let tabs: OpenedTabs;
/** Whether the seller offers tabs. */
let isOnTabs: boolean;
/** Whether the seller may open one more. */
let hasRoom: boolean;
/** What the seller's handler does, and how often it was asked. */
let serve: () => Response;
let served: number;
/** What the buyer has sent to the seller: with which header, and what came back. */
let sent: { proof: string; status: number; receipt: unknown }[];

beforeEach(() => {
  market = createMarket();
  ends = [];
  folder = mkdtempSync(join(tmpdir(), 'sluice-tabs-'));
  file = join(folder, 'tabs.db');
  serve = () => new Response('dry');
  isOnTabs = true;
  hasRoom = true;
  served = 0;
  sent = [];
});
afterEach(async () => {
  for (const end of ends) await end();
  await tabs.stop();
  rmSync(folder, { recursive: true });
});

/** What the seller's program makes at its start, of the same file each time. */
function selling(least = '0.001') {
  const { fetch } = market;
  const log = { info() {}, warn() {}, error() {} };
  const node = nodeFacilitator({ node: SELLER_URL, fetch, timeoutMs: 1_500 });
  tabs = openTabs({ ...at, file, node: SELLER_URL, asset, least, most: '0.1', fetch, log });
  const scheme = channelServer({
    key: '07'.repeat(32),
    asset,
    node,
    tabs: { ...tabs, hasRoom: () => hasRoom },
  });
  const price = channelPrice(at);
  const routes = {
    '* /v1/*': { accepts: isOnTabs ? tabs.accepts(price('0.0001')) : price('0.0001') },
    '* /dear': { accepts: tabs.accepts(price(() => '0.005')) },
    '* /by-path/*': {
      accepts: tabs.accepts(
        price(async ({ adapter }) => adapter.getPath().slice('/by-path/'.length)),
      ),
    },
  };
  return { routes, server: new x402ResourceServer(node).register(NETWORK, scheme) };
}

type App = { url: string; reopen(least?: string): Promise<void> };

async function onHono(): Promise<App> {
  const create = (least?: string) => {
    const { routes, server } = selling(least);
    const app = new Hono();
    app.use(honoMiddleware(routes, server));
    app.all('*', () => {
      served++;
      return serve();
    });
    return getRequestListener(app.fetch);
  };
  return started(create);
}

async function onExpress(): Promise<App> {
  const create = (least?: string) => {
    const { routes, server } = selling(least);
    const app = express();
    app.use(expressMiddleware(routes, server));
    app.all('/{*path}', async (_, response) => {
      served++;
      const answer = serve();
      response.status(answer.status).send(await answer.text());
    });
    app.use(((_error, _request, response, _next) => {
      response.status(500).end();
    }) satisfies express.ErrorRequestHandler);
    return app;
  };
  return started(create);
}

type Listener = Parameters<typeof listening>[0];

async function started(create: (least?: string) => Listener): Promise<App> {
  let listener = create();
  const url = await listening((request, response) => listener(request, response), ends);
  return {
    url,
    async reopen(least) {
      await tabs.stop();
      listener = create(least);
    },
  };
}

function channelOf(others: Partial<ChannelClientOptions> = {}) {
  const spy: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const answer = await market.fetch(request);
    const proof = request.headers.get('payment-signature');
    const { status } = answer;
    if (proof !== null) sent.push({ proof, status, receipt: receiptOf(answer) });
    return answer;
  };
  return channelClient({
    ...{ node: PAYER_URL, asset: ASSET, fetch: spy, mostOnTab: 500n * UNIT },
    ...{ most: 60n * UNIT, mostPerHost: 9_000n * UNIT, mostPerDay: 9_000n * UNIT },
    ...others,
  });
}

const buying = (channel: ReturnType<typeof channelOf>) =>
  wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));

function receiptOf(answer: Response): Record<string, unknown> {
  const header = answer.headers.get('payment-response');
  return header === null ? {} : Object(JSON.parse(atob(header)));
}

/** Shows a header once more, and says why it is refused. */
async function refusalOf(url: string, proof: string, method = 'GET'): Promise<unknown> {
  const answer = await fetch(url, { method, headers: { 'payment-signature': proof } });
  expect(answer.status).toBe(402);
  const demand = answer.headers.get('payment-required');
  return receiptOf(answer)['errorReason'] ?? JSON.parse(atob(demand ?? '')).error;
}

/** The proof of a call with some parts written otherwise. */
const forged = (proof: string, change: (parts: Record<string, never>) => object): string => {
  const parts = JSON.parse(atob(proof));
  return btoa(JSON.stringify({ ...parts, ...change(parts) }));
};

const paidFor = () => [...market.payments.values()].reduce((sum, { amount }) => sum + amount, 0n);
const spent = () => paidFor() - tabs.figures().held;

describe.each([
  ['Hono', onHono],
  ['Express', onExpress],
])('a tab at a server of %s', (_, start) => {
  it('serves each call after the first with one exchange, and asks no node', async () => {
    const { url } = await start();
    const buy = buying(channelOf());
    for (let call = 0; call < 6; call++) expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect([served, market.payments.size, market.tokens.length]).toEqual([6, 1, 1]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const left = (calls: bigint) => ({
      ...{ total: `${(10n - calls) * UNIT}`, left: `${calls * UNIT}`, lumps: 0 },
    });
    expect(sent[0]?.receipt).toMatchObject({ success: true, payer: PAYER, tab: left(9n) });
    expect(sent[5]?.receipt).toMatchObject({ success: true, payer: PAYER, tab: left(4n) });
    expect(spent()).toBe(6n * UNIT);
  });

  it('is not paid for when none can be opened: the call is paid by itself', async () => {
    const { url } = await start();
    hasRoom = false;
    expect((await buying(channelOf())(`${url}/v1/weather`)).status).toBe(200);
    expect([served, tabs.figures().count, paidFor()]).toEqual([1, 0, UNIT]);
  });

  it('is opened once by calls that begin at once, and topped up while they go on', async () => {
    const { url } = await start();
    const buy = buying(channelOf());
    const calls = Array.from({ length: 32 }, () => buy(`${url}/v1/weather`));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    for (let call = 0; call < 40; call++) expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect([served, tabs.figures().count, spent()]).toEqual([72, 1, 72n * UNIT]);
  });

  it('pays for calls of every price, and is opened with each of them', async () => {
    const { url } = await start();
    const buy = buying(channelOf());
    expect((await buy(`${url}/dear`)).status).toBe(200);
    expect((await buy(`${url}/v1/weather`, { method: 'POST', body: 'a question' })).status).toBe(
      200,
    );
    expect((await buy(`${url}/dear`)).status).toBe(200);
    expect([tabs.figures().count, spent()]).toEqual([1, 101n * UNIT]);
  });

  it('pays for a call what a function says of it, and opens a tab with it', async () => {
    const { url } = await start();
    const buy = buying(channelOf());
    for (const price of ['0.0003', '0.0002', '0.005'])
      expect((await buy(`${url}/by-path/${price}`)).status).toBe(200);
    expect([served, tabs.figures().count, spent()]).toEqual([3, 1, 55n * UNIT]);
    await expect(buy(`${url}/by-path/0.0061`)).rejects.toThrow('costs more');
  });

  it('takes no ticket twice, at once or after a restart, nor for another call', async () => {
    const { url, reopen } = await start();
    const buy = buying(channelOf());
    for (let call = 0; call < 3; call++) await buy(`${url}/v1/weather`);
    const ticket = sent.at(-1)?.proof ?? '';
    expect(await refusalOf(`${url}/v1/weather`, ticket)).toBe('counter_used');
    expect(await refusalOf(`${url}/v1/weather?town=Fafnir`, ticket)).toBe('malformed_ticket');
    expect(await refusalOf(`${url}/v1/weather`, ticket, 'POST')).toBe('malformed_ticket');
    expect(await refusalOf(`${url}/dear`, ticket)).toBe('malformed_ticket');
    await reopen('0.002');
    expect(await refusalOf(`${url}/v1/weather`, ticket)).toBe('counter_used');
    expect([served, spent()]).toEqual([3, 3n * UNIT]);
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect([served, spent(), market.payments.size]).toEqual([4, 4n * UNIT, 1]);
  });

  it.each([404, 503])('costs nothing when the handler answers %s', async (status) => {
    const { url } = await start();
    const buy = buying(channelOf());
    serve = () => new Response('', { status });
    expect((await buy(`${url}/v1/weather`)).status).toBe(status);
    expect((await buy(`${url}/v1/weather`)).status).toBe(status);
    const tab = { total: '0', left: `${10n * UNIT}`, lumps: 0 };
    expect(sent[0]?.receipt).toMatchObject({ success: true, tab });
    expect(sent.at(-1)?.receipt).toMatchObject({ success: true, tab });
    serve = () => new Response('dry');
    await buy(`${url}/v1/weather`);
    expect([served, spent()]).toEqual([3, UNIT]);
  });

  it('costs nothing when the handler throws', async () => {
    const { url } = await start();
    const buy = buying(channelOf());
    await buy(`${url}/v1/weather`);
    serve = () => {
      throw new Error('broken');
    };
    expect((await buy(`${url}/v1/weather`)).status).toBe(500);
    expect([served, spent()]).toEqual([2, UNIT]);
  });

  it('has the counter of a call on disk before the handler runs, and no charge without its end', async () => {
    const { url, reopen } = await start();
    const buy = buying(channelOf());
    await buy(`${url}/v1/weather`);
    // What is on disk then is all that is left of a program that dies there.
    const killed = join(folder, 'killed.db');
    serve = () => {
      for (const end of ['', '-wal'])
        copyFileSync(join(folder, `tabs.db${end}`), `${killed}${end}`);
      return new Response('dry');
    };
    await buy(`${url}/v1/weather`);
    const ticket = sent.at(-1)?.proof ?? '';
    expect(spent()).toBe(2n * UNIT);
    file = killed;
    await reopen();
    expect(await refusalOf(`${url}/v1/weather`, ticket)).toBe('counter_used');
    expect([served, spent()]).toEqual([2, UNIT]);
  });

  it('is paid back once when it is closed, without a call, and opens no second time', async () => {
    const { url, reopen } = await start();
    const channel = channelOf();
    const buy = buying(channel);
    for (let call = 0; call < 3; call++) await buy(`${url}/v1/weather`);
    const [opening, ticket] = sent.map(({ proof }) => proof);
    expect(await refusalOf(`${url}/v1/weather`, opening ?? '')).toBe('tab_open');
    expect(await channel.closeTabs()).toBe(7n * UNIT);
    await until(() => tabs.figures().count === 0, 'the tab is gone');
    const rests = () => [...market.rests.values()];
    expect(rests()).toMatchObject([{ amount: 7n * UNIT, target: PAYER }]);
    const closing = sent.at(-1)?.proof ?? '';
    expect(await refusalOf(`${url}/v1/weather`, closing)).toBe('unknown_tab');
    expect(await refusalOf(`${url}/v1/weather`, ticket ?? '')).toBe('unknown_tab');
    await reopen();
    expect(await refusalOf(`${url}/v1/weather`, opening ?? '')).toBe('tab_open');
    expect([served, rests().length, tabs.figures().count]).toEqual([3, 1, 0]);
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  });

  it('is opened by a payment whose redemption was not heard of', async () => {
    const { url } = await start();
    const buy = buying(channelOf({ patienceMs: 0 }));
    market.hooks.afterSettle = () => {
      delete market.hooks.afterSettle;
      return new Response('lost', { status: 400 });
    };
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('tabs_unavailable');
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect([served, market.payments.size, spent()]).toEqual([2, 1, 2n * UNIT]);
  });

  it('is not opened for what a call has paid, nor does what opened it pay for a call', async () => {
    const { url } = await start();
    const place = `${url}/v1/weather`;
    await buying(channelOf({ mostOnTab: 0n }))(place);
    await buying(channelOf())(place);
    const offers = await fetch(place);
    const [call, tab] = JSON.parse(atob(offers.headers.get('payment-required') ?? '')).accepts;
    const under = (offer: { extra: object }) => (proof: Record<string, never>) => {
      const { tag, paymentId, expires } = Object(Object(proof['accepted']).extra);
      return { accepted: { ...offer, extra: { ...offer.extra, tag, paymentId, expires } } };
    };
    const [ofCall, ofTab] = sent.map(({ proof }) => proof);
    expect(await refusalOf(place, forged(ofCall ?? '', under(tab)))).toBe('unknown_offer');
    expect(await refusalOf(place, forged(ofTab ?? '', under(call)))).toBe('unknown_offer');
    expect([served, tabs.figures().count]).toEqual([2, 1]);
  });
});

it('a buyer pays each call by itself when its seller takes no tickets any more', async () => {
  const { url, reopen } = await onHono();
  const buy = buying(channelOf());
  await buy(`${url}/v1/weather`);
  isOnTabs = false;
  await reopen();
  for (let call = 0; call < 2; call++) expect((await buy(`${url}/v1/weather`)).status).toBe(200);
  expect([served, market.payments.size, paidFor()]).toEqual([3, 3, 12n * UNIT]);
});

describe('a ticket', () => {
  let place: string;
  /** One that its buyer has made and the seller has not seen. */
  let ticket: string;
  beforeEach(async () => {
    const { url } = await onHono();
    place = `${url}/v1/weather`;
    ticket = '';
    const holding: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (served === 0) return market.fetch(request);
      ticket = request.headers.get('payment-signature') ?? '';
      return new Response('', { status: 503 });
    };
    const buy = buying(channelOf({ fetch: holding }));
    await buy(place);
    await buy(place);
    expect(served).toBe(1);
  });
  const shown = (proof: string) => fetch(place, { headers: { 'payment-signature': proof } });
  const offersIn = (answer: Response) =>
    JSON.parse(atob(answer.headers.get('payment-required') ?? '')).accepts;

  it('that names the offer of a call is refused: what it comes to would never be asked', async () => {
    const [accepted] = offersIn(await fetch(place));
    expect(
      await refusalOf(
        place,
        forged(ticket, () => ({ accepted })),
      ),
    ).toBe('malformed_ticket');
    expect([served, spent()]).toEqual([1, UNIT]);
    expect((await shown(ticket)).status).toBe(200);
    expect([served, spent()]).toEqual([2, 2n * UNIT]);
  });

  it('is charged by the price of the call, whatever offer of a tab it names', async () => {
    const cheap = forged(ticket, ({ accepted }) => {
      const { amount: _, extra, ...others }: Record<string, unknown> = Object(accepted);
      return { accepted: { ...others, amount: '1', extra: { ...Object(extra), price: '1' } } };
    });
    expect((await shown(cheap)).status).toBe(200);
    expect(spent()).toBe(2n * UNIT);
  });

  it('brings no offer on the terms that it names', async () => {
    const foreign = forged(ticket, ({ accepted }) => ({
      accepted: { ...Object(accepted), amount: '1', payTo: PAYER },
    }));
    const [, offer] = offersIn(await shown(foreign));
    const { tag } = JSON.parse(atob(ticket)).accepted.extra;
    expect(offer).toMatchObject({ amount: '1', payTo: SELLER, extra: { tag } });
  });

  it('is refused by a payer that has had many answers for nothing', async () => {
    serve = () => new Response('', { status: 404 });
    const buy = buying(channelOf());
    const asked = Array.from({ length: 160 }, () => buy(place).catch(() => null));
    await Promise.all(asked);
    expect(served).toBeLessThan(150);
    expect(sent.some(({ receipt }) => Object(receipt).errorReason === 'too_many_unserved')).toBe(
      true,
    );
  });
});

it('tabs have terms that can be kept, and are offered for what is paid to their node', async () => {
  const terms = { file, node: SELLER_URL, asset, least: '1', most: '2' };
  const opened = (changes: Partial<OpenTabsOptions>) => openTabs({ ...terms, ...at, ...changes });
  expect(() => opened({ least: '3' })).toThrow('no tab has from 3 to 2');
  expect(() => opened({ least: '0' })).toThrow('no tab has from 0 to 2');
  expect(() => opened({ payTo: 'bob' })).toThrow('addresses');
  tabs = opened({});
  const elsewhere = channelPrice({ ...at, payTo: PAYER })('1');
  const exact = { ...channelPrice(at)('1'), scheme: 'exact' };
  for (const option of [elsewhere, exact])
    expect(() => tabs.accepts(option)).toThrow('paid to its node');
});
