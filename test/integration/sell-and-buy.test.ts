/** Calls are sold with the packages of x402 as they are, and bought with theirs: two nodes that answer by heart settle them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { paymentMiddleware as expressMiddleware } from '@x402/express';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { paymentMiddleware as honoMiddleware, x402ResourceServer } from '@x402/hono';
import express from 'express';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChannelClientOptions, channelClient } from '../../src/x402/client.ts';
import { nodeFacilitator } from '../../src/x402/facilitator.ts';
import { channelPrice } from '../../src/x402/price.ts';
import { channelServer } from '../../src/x402/server.ts';
import { listening } from '../support/http-server.ts';
import {
  ASSET,
  createMarket,
  type Market,
  NETWORK,
  PAYER,
  PAYER_URL,
  SELLER,
  SELLER_URL,
} from '../support/x402-market.ts';

const KEY = new Uint8Array(32).fill(7);
const asset = { address: ASSET, decimals: 18 };
const PRICE = 10n ** 14n;
const price = channelPrice({ network: NETWORK, payTo: SELLER, seconds: 300 });
const routes = { '* /v1/*': { accepts: price('0.0001') } };

let market: Market;
let ends: (() => void)[];
/** What the seller's handler does, and how often it was asked. */
let serve: () => Response;
let served: number;
/** Seconds by which the seller's clock is ahead. */
let ahead: number;
/** The time at which that clock stands still, in milliseconds; null: it goes. */
let stopped: number | null;

beforeEach(() => {
  market = createMarket();
  ends = [];
  serve = () => Response.json({ weather: 'dry' });
  served = 0;
  ahead = 0;
  stopped = null;
});
afterEach(() => {
  for (const end of ends) end();
});

function resourceServer(key = KEY) {
  const node = nodeFacilitator({
    node: SELLER_URL,
    token: 'till',
    fetch: market.fetch,
    timeoutMs: 1_500,
  });
  const now = () => (stopped ?? Date.now()) + ahead * 1_000;
  const scheme = channelServer({ key, asset, node, now });
  return new x402ResourceServer(node).register(NETWORK, scheme);
}

async function onHono(key = KEY): Promise<string> {
  const app = new Hono();
  app.use(honoMiddleware(routes, resourceServer(key)));
  app.all('*', () => {
    served++;
    return serve();
  });
  return listening(getRequestListener(app.fetch), ends);
}

async function onExpress(): Promise<string> {
  const app = express();
  app.use(expressMiddleware(routes, resourceServer()));
  app.all('/{*path}', async (_, response) => {
    served++;
    const answer = serve();
    response
      .status(answer.status)
      .type('json')
      .send(await answer.text());
  });
  return listening(app, ends);
}

/** A buyer that may spend the price of three calls in a day. */
function buyer(options: Partial<ChannelClientOptions> = {}) {
  const caps = { most: PRICE, mostPerHost: 3n * PRICE, mostPerDay: 3n * PRICE };
  const channel = channelClient({
    node: PAYER_URL,
    asset: ASSET,
    fetch: market.fetch,
    ...caps,
    ...options,
  });
  const client = new x402Client().register('eip155:*', channel);
  return wrapFetchWithPayment(channel.fetch, client);
}

const lost = () => {
  throw new TypeError('the connection is lost');
};

describe.each([
  ['Hono', onHono],
  ['Express', onExpress],
])('a call of a server of %s', (_, start) => {
  it('is paid once, served once, and has a receipt', async () => {
    const url = await start();
    const bought: unknown[] = [];
    const buy = buyer({ onPaid: (one) => void bought.push(one) });
    const answer = await buy(`${url}/v1/weather?town=Lindwurm`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ weather: 'dry' });
    const receipt = JSON.parse(atob(answer.headers.get('payment-response') ?? ''));
    expect(receipt).toMatchObject({ success: true, network: NETWORK });
    expect(bought).toEqual([
      {
        resource: `GET ${url}/v1/weather?town=Lindwurm`,
        amount: PRICE,
        identifier: BigInt([...market.payments.values()][0]?.identifier ?? 0),
        secretHash: receipt.transaction,
      },
    ]);
    expect(served).toBe(1);
    expect([...market.payments.values()].map(({ amount }) => amount)).toEqual([PRICE]);
    expect(market.tokens).toEqual(['Bearer till']);
  });

  it('may have a body', async () => {
    const url = await start();
    const answer = await buyer()(`${url}/v1/weather`, { method: 'POST', body: 'a question' });
    expect(answer.status).toBe(200);
  });

  it('is not served without a payment', async () => {
    const url = await start();
    const answer = await fetch(`${url}/v1/weather`);
    expect(answer.status).toBe(402);
    expect(answer.headers.get('payment-required')).not.toBeNull();
    expect(served).toBe(0);
  });

  it('is asked for again with the same proof when the server failed', async () => {
    const url = await start();
    const buy = buyer();
    serve = () => Response.json({}, { status: 503 });
    expect((await buy(`${url}/v1/weather`)).status).toBe(503);
    expect(market.released).toHaveLength(1);
    serve = () => Response.json({});
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  });
});

describe.each([
  ['Hono', onHono],
  ['Express', onExpress],
])('an answer of a server of %s', (_, start) => {
  it.each([401, 404, 429])(
    'with status %s is not charged, and its receipt says so',
    async (status) => {
      const url = await start();
      const buy = buyer();
      serve = () => Response.json({}, { status });
      const answer = await buy(`${url}/v1/weather`);
      const receipt = JSON.parse(atob(answer.headers.get('payment-response') ?? ''));
      expect(receipt).toMatchObject({ success: false, errorReason: 'released', payer: PAYER });
      expect([answer.status, market.released.length]).toEqual([status, 1]);
      serve = () => Response.json({});
      expect((await buy(`${url}/v1/weather`)).status).toBe(200);
      expect(market.payments.size).toBe(1);
    },
  );

  it('has a receipt that it is charged when the release has not reached the node', async () => {
    const url = await start();
    serve = () => Response.json({}, { status: 404 });
    market.hooks.beforeRelease = () => Response.json({ success: false, errorReason: 'no' });
    const answer = await buyer()(`${url}/v1/weather`);
    const receipt = JSON.parse(atob(answer.headers.get('payment-response') ?? ''));
    expect(receipt).toMatchObject({ success: true });
  });

  it('that is not charged is given a hundred times to one payer, and then later', async () => {
    stopped = Date.now();
    const url = await start();
    const buy = buyer();
    serve = () => Response.json({}, { status: 404 });
    for (let n = 0; n < 100; n++) expect((await buy(`${url}/v1/weather`)).status).toBe(404);
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('too_many_unserved');
    expect([served, market.released.length]).toEqual([100, 100]);
    ahead += 2;
    serve = () => Response.json({});
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
  });
});

describe('a proof', () => {
  it('fits one resource, and is of use once', async () => {
    const url = await onHono();
    let header = '';
    const spy: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      header = request.headers.get('payment-signature') ?? header;
      return market.fetch(request);
    };
    await buyer({ fetch: spy })(`${url}/v1/weather`);
    const again = (path: string) =>
      fetch(`${url}${path}`, { headers: { 'payment-signature': header } });
    const elsewhere = await again('/v1/forecast');
    expect(elsewhere.status).toBe(402);
    const demand = JSON.parse(atob(elsewhere.headers.get('payment-required') ?? ''));
    expect(demand.error).toBe('unknown_offer');
    const twice = await again('/v1/weather');
    expect(twice.status).toBe(402);
    const receipt = JSON.parse(atob(twice.headers.get('payment-response') ?? ''));
    expect(receipt).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
    expect(served).toBe(1);
  });

  it('is not sent to where a redirection points', async () => {
    const url = await onHono();
    const seen: (string | null)[] = [];
    const thief = await listening((request, response) => {
      seen.push(String(request.headers['payment-signature'] ?? null));
      response.writeHead(402, { 'payment-required': '' }).end();
    }, ends);
    serve = () => Response.redirect(`${thief}/v1/weather`, 307);
    const answer = await buyer()(`${url}/v1/weather`);
    expect(answer.status).toBe(307);
    expect(seen).toEqual([]);
  });

  it('is not paid for an address that sends on to another', async () => {
    const url = await onHono();
    const front = await listening(
      (_, response) => response.writeHead(302, { location: `${url}/v1/weather` }).end(),
      ends,
    );
    await expect(buyer()(`${front}/v1/weather`)).rejects.toThrow('answered by another address');
    expect(market.payments.size).toBe(0);
  });

  it('is kept when the answer does not come, and used with the next call', async () => {
    const url = await onHono();
    let isDown = false;
    const flaky: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (isDown && request.headers.has('payment-signature')) return lost();
      return market.fetch(request);
    };
    const buy = buyer({ fetch: flaky });
    isDown = true;
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('lost');
    isDown = false;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
  });

  it('that was redeemed before its answer was lost ends one call, and pays nothing anew with it', async () => {
    const url = await onHono();
    let isDeaf = true;
    const deaf: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const isPaid = request.headers.has('payment-signature');
      const answer = await market.fetch(request);
      return isDeaf && isPaid ? lost() : answer;
    };
    const buy = buyer({ fetch: deaf });
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('lost');
    isDeaf = false;
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('duplicate_settlement');
    expect(market.payments.size).toBe(1);
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  });

  it('of a server with another key is refused, and a later call pays anew', async () => {
    const url = await onHono();
    const buy = buyer();
    serve = () => Response.json({}, { status: 500 });
    await buy(`${url}/v1/weather`);
    const port = Number(new URL(url).port);
    for (const end of ends.splice(0)) end();
    const app = new Hono();
    app.use(honoMiddleware(routes, resourceServer(new Uint8Array(32).fill(8))));
    app.all('*', () => Response.json({}));
    const server = createServer(getRequestListener(app.fetch)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => void server.close());
    // The first call may go over a connection to the server before.
    await vi.waitFor(() => expect(buy(`${url}/v1/weather`)).rejects.toThrow('unknown_offer'));
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    server.closeAllConnections();
  });
});

describe("the seller's node", () => {
  it('is asked again under the same key when its answer is lost', async () => {
    const url = await onHono();
    let times = 0;
    market.hooks.afterSettle = () =>
      ++times === 1 ? new Response('', { status: 502 }) : undefined;
    expect((await buyer()(`${url}/v1/weather`)).status).toBe(200);
    expect(times).toBe(2);
  });

  it('is asked without a key when it keeps no more of them', async () => {
    const url = await onHono();
    let times = 0;
    market.hooks.beforeSettle = (key) => {
      times++;
      const refused = { errors: 'no', code: 'too_many_keys', outcome: 'not_begun' };
      return key === undefined ? undefined : Response.json(refused, { status: 429 });
    };
    expect((await buyer()(`${url}/v1/weather`)).status).toBe(200);
    expect(times).toBe(2);
  });

  it('keeps the buyer waiting, who is served later by the same proof', async () => {
    const url = await onHono();
    const buy = buyer();
    market.hooks.beforeSettle = () => new Response('', { status: 503 });
    expect((await buy(`${url}/v1/weather`)).status).toBe(402);
    delete market.hooks.beforeSettle;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
  });
});

describe('a payment that is held up on its way', () => {
  const PENDING = { success: false, errorReason: 'payment_pending', transaction: '' };
  const pending = () => Response.json({ ...PENDING, network: NETWORK, payer: PAYER });
  let asked: number;
  beforeEach(() => {
    asked = 0;
  });
  /** The seller's node says so the first times that it is asked. */
  const holdUp = (times: number) => {
    market.hooks.beforeSettle = () => (++asked <= times ? pending() : undefined);
  };

  it('is waited for with the same proof, and bought by the call that has paid it', async () => {
    const url = await onHono();
    holdUp(1);
    const answer = await buyer()(`${url}/v1/weather`, { method: 'POST', body: 'a question' });
    expect(answer.status).toBe(200);
    expect([asked, served, market.payments.size]).toEqual([2, 1, 1]);
  });

  it('is waited for no longer than a call may take, and bought by a later one though its offer is over', async () => {
    const url = await onHono();
    let later = 0;
    const buy = buyer({ patienceMs: 0, now: () => Date.now() + later * 1_000 });
    holdUp(2);
    expect((await buy(`${url}/v1/weather`)).status).toBe(402);
    later = 86_400;
    ahead = 86_400;
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('payment_pending');
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect([asked, served, market.payments.size]).toEqual([3, 1, 1]);
  });

  it('is given up when its time is over, and the call after that pays anew', async () => {
    const url = await onHono();
    let later = 0;
    const buy = buyer({ patienceMs: 0, now: () => Date.now() + later * 1_000 });
    holdUp(1);
    await buy(`${url}/v1/weather`);
    later = 6 * 86_400;
    ahead = 8 * 86_400;
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('expired');
    later = ahead;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(2);
  });

  it('is not waited for by a caller that gives up', async () => {
    const url = await onHono();
    holdUp(100);
    const signal = AbortSignal.timeout(500);
    await expect(buyer()(`${url}/v1/weather`, { signal })).rejects.toThrow();
    expect(asked).toBeLessThan(4);
  });
});

describe('a buyer', () => {
  it('does not spend more in a day than it may, nor all at once', async () => {
    const url = await onHono();
    const buy = buyer();
    const calls = Array.from({ length: 8 }, (_, at) => buy(`${url}/v1/weather?day=${at}`));
    const ended = await Promise.allSettled(calls);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(market.payments.size).toBe(3);
  });

  it('does not pay more for a call, nor at a host, than it may', async () => {
    const url = await onHono();
    await expect(buyer({ most: PRICE - 1n })(`${url}/v1/weather`)).rejects.toThrow(
      'a call may cost',
    );
    const buy = buyer({ mostPerHost: PRICE });
    await buy(`${url}/v1/weather`);
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('127.0.0.1');
  });

  it('may spend again what was certainly not paid', async () => {
    const url = await onHono();
    const buy = buyer({ mostPerDay: PRICE });
    market.hooks.beforePayment = () =>
      Response.json({ errors: 'no route', code: 'no_route', outcome: 'failed' }, { status: 409 });
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('nothing is paid');
    delete market.hooks.beforePayment;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
  });

  it('goes on with a payment of which it does not know what became', async () => {
    const url = await onHono();
    let time = Date.now();
    const buy = buyer({ mostPerDay: PRICE, now: () => time });
    // So little time is left that the payment is given up soon.
    time += 294_000;
    market.hooks.afterPayment = () => new Response('', { status: 502 });
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('may still be paid');
    time -= 294_000;
    delete market.hooks.afterPayment;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
  });

  it('refuses an offer that is nearly over, or of another chain or token', async () => {
    const url = await onHono();
    ahead = -296;
    await expect(buyer()(`${url}/v1/weather`)).rejects.toThrow('less than 5 s');
    ahead = 0;
    await expect(buyer({ network: 'eip155:1' })(`${url}/v1/weather`)).rejects.toThrow(
      'eip155:31337',
    );
    await expect(buyer({ asset: SELLER })(`${url}/v1/weather`)).rejects.toThrow('spendControls');
    expect(market.payments.size).toBe(0);
  });

  it('pays for nothing of which the proof is longer than servers take', async () => {
    const url = await onHono();
    const ask = (size: number) => buyer()(`${url}/v1/weather?q=${'x'.repeat(size)}`);
    await expect(ask(7_000)).rejects.toThrow('longer than servers take');
    expect(market.payments.size).toBe(0);
    expect((await ask(5_000)).status).toBe(200);
  });

  it('refuses an offer that did not come through its own fetch', async () => {
    const url = await onHono();
    const channel = channelClient({
      node: PAYER_URL,
      asset: ASSET,
      fetch: market.fetch,
      ...{ most: PRICE, mostPerHost: PRICE, mostPerDay: PRICE },
    });
    const buy = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', channel));
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('did not come through');
  });

  it('outlives a seller that dies in the middle of a refusal', async () => {
    const url = await onHono();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.prependListener('unhandledRejection', note);
    const dying: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const answer = await market.fetch(request);
      const { status, headers } = answer;
      if (!request.headers.has('payment-signature')) return answer;
      const body = new ReadableStream({ start: (one) => one.error(new Error('terminated')) });
      return new Response(body, { status, headers });
    };
    market.hooks.beforeSettle = () => new Response('', { status: 400 });
    const buy = buyer({ fetch: dying });
    expect((await buy(`${url}/v1/weather`)).status).toBe(402);
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('does not take');
    await new Promise(setImmediate);
    process.removeListener('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('reads no more of a refusal than a person would', async () => {
    const url = await listening((_, response) => {
      response.writeHead(402, { 'payment-required': 'A'.repeat(15_000) });
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 1);
      response.on('close', () => clearInterval(timer));
    }, ends);
    await expect(buyer()(`${url}/v1/weather`)).rejects.toThrow();
    const long = async () =>
      new Response('', { status: 402, headers: { 'payment-required': 'A'.repeat(20_000) } });
    await expect(buyer({ fetch: long })(`${url}/v1/weather`)).rejects.toThrow('20000 characters');
  });
});
