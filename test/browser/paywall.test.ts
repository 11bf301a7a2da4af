/** A page of another origin buys with the client of the package, from a browser. */
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { build } from 'vite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openToPages } from '../../src/paywall/pages.ts';
import { useBrowser } from '../support/browser.ts';
import { listening } from '../support/http-server.ts';
import { createShop, type Shop } from '../support/paywall-shop.ts';
import { ASSET } from '../support/x402-market.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let shop: Shop;
/** The program of the page. */
let program: string;
beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: here('../support/buying-page.ts'), formats: ['iife'], name: 'buying' },
    },
  });
  const [output] = Array.isArray(built) ? built : [];
  program = output?.output[0].code ?? '';
});
beforeEach(() => {
  shop = createShop();
});
afterEach(() => shop.close());

describe('a page', () => {
  const browser = useBrowser();

  it.each([
    [true, 'bought 200 {"weather":"dry"} true yes'],
    [false, 'refused TypeError: Failed to fetch'],
  ])('of another origin, which is named: %s, gets: %s', async (isNamed, wanted) => {
    const node = new Hono().use(cors()).all('*', (c) => shop.market.payer.fetch(c.req.raw));
    const payer = await listening(getRequestListener(node.fetch), shop.ends);
    const page = await listening((request, response) => {
      const isProgram = request.url === '/main.js';
      response.writeHead(200, { 'content-type': isProgram ? 'text/javascript' : 'text/html' });
      response.end(isProgram ? program : '<link rel="icon" href="data:,">');
    }, shop.ends);
    const url = await shop.open(
      [`PUT /v1/* 0.0001 ${ASSET}`],
      (_, response) => {
        const own = { 'content-type': 'application/json', 'x-own': 'yes' };
        response.writeHead(200, { ...own, 'access-control-allow-origin': 'http://own' });
        response.end('{"weather":"dry"}');
      },
      (fetch) => openToPages(fetch, [isNamed ? page : 'https://other.example']),
    );
    const opened = await browser.openPage(page, {
      expected: /^foreign request|CORS|Failed to load/,
    });
    await opened.evaluate((told) => Object.assign(globalThis, { told }), {
      url: `${url}/v1/weather`,
      payer,
      asset: ASSET,
    });
    await opened.addScriptTag({ url: '/main.js' });
    const said = await opened.waitForFunction(() => Object(globalThis).said);
    expect(await said.jsonValue()).toBe(wanted);
    expect(shop.market.payments.size).toBe(isNamed ? 1 : 0);
  });
});
