/** Calls whose price the seller's own server says before they are offered. */
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPriceAsker } from '../../src/paywall/price-asker.ts';
import { demandIn } from '../../src/x402/headers.ts';
import { listening } from '../support/http-server.ts';
import { createShop, type Shop, UNIT } from '../support/paywall-shop.ts';
import { openTabShop } from '../support/tab-shop.ts';
import { until } from '../support/until.ts';
import { ASSET } from '../support/x402-market.ts';

const RULE = `GET /v1/* asked up to 0.01 ${ASSET}`;
let shop: Shop;
/** What the seller's server says, and what it was asked. */
let pricing: RequestListener;
let questions: { method: string; url: string; headers: Record<string, unknown> }[];
let served: number;

beforeEach(() => {
  shop = createShop();
  questions = [];
  served = 0;
  pricing = says('{ "price": "0.0001" }');
});
afterEach(async () => {
  vi.useRealTimers();
  await shop.close();
});

const says =
  (text: string, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(text);

const answering: RequestListener = (request, response) => {
  const query = new URL(request.url ?? '', 'http://here').searchParams;
  const { headers } = request;
  questions.push({ method: query.get('method') ?? '', url: query.get('url') ?? '', headers });
  pricing(request, response);
};

const behind: RequestListener = (request, response) => {
  served++;
  response.end(`got ${request.url}`);
};

async function open(rules: readonly string[] = [RULE]): Promise<string> {
  const from = await listening(answering, shop.ends);
  return shop.open(rules, behind, (fetch) => fetch, `${from}/price?of=calls`);
}

async function offerAt(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  const [demand] = demandIn(answer.headers)?.accepts ?? [];
  return { status: answer.status, amount: demand?.amount, body: await answer.json() };
}

describe('a call whose price is asked', () => {
  it('is offered for what the seller says of its method and URL, and sold for that', async () => {
    pricing = (request, response) =>
      response.end(request.url?.includes('big') ? '0.0002' : '{"price":0.0001}');
    const url = await open();
    expect(await offerAt(`${url}/v1/small`)).toMatchObject({
      status: 402,
      amount: `${UNIT}`,
      body: { price: '0.0001' },
    });
    const answer = await shop.buyer()(`${url}/v1/big?town=Ulm`);
    expect(await answer.text()).toBe('got /v1/big?town=Ulm');
    expect([...shop.market.payments.values()].map(({ amount }) => amount)).toEqual([2n * UNIT]);
    expect(questions.map((one) => [one.method, one.url])).toEqual([
      ['GET', `${url}/v1/small`],
      ['GET', `${url}/v1/big?town=Ulm`],
    ]);
    expect(shop.lines.at(-1)).toMatchObject(['sold', { amount: '0.0002' }]);
  });

  it.each([
    ['/v1/a/', '/v1/a'],
    ['/v1/a/?q=b', '/v1/a?q=b'],
    ['/v1/a?q=b/', '/v1/a?q=b/'],
    ['/v1/a?q=b/?c', '/v1/a?q=b/?c'],
    ['/v1/a/?q=b/', '/v1/a?q=b/'],
  ])('to %s is asked about as %s: its query is as it is passed on', async (path, asked) => {
    const url = await open();
    await offerAt(`${url}${path}`);
    expect(questions.map((one) => one.url)).toEqual([`${url}${asked}`]);
  });

  it('does not show the seller who calls, nor a proof', async () => {
    const url = await open();
    await shop.buyer()(`${url}/v1/a`, { headers: { authorization: 'Bearer me', cookie: 'a=b' } });
    const names = questions.flatMap(({ headers }) => Object.keys(headers));
    expect(names).not.toContain('authorization');
    expect(names).not.toContain('cookie');
    expect(names).not.toContain('payment-signature');
  });

  it('stays good at its own price until its offer ends, though the price has risen', async () => {
    const url = await open();
    const proof = await shop.proofFor(`${url}/v1/a`);
    pricing = says('0.0005');
    const sold = await fetch(`${url}/v1/a`, { headers: { 'payment-signature': proof } });
    expect(sold.status).toBe(200);
    expect((await offerAt(`${url}/v1/a`)).amount).toBe(`${5n * UNIT}`);
  });

  it('is not sold for an earlier price when the offer is long over, but when that is enough', async () => {
    const url = await open();
    const proof = await shop.proofFor(`${url}/v1/a`);
    const headers = { 'payment-signature': proof };
    vi.useFakeTimers({ now: Date.now() + 121_000, toFake: ['Date'] });
    pricing = says('0.0005');
    const refused = await fetch(`${url}/v1/a`, { headers });
    expect(refused.status).toBe(402);
    expect(demandIn(refused.headers)?.accepts[0]?.amount).toBe(`${5n * UNIT}`);
    pricing = says('0.00005');
    expect((await fetch(`${url}/v1/a`, { headers })).status).toBe(200);
  });

  it('is never offered for a price that its caller writes, nor an earlier one for longer', async () => {
    const url = await open();
    const proof = JSON.parse(atob(await shop.proofFor(`${url}/v1/a`)));
    pricing = says('0.0005');
    const shown = (change: object) =>
      fetch(`${url}/v1/a`, {
        headers: { 'payment-signature': btoa(JSON.stringify({ ...proof, ...change })) },
      });
    const cheap = await shown({ accepted: { ...proof.accepted, amount: '1' } });
    expect(demandIn(cheap.headers)?.accepts.map(({ amount }) => amount)).toEqual([`${5n * UNIT}`]);
    const refused = await shown({ payload: { ...proof.payload, paymentId: '7' } });
    expect(demandIn(refused.headers)?.accepts.map(({ extra }) => extra['tag'])).toEqual([
      proof.accepted.extra.tag,
    ]);
  });

  it.each([
    ['fails', says('', {}, 500)],
    ['says a negative price', says('-1')],
    ['says no number', says('{"price":"NaN"}')],
    ['says nothing', says('{}')],
    ['says 0', says('0')],
    ['says more than the rule allows', says('0.011')],
    ['says too much', says(`0.${'0'.repeat(5_000)}1`)],
    ['sends on', says('0.0001', { location: '/' }, 302)],
    ['hangs up', (request: Parameters<RequestListener>[0]) => void request.socket.destroy()],
  ])('is not sold when the server %s', async (_, listener) => {
    pricing = listener;
    const url = await open();
    expect(await offerAt(`${url}/v1/a`)).toMatchObject({
      status: 503,
      body: { error: 'price_unavailable' },
    });
    expect(shop.lines).toHaveLength(1);
    await offerAt(`${url}/v1/a`);
    expect([shop.lines.length, served]).toEqual([1, 0]);
    const [, count] =
      /refused_total{.*reason="price_unavailable"} (\d)/.exec(await shop.sales.page()) ?? [];
    expect(count).toBe('2');
  });

  it('rounds digits up that the token has not', async () => {
    pricing = says(`0.${'0'.repeat(17)}11`);
    const url = await open();
    expect((await offerAt(`${url}/v1/a`)).amount).toBe('2');
  });

  it('asks again when the answer is as old as it says, and not before', async () => {
    pricing = says('0.0001', { 'cache-control': 'public, max-age=10', age: '4' });
    const url = await open();
    for (shop.clock.time of [0, 5_999]) await offerAt(`${url}/v1/a`);
    expect(questions).toHaveLength(1);
    shop.clock.time = 6_000;
    await offerAt(`${url}/v1/a`);
    await offerAt(`${url}/v1/b`);
    expect(questions).toHaveLength(3);
    pricing = says('0.0001', { 'cache-control': 'no-cache, max-age=10' });
    for (const _ of [1, 2]) await offerAt(`${url}/v1/c`);
    expect(questions).toHaveLength(5);
  });

  it('shares one question with the calls that come meanwhile', async () => {
    let answer = () => {};
    pricing = (_, response) => {
      answer = () => void response.end('0.0001');
    };
    const url = await open();
    let come = 0;
    const all = Promise.all(Array.from({ length: 9 }, () => offerAt(`${url}/v1/a`)));
    await until(() => questions.length > 0);
    for (const _ of [1, 2, 3]) come += (await fetch(`${url}/none`)).status === 404 ? 1 : 0;
    answer();
    expect((await all).map(({ status }) => status)).toEqual(Array(9).fill(402));
    expect([questions.length, come]).toEqual([1, 3]);
  });

  it('asks no more than so often for strangers', async () => {
    const url = await open();
    const asked = async (at: number) => (await offerAt(`${url}/v1/${at}`)).status;
    const statuses = [];
    for (let at = 0; at < 510; at += 30)
      statuses.push(...(await Promise.all(Array.from({ length: 30 }, (_, n) => asked(at + n)))));
    expect(statuses.filter((status) => status === 402)).toHaveLength(500);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    shop.clock.time = 1_000;
    expect(await asked(999)).toBe(402);
  });

  it('asks for who has a tab though the server is slow with all the questions of strangers', async () => {
    const waiting: ServerResponse[] = [];
    pricing = (_, response) => void waiting.push(response);
    const url = await listening(answering, shop.ends);
    const asker = createPriceAsker({
      url,
      log: { info() {}, warn() {}, error() {} },
      now: () => 0,
    });
    const ask = (path: string, isStranger: boolean) =>
      asker.ask(
        { method: 'GET', url: `http://shop.example/${path}` },
        { most: 9n * UNIT, decimals: 18, isStranger },
      );
    const strangers = Array.from({ length: 250 }, (_, at) => ask(`${at}`, true));
    const own = ask('own', false);
    await until(() => questions.some((one) => one.url.endsWith('own')), 'it is asked');
    await until(() => waiting.length === 151, 'all are asked');
    for (const response of waiting) response.end('0.0001');
    expect(await own).toEqual({ ok: true, amount: UNIT });
    const refused = (await Promise.all(strangers)).filter(({ ok }) => !ok);
    expect(refused).toHaveLength(100);
  });

  it.each(['/v1/%61', '/v1//a', '/v1/a;b', '/v1/a%20b'])(
    'asks nothing about %s, which servers read in different ways',
    async (path) => {
      const url = await open();
      expect((await fetch(`${url}${path}`)).status).toBe(400);
      expect(questions).toHaveLength(0);
    },
  );

  it('needs a server to ask', async () => {
    await expect(shop.open([RULE], behind)).rejects.toThrow('--price-from');
    await expect(open([`GET /v1/* 1 ${ASSET}`])).rejects.toThrow('no rule asks');
  });
});

describe('on a tab', () => {
  it('a call costs what is asked for, and no more than its ticket allows', async () => {
    const tabs = await openTabShop(['GET /v1/* asked up to 0.05'], behind, answering);
    try {
      const buy = tabs.buyer();
      for (const [price, earned] of [
        ['0.0001', 1],
        ['0.0003', 4],
        ['0.002', 24],
      ] as const) {
        pricing = says(price);
        expect((await buy(`${tabs.url}/v1/a`)).status).toBe(200);
        expect(tabs.earned()).toBe(earned);
      }
      pricing = says('0.0021');
      await expect(buy(`${tabs.url}/v1/a`)).rejects.toThrow('costs more than a call may cost');
      pricing = says('nonsense');
      expect((await buy(`${tabs.url}/v1/a`)).status).toBe(503);
      expect([tabs.earned(), served]).toEqual([24, 3]);
      pricing = says('0.0001');
      expect((await buy(`${tabs.url}/v1/a`)).status).toBe(200);
      expect([tabs.earned(), tabs.market.payments.size]).toEqual([25, 1]);
    } finally {
      await tabs.close();
    }
  });

  it('makes the server say no more prices that are not paid than calls that are not charged', async () => {
    const tabs = await openTabShop(['GET /v1/* asked up to 0.05'], behind, answering);
    try {
      const buy = tabs.buyer();
      await buy(`${tabs.url}/v1/a`);
      pricing = says('0.0021');
      const called = () =>
        buy(`${tabs.url}/v1/a`).then(
          ({ status }) => status,
          () => 402,
        );
      const statuses: number[] = [];
      for (let call = 0; call < 130; call++) statuses.push(await called());
      expect(statuses.at(0)).toBe(402);
      expect(statuses.at(-1)).toBe(429);
      expect(questions.length).toBeLessThan(260);
    } finally {
      await tabs.close();
    }
  }, 30_000);

  it('the first call costs no more than its offer has said', async () => {
    const tabs = await openTabShop(['GET /v1/* asked up to 0.005'], behind, answering);
    try {
      const { market } = tabs;
      market.hooks.afterPayment = () => {
        pricing = says('0.004');
        return undefined;
      };
      const buy = tabs.buyer();
      await expect(buy(`${tabs.url}/v1/a`)).rejects.toThrow('costs more than a call may cost');
      expect([tabs.earned(), served, market.payments.size]).toEqual([0, 0, 1]);
      pricing = says('0.002');
      expect((await buy(`${tabs.url}/v1/a`)).status).toBe(200);
      expect([tabs.earned(), served, market.payments.size]).toEqual([20, 1, 1]);
    } finally {
      await tabs.close();
    }
  });
});
