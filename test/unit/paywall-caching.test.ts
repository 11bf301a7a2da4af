/** What was paid for is given by no cache to those who did not pay. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepPrivate } from '../../src/paywall/caching.ts';
import { createShop, type Shop } from '../support/paywall-shop.ts';
import { ASSET } from '../support/x402-market.ts';

const RULE = `GET /v1/* 0.0001 ${ASSET}`;
const PUBLIC = {
  'cache-control': 'public, max-age=60, s-maxage=600, stale-while-revalidate=9',
  'cdn-cache-control': 'max-age=600',
  'cloudflare-cdn-cache-control': 'max-age=600',
  'surrogate-control': 'max-age=600',
  expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
  vary: 'accept',
};

let shop: Shop;
beforeEach(() => {
  shop = createShop();
});
afterEach(() => shop.close());

const shownTo = (headers: Headers) => ({
  control: headers.get('cache-control'),
  vary: headers.get('vary'),
  others: [...headers.keys()].filter((name) => /.-cache-control|surrogate|expires/.test(name)),
});

describe('a paid answer', () => {
  it('is for its buyer alone', async () => {
    const url = await shop.open([RULE], (_, response) =>
      response.writeHead(200, PUBLIC).end('dry'),
    );
    const answer = await shop.buyer()(`${url}/v1/weather`);
    expect(shownTo(answer.headers)).toEqual({
      control: 'private, max-age=60',
      vary: 'accept, PAYMENT-SIGNATURE',
      others: [],
    });
  });

  it('may be kept for all where its rule says so', async () => {
    const url = await shop.open([`${RULE} shared`], (_, response) =>
      response.writeHead(200, PUBLIC).end('dry'),
    );
    const answer = await shop.buyer()(`${url}/v1/weather`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject(PUBLIC);
    expect(shownTo((await fetch(`${url}/v1/weather`)).headers).control).toBe('no-store');
  });

  it('is for its buyer alone when the server failed, whatever the rule says', async () => {
    const url = await shop.open([`${RULE} shared`], (_, response) =>
      response.writeHead(500, PUBLIC).end(),
    );
    const { headers } = await shop.buyer()(`${url}/v1/weather`);
    expect(shownTo(headers)).toMatchObject({ control: 'private, max-age=60', others: [] });
  });
});

it('a price and a refusal are kept by no cache', async () => {
  const url = await shop.open([RULE], (_, response) => response.end());
  const asked = await fetch(`${url}/v1/weather`);
  expect(shownTo(asked.headers)).toEqual({
    control: 'no-store',
    vary: 'PAYMENT-SIGNATURE',
    others: [],
  });
  const refused = await fetch(`${url}/elsewhere`);
  expect([refused.status, shownTo(refused.headers).control]).toEqual([404, 'no-store']);
});

it('an answer that costs nothing is passed on with what it says to caches', async () => {
  const url = await shop.open(['/health free'], (_, response) =>
    response.writeHead(200, PUBLIC).end(),
  );
  expect(Object.fromEntries((await fetch(`${url}/health`)).headers)).toMatchObject(PUBLIC);
});

describe('the headers of a paid answer', () => {
  it.each([
    [null, 'private'],
    ['', 'private'],
    ['public', 'private'],
    ['PUBLIC, Max-Age=5', 'private, max-age=5'],
    ['private', 'private'],
    ['no-store', 'no-store'],
    ['public, no-store, max-age=9', 'no-store'],
    ['no-cache="set-cookie, x", max-age = 5', 'private, no-cache, max-age=5'],
    ['ext="no-store, max-age=7", must-revalidate', 'private, must-revalidate'],
    ['ext="a\\", max-age=7", immutable', 'private, immutable'],
    ['max-age="5"', 'private, max-age=5'],
    ['max-age=5; s-maxage=9', 'private, max-age=5'],
    ['max-age=all', 'private'],
    ['max-stale=5, stale-if-error=9, proxy-revalidate', 'private'],
  ])('say for Cache-Control %j: %j', (given, wanted) => {
    const headers = new Headers(given === null ? {} : { 'cache-control': given });
    keepPrivate(headers);
    expect(headers.get('cache-control')).toBe(wanted);
  });

  it.each([
    ['*', '*'],
    ['Payment-Signature', 'Payment-Signature'],
    ['accept, origin', 'accept, origin, PAYMENT-SIGNATURE'],
  ])('say for Vary %j: %j', (given, wanted) => {
    const headers = new Headers({ vary: given });
    keepPrivate(headers);
    expect(headers.get('vary')).toBe(wanted);
  });

  it('have nothing that only caches of others read', () => {
    const names = [
      ...['CDN-Cache-Control', 'Netlify-CDN-Cache-Control', 'Vercel-CDN-Cache-Control'],
      ...['Akamai-Cache-Control', 'X-LiteSpeed-Cache-Control', 'Surrogate-Control'],
      ...['Surrogate-Key', 'Edge-Control', 'X-Accel-Expires', 'Expires'],
    ];
    const headers = new Headers(names.map((name): [string, string] => [name, 'max-age=9']));
    headers.set('etag', '"a"');
    keepPrivate(headers);
    expect([...headers.keys()].toSorted()).toEqual(['cache-control', 'etag', 'vary']);
  });
});
