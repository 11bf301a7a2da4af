/** What a page of somebody else, in the browser of whoever runs a devnet, can do to its chain. */
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../src/devnet/chain/anvil.ts';
import {
  type Entrance,
  openEntrance,
  startUnreachable,
} from '../../src/devnet/chain/chain-entrance.ts';
import { launchBrowser } from '../support/chromium.ts';

let open: Anvil;
let chain: Anvil;
let entrance: Entrance;
let site: Server;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let page: Page;

beforeAll(async () => {
  [open, chain] = await Promise.all([startAnvil(), startUnreachable({})]);
  entrance = await openEntrance({ chain: chain.rpc, port: 0 });
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
  page = await browser.newPage();
  const bound = site.address();
  // Another site than 127.0.0.1, and on this machine: no browser asks its user whether the page may call there.
  await page.goto(`http://localhost:${typeof bound === 'object' ? bound?.port : ''}/`);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await entrance?.close();
  await Promise.all([open?.stop(), chain?.stop()]);
});

/** Lets the page mine a block over HTTP and over a WebSocket; answers what it noticed. */
function attack(rpc: string): Promise<string[]> {
  return page.evaluate((url) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] });
    const headers = { 'content-type': 'application/json' };
    const overHttp = fetch(url, { method: 'POST', headers, body }).then(
      () => 'answered',
      () => 'refused',
    );
    const overSocket = new Promise<string>((resolve) => {
      const socket = new WebSocket(url.replace('http:', 'ws:'));
      socket.onopen = () => socket.send(body);
      socket.onmessage = () => resolve('answered');
      socket.onerror = () => resolve('refused');
    });
    return Promise.all([overHttp, overSocket]);
  }, rpc);
}

const heightOf = (rpc: string) =>
  createPublicClient({ transport: http(rpc) }).getBlockNumber({ cacheTime: 0 });

it('a page makes blocks on a chain that stands open', async () => {
  expect(await attack(open.rpc)).toEqual(['answered', 'answered']);
  expect(await heightOf(open.rpc)).toBe(2n);
});

it('a page makes none on that of a devnet, at its address or behind it', async () => {
  expect(await attack(entrance.url)).toEqual(['refused', 'refused']);
  expect(await attack(chain.rpc)).toEqual(['refused', 'refused']);
  expect(await heightOf(entrance.url)).toBe(0n);
});
