/** The paywall before a server of its own, with nodes that answer by heart. */
import { once } from 'node:events';
import { type RequestListener, request } from 'node:http';
import { connect } from 'node:net';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../../src/http/server.ts';
import { createPaywall, type Paywall } from '../../src/paywall/paywall.ts';
import { parseRule } from '../../src/paywall/rules.ts';
import { createSales } from '../../src/paywall/sales.ts';
import { createUpstream } from '../../src/paywall/upstream.ts';
import { channelClient } from '../../src/x402/client.ts';
import { nodeFacilitator } from '../../src/x402/facilitator.ts';
import { listening } from '../support/http-server.ts';
import { until } from '../support/until.ts';
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

const RULES: readonly string[] = [
  `GET /v1/* 0.0001 ${ASSET}`,
  `POST /v1/* 0.0002 ${ASSET}`,
  'GET /health free',
];
const UNIT = 10n ** 14n;

let market: Market;
let ends: (() => unknown)[];
let lines: [string, Record<string, unknown>][];
let sales: ReturnType<typeof createSales>;
let rules: readonly string[];
let wall: Paywall;
/** Of the paywall's clock, in milliseconds. */
let time: number;

beforeEach(() => {
  market = createMarket();
  ends = [];
  rules = RULES;
  time = 0;
  lines = [];
  const note = (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]);
  sales = createSales({ info: note, warn: note, error: note });
});
afterEach(() => Promise.all(ends.map((end) => end())));

async function wallBefore(upstream: string, publicUrl: string | null = null): Promise<string> {
  wall = await wallOf(upstream, publicUrl);
  const app = { fetch: (request: Request) => wall.fetch(request, '192.0.2.7') };
  const server = await serve({ app, port: 0 });
  ends.push(server.close);
  return server.url;
}

function wallOf(upstream: string, publicUrl: string | null = null): Promise<Paywall> {
  const note = (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]);
  return createPaywall({
    rules: rules.map((text) => {
      const parsed = parseRule(text);
      if (!parsed.ok) throw new Error(parsed.message);
      return parsed.value;
    }),
    seller: { address: SELLER, network: NETWORK, decimals: new Map([[ASSET, 18]]) },
    node: nodeFacilitator({ node: SELLER_URL, fetch: market.fetch, timeoutMs: 1_000 }),
    key: '07'.repeat(32),
    offerSeconds: 60,
    publicUrl,
    tabs: null,
    upstream: createUpstream(upstream),
    sales,
    log: { info: note, warn: note, error: note },
    now: () => time,
  });
}

function buyer(given = market.fetch, others: { patienceMs?: number } = {}) {
  const caps = { most: 2n * UNIT, mostPerHost: 100n * UNIT, mostPerDay: 100n * UNIT };
  const channel = channelClient({
    node: PAYER_URL,
    asset: ASSET,
    fetch: given,
    ...caps,
    ...others,
  });
  return wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
}

/** Of a call that is paid and not made. */
async function proofFor(url: string, method: string): Promise<string> {
  let proof = '';
  const spy: typeof fetch = async (input, init) => {
    const one = new Request(input, init);
    proof = one.headers.get('payment-signature') ?? proof;
    return proof === '' ? market.fetch(one) : new Response('', { status: 503 });
  };
  await buyer(spy)(url, { method });
  return proof;
}

const weather: RequestListener = (request, response) => {
  const { url, method, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json', 'x-own': 'yes' });
  response.end(JSON.stringify({ url, method, headers }));
};

describe('the paywall', () => {
  it('sells a call, writes one line about it, and keeps the proof from the server behind', async () => {
    const url = await wallBefore(`${await listening(weather, ends)}/api/`);
    const answer = await buyer()(`${url}/v1/weather?town=Lindwurm`, { headers: { cookie: 'a=b' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-own')).toBe('yes');
    expect(answer.headers.get('cache-control')).toBe('private');
    expect(answer.headers.get('payment-response')).not.toBeNull();
    const seen: unknown = await answer.json();
    expect(seen).toMatchObject({ url: '/api/v1/weather?town=Lindwurm', method: 'GET' });
    expect(seen).toMatchObject({ headers: { cookie: 'a=b', 'x-forwarded-for': '192.0.2.7' } });
    expect(seen).not.toHaveProperty(['headers', 'payment-signature']);
    const [payment] = [...market.payments.values()];
    expect(lines).toEqual([
      [
        'sold',
        {
          method: 'GET',
          path: '/v1/weather',
          token: ASSET,
          amount: '0.0001',
          payer: PAYER,
          secretHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          status: 200,
        },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain(payment?.secret.slice(2));
    const page = await sales.page();
    expect(page).toContain(`earned_units_total{rule="${RULES[0]}",token="${ASSET}"} ${UNIT}`);
  });

  it('says the price to programs and to people', async () => {
    const url = await wallBefore(await listening(weather, ends));
    const answer = await fetch(`${url}/v1/a'b`);
    expect(answer.status).toBe(402);
    expect(await answer.json()).toEqual({
      error: 'payment_required',
      message: 'This call has to be paid for.',
      price: '0.0001',
      token: ASSET,
      how: `sluice fetch '${url}/v1/a%27b' --token ${ASSET} --most 0.0001`,
    });
    const page = await fetch(`${url}/v1/weather`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(402);
    expect(await page.text()).toContain('<h1>0.0001 of a token</h1>');
    expect(page.headers.get('payment-required')).not.toBeNull();
  });

  it('passes on what is free, and nothing that has no rule', async () => {
    let calls = 0;
    const url = await wallBefore(
      await listening((request, response) => {
        calls++;
        weather(request, response);
      }, ends),
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/v1/weather`, { method: 'HEAD' })).status).toBe(402);
    expect((await fetch(`${url}/v1/weather`, { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(`${url}/admin`)).status).toBe(404);
    expect((await fetch(`${url}/health/..%2fv1`)).status).toBe(400);
    expect(calls).toBe(1);
  });

  it('passes on nothing by which a server would take the call for another one', async () => {
    const url = await wallBefore(await listening(weather, ends));
    const sent = {
      'x-original-url': '/v1/weather',
      'x-rewrite-url': '/v1/weather',
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'DELETE',
      x_original_url: '/v1/weather',
      'x-mine': 'yes',
    };
    const answer = await fetch(`${url}/health`, { headers: sent });
    const { headers } = Object(await answer.json());
    expect(Object.keys(sent).filter((name) => name in headers)).toEqual(['x-mine']);
  });

  it('sells at the price of the method, and passes the body on', async () => {
    const url = await wallBefore(
      await listening(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        response.end(Buffer.concat(chunks));
      }, ends),
    );
    const body = 'x'.repeat(300_000);
    const answer = await buyer()(`${url}/v1/store`, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
    expect([...market.payments.values()].map(({ amount }) => amount)).toEqual([2n * UNIT]);
  });

  it('passes on a body that waits for leave', async () => {
    const url = await wallBefore(
      await listening(async (message, response) => {
        const chunks = [];
        for await (const chunk of message) chunks.push(chunk);
        response.end(`${message.headers.expect} ${Buffer.concat(chunks)}`);
      }, ends),
    );
    const proof = await proofFor(`${url}/v1/store`, 'POST');
    const headers = { expect: '100-continue', 'payment-signature': proof };
    const sent = request(`${url}/v1/store`, { method: 'POST', headers });
    sent.on('continue', () => void sent.end('body'));
    sent.flushHeaders();
    const [answer] = await once(sent, 'response');
    const [text] = await once(answer, 'data');
    expect(String(text)).toBe('undefined body');
  });

  it('refuses what was paid at an earlier price, and sells at the new one', async () => {
    const url = await wallBefore(
      await listening((_, response) => response.writeHead(500).end(), ends),
    );
    const buy = buyer();
    await buy(`${url}/v1/weather`);
    rules = rules.map((text) => text.replace('0.0001', '0.00005'));
    wall = await wallOf(await listening(weather, ends));
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('No matching payment requirements');
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
  });

  it('lets an answer through as it comes', async () => {
    let goOn = () => {};
    const url = await wallBefore(
      await listening((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: 1\n\n');
        goOn = () => void response.end('data: 2\n\n');
      }, ends),
    );
    const answer = await buyer()(`${url}/v1/events`);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe('data: 1\n\n');
    goOn();
    const second = await reader?.read();
    expect(new TextDecoder().decode(second?.value)).toBe('data: 2\n\n');
  });

  it('takes the redemption back when the server behind fails, or is away', async () => {
    let status = 503;
    const url = await wallBefore(
      await listening((request, response) => {
        if (status === 0) return void request.socket.destroy();
        response.writeHead(status).end();
      }, ends),
    );
    const buy = buyer();
    expect((await buy(`${url}/v1/weather`)).status).toBe(503);
    status = 0;
    expect((await buy(`${url}/v1/weather`)).status).toBe(502);
    status = 200;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
    expect(market.released).toHaveLength(2);
    const texts = lines.map(([text]) => text);
    expect(texts.filter((text) => text.startsWith('paid and not served'))).toHaveLength(2);
    expect(texts.filter((text) => text === 'sold')).toHaveLength(1);
  });

  it.each([
    ['hangs up', ''],
    ['sends a broken body', 'zz\r\n'],
  ])('has sold what the server behind was asked when the buyer %s', async (_, end) => {
    let calls = 0;
    const url = await wallBefore(
      await listening((message) => {
        calls++;
        message.on('error', () => {});
      }, ends),
    );
    const proof = await proofFor(`${url}/v1/store`, 'POST');
    const { host, port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/store HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n` +
        `Payment-Signature: ${proof}\r\n\r\n1\r\na\r\n`,
    );
    await until(() => calls === 1, 'the server behind has the call');
    if (end === '') socket.destroy();
    else socket.write(end);
    await until(() => lines.length > 0, 'it is over');
    expect(lines.map(([text, { status }]) => [text, status])).toEqual([['sold', 499]]);
    expect(market.released).toEqual([]);
    const again = await fetch(`${url}/v1/store`, {
      method: 'POST',
      headers: { 'payment-signature': proof },
    });
    expect([again.status, calls]).toEqual([402, 1]);
  });

  it('takes the redemption back when the buyer has hung up before the server behind was asked', async () => {
    let calls = 0;
    const url = await wallBefore(await listening(() => void calls++, ends));
    const proof = await proofFor(`${url}/v1/store`, 'POST');
    const leave = new AbortController();
    market.hooks.afterSettle = () => void leave.abort();
    const init = { method: 'POST', headers: { 'payment-signature': proof }, signal: leave.signal };
    await wall.fetch(new Request(`${url}/v1/store`, init), null);
    expect([calls, market.released.length]).toEqual([0, 1]);
  });

  it('says that it cannot check a payment while its node is away, and nothing of that node', async () => {
    const url = await wallBefore(await listening(weather, ends));
    const buy = buyer();
    market.hooks.beforeSettle = () => new Response('at 10.0.0.7', { status: 503 });
    const answer = await buy(`${url}/v1/weather`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('10.0.0.7');
    delete market.hooks.beforeSettle;
    expect((await buy(`${url}/v1/weather`)).status).toBe(200);
    expect(market.payments.size).toBe(1);
  });

  it('sells under its public URL', async () => {
    const outside = 'https://api.example/paid';
    const url = await wallBefore(await listening(weather, ends), outside);
    const answer = await fetch(`${url}/v1/weather`);
    const demand = JSON.parse(atob(answer.headers.get('payment-required') ?? ''));
    expect(demand.resource.url).toBe(`${outside}/v1/weather`);
    expect((await buyer()(`${url}/v1/weather`)).status).toBe(200);
  });

  it('tells a buyer whose payment is held up on its way to ask again', async () => {
    const url = await wallBefore(await listening(weather, ends));
    const pending = { success: false, errorReason: 'payment_pending', transaction: '' };
    market.hooks.beforeSettle = () => Response.json({ ...pending, network: NETWORK });
    const answer = await buyer(market.fetch, { patienceMs: 0 })(`${url}/v1/weather`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([402, '5']);
    expect(await answer.json()).toMatchObject({ error: 'payment_pending' });
  });

  it('asks its node about few proofs for which nobody has paid, and about those of its customers first', async () => {
    const url = await wallBefore(await listening(weather, ends));
    expect((await buyer()(`${url}/v1/weather`)).status).toBe(200);
    const demand = JSON.parse(
      atob(
        (await wall.fetch(new Request(`${url}/v1/junk`), null)).headers.get('payment-required') ??
          '',
      ),
    );
    let asked = 0;
    market.hooks.beforeSettle = () => void asked++;
    let drawn = 0;
    const junk = (payer: string) => {
      const [accepted] = demand.accepts;
      const secret = `0x${(++drawn).toString(16).padStart(64, '0')}`;
      const payload = { payer, paymentId: accepted.extra.paymentId, secret };
      const proof = btoa(JSON.stringify({ x402Version: 2, accepted, payload }));
      return wall.fetch(
        new Request(`${url}/v1/junk`, { headers: { 'payment-signature': proof } }),
        null,
      );
    };
    const flood = async (times: number, payer: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < times; n++) statuses.push((await junk(payer)).status);
      return statuses;
    };
    const stranger = '0x00000000000000000000000000000000000000aa';
    await flood(230, stranger);
    expect(asked).toBe(200);
    const refused = await junk(stranger);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ error: 'too_many_proofs' });
    // Who has bought here before is not kept waiting; who has not yet comes in as the others leave room.
    expect((await buyer()(`${url}/v1/weather`)).status).toBe(200);
    time += 1_000;
    asked = 0;
    await flood(100, stranger);
    expect(asked).toBe(50);
    // In the name of a customer nobody gets far.
    asked = 0;
    expect((await flood(30, PAYER)).filter((status) => status === 429)).toHaveLength(10);
    expect(asked).toBe(20);
    const later = buyer();
    const bought = later(`${url}/v1/weather`);
    setTimeout(() => {
      time += 1_000;
    }, 200);
    expect((await bought).status).toBe(200);
    expect(market.payments.size).toBe(3);
  });

  it('refuses WebSockets and proofs that nobody can read', async () => {
    const url = await wallBefore(await listening(weather, ends));
    const refused = await fetch(`${url}/v1/weather`, { headers: { 'payment-signature': '%' } });
    expect(refused.status).toBe(400);
    for (const text of ['{}', '[]', '{"x402Version":1}', '"x"'])
      expect(
        (await fetch(`${url}/v1/weather`, { headers: { 'payment-signature': btoa(text) } })).status,
      ).toBe(400);
    const { host } = new URL(url);
    const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
    socket.write(
      `GET /v1/weather HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    const [data] = await once(socket, 'data');
    socket.destroy();
    expect(String(data)).toMatch(/^HTTP\/1.1 501 /);
  });

  it('does not follow where the server behind sends a client', async () => {
    const url = await wallBefore(
      await listening((_, response) => response.writeHead(302, { location: '/admin' }).end(), ends),
    );
    const answer = await buyer()(`${url}/v1/weather`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/admin']);
  });
});
