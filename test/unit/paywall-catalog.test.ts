/** What a paywall sells can be found. */
import { extractDiscoveryInfo, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandIn } from '../../src/x402/headers.ts';
import { createShop, type Shop } from '../support/paywall-shop.ts';
import { ASSET, NETWORK, SELLER } from '../support/x402-market.ts';

const PLACE = '/.well-known/x402';

let shop: Shop;
beforeEach(() => {
  shop = createShop();
});
afterEach(() => shop.close());

/** A server that answers with its path. */
const open = (...rules: string[]) =>
  shop.open(rules, (request, response) => response.end(`own ${request.url}`));

describe('the list of what is sold', () => {
  it('has the method, path and price of each rule, and costs nothing', async () => {
    const url = await open(
      `GET /v1/* 0.0001 ${ASSET} charging 404`,
      `/v2/big 2 ${ASSET}`,
      '/health free',
      `/* 1 ${ASSET}`,
    );
    const answer = await fetch(`${url}${PLACE}`);
    expect(answer.status).toBe(200);
    const sold = { token: ASSET, network: NETWORK, payTo: SELLER, scheme: 'channel' };
    expect(await answer.json()).toEqual({
      x402Version: 2,
      resources: [
        { method: 'GET', path: '/v1/*', price: '0.0001', amount: '100000000000000', ...sold },
        { method: '*', path: '/v2/big', price: '2', amount: '2000000000000000000', ...sold },
        { method: '*', path: '/*', price: '1', amount: '1000000000000000000', ...sold },
      ],
    });
    expect((await fetch(`${url}${PLACE}`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url}${PLACE}`, { method: 'POST' })).status).toBe(402);
    expect((await fetch(`${url}${PLACE}/more`)).status).toBe(402);
  });

  it('is as long as somebody may want to read', async () => {
    const rules = Array.from({ length: 1_200 }, (_, at) => `/v${at} 1 ${ASSET}`);
    const url = await open(...rules);
    const { resources } = Object(await (await fetch(`${url}${PLACE}`)).json());
    expect(resources).toHaveLength(1_000);
  });

  it('is that of the server behind where a rule names its path', async () => {
    const url = await open(`/v1 1 ${ASSET}`, `${PLACE} free`);
    expect(await (await fetch(`${url}${PLACE}`)).text()).toBe(`own ${PLACE}`);
  });
});

describe('an offer', () => {
  it.each(['GET', 'POST'])('of %s says to lists of x402 what is called', async (method) => {
    const url = await open(`/v1/* 0.0001 ${ASSET}`);
    const answer = await fetch(`${url}/v1/weather?town=Lindwurm`, { method });
    const { bazaar } = Object(demandIn(answer.headers)?.extensions);
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
    expect(bazaar.info).toEqual({ input: { type: 'http', method } });
    expect((await shop.buyer()(`${url}/v1/weather`, { method })).status).toBe(200);
  });

  it('is found by those who make such lists', async () => {
    const url = await open(`/v1/* 0.0001 ${ASSET}`);
    let found: ReturnType<typeof extractDiscoveryInfo> = null;
    const spy: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const proof = request.headers.get('payment-signature');
      if (proof !== null) {
        const payload = JSON.parse(atob(proof));
        found = extractDiscoveryInfo(payload, payload.accepted);
      }
      return shop.market.fetch(request);
    };
    await shop.buyer({ fetch: spy })(`${url}/v1/weather`);
    expect(found).toMatchObject({ resourceUrl: `${url}/v1/weather`, method: 'GET' });
  });
});
