/** The server behind breaks off in the middle of its answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createShop, type Shop } from '../support/paywall-shop.ts';
import { ASSET, PAYER } from '../support/x402-market.ts';

const RULES = [`GET /v1/* 0.0001 ${ASSET}`, '/health free'];

let shop: Shop;
beforeEach(() => {
  shop = createShop();
});
afterEach(() => {
  vi.restoreAllMocks();
  return shop.close();
});

describe('an answer that the server behind cuts off', () => {
  it.each([
    ['/v1/weather', 'the answer was cut off by the server behind, and is paid'],
    ['/health', 'the answer was cut off by the server behind'],
  ])('of %s is cut off for the caller as well, and one line says it', async (path, text) => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const url = await shop.open(RULES, (request, response) => {
      response.writeHead(200, { 'content-length': '100000' }).write('half');
      setTimeout(() => request.socket.destroy(), 50);
    });
    const answer = await shop.buyer()(`${url}${path}`);
    await expect(answer.text()).rejects.toThrow();
    expect(shop.lines.at(-1)).toEqual([
      text,
      expect.objectContaining({ method: 'GET', path, status: 200, reason: expect.any(String) }),
    ]);
    if (path !== '/health') expect(shop.lines.at(-1)?.[1]).toMatchObject({ payer: PAYER });
    expect(printed).not.toHaveBeenCalled();
  });

  it('says nothing when the caller has left before', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const url = await shop.open(RULES, (_, response) => {
      response.writeHead(200).write('half');
      response.on('close', left);
    });
    const leave = new AbortController();
    const answer = await shop.buyer()(`${url}/health`, { signal: leave.signal });
    await answer.body?.getReader().read();
    leave.abort();
    await gone;
    expect(shop.lines).toEqual([]);
    expect(printed).not.toHaveBeenCalled();
  });
});
