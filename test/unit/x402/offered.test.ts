/** Offers that come on other ways than the client's own fetch: with other libraries, other transports, other languages. */
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { x402Client } from '@x402/fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandIn, PROOF, proofHeader } from '../../../src/x402/headers.ts';
import { listening } from '../../support/http-server.ts';
import { createShop, type Shop, UNIT } from '../../support/paywall-shop.ts';
import { ASSET } from '../../support/x402-market.ts';

const RULE = `GET /v1/* 0.0001 ${ASSET}`;

let shop: Shop;
let url: string;
let status: number;
beforeEach(async () => {
  shop = createShop();
  status = 200;
  url = await shop.open([RULE], (_, response) => response.writeHead(status).end('dry'));
});
afterEach(() => shop.close());

type Told = { status: number; header: string; body: string };

/** A program without fetch. */
function get(place: string, headers: Record<string, string> = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request(place, { headers }, async (answer) => {
      let body = '';
      for await (const chunk of answer) body += chunk;
      const header = String(answer.headers['payment-required'] ?? '');
      resolve({ status: answer.statusCode ?? 0, header, body });
    });
    sent.on('error', reject).end();
  });
}

const requiredOf = (header: string) => {
  const required = demandIn(new Headers({ 'payment-required': header }));
  if (required === null) throw new Error('no offer');
  return required;
};

describe('an offer that a program of its own has got', () => {
  it.each(['as text', 'as an object'])('is paid when the client is told of it %s', async (form) => {
    const channel = shop.channel();
    const client = new x402Client().register('eip155:*', channel);
    const place = `${url}/v1/weather`;
    const { header } = await get(place);
    const required = requiredOf(header);
    await expect(client.createPaymentPayload(required)).rejects.toThrow('channel.offered');
    channel.offered({
      method: 'get',
      url: place,
      required: form === 'as text' ? header : required,
    });
    const proof = proofHeader(await client.createPaymentPayload(required));
    expect(await get(place, { [PROOF]: proof })).toMatchObject({ status: 200, body: 'dry' });
    await expect(client.createPaymentPayload(required)).rejects.toThrow('paid already');
    expect(shop.market.payments.size).toBe(1);
  });

  it('counts for the caps of its host', async () => {
    const channel = shop.channel({ mostPerHost: UNIT });
    const client = new x402Client().register('eip155:*', channel);
    const pay = async (place: string) => {
      const { header } = await get(`${url}/v1/weather`);
      channel.offered({ method: 'GET', url: place, required: header });
      return client.createPaymentPayload(requiredOf(header));
    };
    await pay(`${url}/v1/weather`);
    await expect(pay('http://127.0.0.1:9/v1/other')).rejects.toThrow('of 100000000000000 a day');
    await expect(pay('mcp://tools/weather')).resolves.toBeDefined();
    await expect(pay('MCP://TOOLS/other')).rejects.toThrow('tools has had');
  });

  it.each([
    [{ url: 'weather' }, 'no URL'],
    [{ url: 'data:,a' }, 'no URL'],
    [{ required: 'e30' }, 'no offer'],
    [{ required: 'A'.repeat(20_000) }, '20000 characters'],
    [{ required: { x402Version: 1, accepts: [] } }, 'no offer'],
    [{ required: { x402Version: 2, accepts: Array(51).fill({}) } }, 'no offer'],
    [{ required: { x402Version: 2, accepts: [], note: 'x'.repeat(20_000) } }, 'characters'],
    [{ required: null }, 'no offer'],
  ])('is refused when it is %j', async (change, why) => {
    const channel = shop.channel();
    const { header } = await get(`${url}/v1/weather`);
    const offer = { method: 'GET', url: `${url}/v1/weather`, required: header };
    expect(() => channel.offered({ ...offer, ...Object(change) })).toThrow(why);
  });
});

describe('axios', () => {
  /** What the lines in docs/pay-per-call.md use of it. */
  type Config = { method: string; url: string; headers: Record<string, string> };
  type Refusal = { config: Config; response: Told & { headers: Record<string, string> } };
  type Handler = (error: Refusal) => Promise<Told>;

  it('buys with an interceptor that tells the client of offers', async () => {
    const channel = shop.channel();
    const client = new x402Client().register('eip155:*', channel);
    const handlers: Handler[] = [];
    const api = {
      interceptors: { response: { use: (_: undefined, one: Handler) => void handlers.push(one) } },
      async get(place: string): Promise<Told> {
        const config = { method: 'get', url: place, headers: {} };
        const told = await get(place);
        const headers = { 'payment-required': told.header };
        let outcome = Promise.reject<Told>({ config, response: { ...told, headers } });
        for (const one of handlers) outcome = outcome.catch(one);
        return outcome;
      },
    };
    api.interceptors.response.use(undefined, async (error) => {
      const { config, response } = error;
      const required = response.headers['payment-required'] ?? '';
      if (response.status === 402)
        channel.offered({ method: config.method, url: config.url, required });
      throw error;
    });
    // As @x402/axios does it.
    api.interceptors.response.use(undefined, async ({ config, response }) => {
      const paid = await client.createPaymentPayload(requiredOf(response.header));
      return get(config.url, { [PROOF]: proofHeader(paid) });
    });
    expect(await api.get(`${url}/v1/weather`)).toMatchObject({ status: 200, body: 'dry' });
  });
});

describe('a program in Python with the standard library alone', () => {
  const file = fileURLToPath(new URL('../../../docs/examples/buy.py', import.meta.url));
  const run = async (most: bigint, path = '/v1/weather') => {
    const payer = await listening(getRequestListener(shop.market.payer.fetch), shop.ends);
    const given = [file, `${url}${path}`, payer, ASSET, `${most}`];
    return promisify(execFile)('python3', given).catch((error: unknown) => Object(error));
  };

  it('buys', async () => {
    expect(await run(UNIT)).toMatchObject({ stdout: 'dry', stderr: '' });
    expect([...shop.market.payments.values()].map((one) => one.isRedeemed)).toEqual([true]);
  });

  it('pays no more than it may', async () => {
    const { code, stderr } = await run(UNIT - 1n);
    expect([code, stderr]).toEqual([1, expect.stringContaining('it costs more')]);
    expect(shop.market.payments.size).toBe(0);
  });

  it('says how to ask again for what was paid and not served', async () => {
    status = 503;
    const { code, stderr } = await run(UNIT);
    expect(code).toBe(1);
    const [, proof = ''] = /PAYMENT-SIGNATURE: (\S+)/.exec(stderr) ?? [];
    status = 200;
    expect((await get(`${url}/v1/weather`, { [PROOF]: proof })).status).toBe(200);
  });
});
