/** What is left of a tab when it is over, for its buyer, for caches, and for the room that it takes. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Hash } from '../../../src/basics/hex.ts';
import type { Tab } from '../../../src/tabs/tab.ts';
import { createTabs } from '../../../src/tabs/tabs.ts';
import { newWindow } from '../../../src/tabs/window.ts';
import { channelClient } from '../../../src/x402/client.ts';
import { openTabShop, type TabShop, UNIT } from '../../support/tab-shop.ts';
import { ASSET, PAYER, PAYER_URL } from '../../support/x402-market.ts';

let shop: TabShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

it('the answer about a rest is kept by no cache', async () => {
  const own = await openTabShop(['/v1/* 0.0001'], (_, response) => void response.end('dry'));
  shop = own;
  const answers: Response[] = [];
  const spy: typeof fetch = async (input, init) => {
    const answer = await own.market.fetch(input, init);
    answers.push(answer);
    return answer;
  };
  const caps = { most: UNIT, mostPerHost: 900n * UNIT, mostPerDay: 900n * UNIT };
  const at = { node: PAYER_URL, asset: ASSET, fetch: spy, mostOnTab: 500n * UNIT };
  const channel = channelClient({ ...at, ...caps });
  await channel.fetch(`${own.url}/v1/a`);
  expect(await channel.closeTabs()).toBe(99n * UNIT);
  expect(answers.at(-1)?.headers.get('cache-control')).toBe('no-store');
});

describe('a tab that its seller closes', () => {
  /** A buyer whose tabs the seller knows no more after so many milliseconds; how many payments of 100 units it has made. */
  async function aheadAfter(idleMs: number, times = 1): Promise<number> {
    const own = await openTabShop(['/v1/* 0.0001'], (_, response) => void response.end('dry'));
    shop = own;
    // In the end it is that of the shop, whose offers have an end.
    let now = Date.now() - times * idleMs;
    let isForgotten = false;
    const spy: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const shown = request.headers.get('payment-signature');
      const isTicket = shown !== null && atob(shown).includes('"counter"');
      if (!isForgotten || !isTicket) return own.market.fetch(request);
      isForgotten = false;
      const said = { success: false, errorReason: 'unknown_tab', transaction: '' };
      const headers = { 'payment-response': btoa(JSON.stringify(said)) };
      return new Response('', { status: 402, headers });
    };
    const caps = { most: UNIT, mostPerHost: 900n * UNIT, mostPerDay: 900n * UNIT };
    const at = { node: PAYER_URL, asset: ASSET, fetch: spy, mostOnTab: 500n * UNIT };
    const channel = channelClient({ ...at, ...caps, now: () => now });
    for (let call = 0; call < 2; call++) await channel.fetch(`${own.url}/v1/a`);
    for (let time = 0; time < times; time++) {
      now += idleMs;
      isForgotten = true;
      await channel.fetch(`${own.url}/v1/a`);
    }
    const paid = [...own.market.payments.values()];
    return paid.filter(({ amount }) => amount >= 100n * UNIT).length;
  }

  it('after the time without calls that it has offered is followed by another one', async () => {
    expect(await aheadAfter(3_600_000)).toBe(2);
  });

  it('is followed by no more than may lie on one of which nobody has seen what was left', async () => {
    expect(await aheadAfter(3_600_000, 7)).toBe(5);
  });

  it('before that time is the last one for a day', async () => {
    expect(await aheadAfter(3_590_000)).toBe(1);
  });
});

describe('a rest that cannot be paid', () => {
  const DAY_MS = 86_400_000;
  const MOST_TABS = 100_000;
  const hashOf = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`;
  const closed = (number: number, usedAt: number): Tab => ({
    ...{ id: hashOf(number), key: hashOf(1), payer: PAYER, token: ASSET },
    ...{ received: 9n, lumps: 0, charged: 8n, window: newWindow(), usedAt },
    ending: { rest: 1n, attempt: 1, since: usedAt, overAt: null },
  });
  const nothing = () => {};

  it('takes a place for a month and no longer, and is tried again all the same', async () => {
    let days = 29;
    const tried: Hash[] = [];
    const tabs = createTabs({
      book: {
        ...{ instance: 'one', isKnown: () => false, isBroken: () => false },
        ...{ note: nothing, forget: nothing, close: nothing, written: () => Promise.resolve() },
        load: () => Array.from({ length: MOST_TABS }, (_, at) => closed(at + 1, 0)),
      },
      rests: { pay: nothing, goOn: ({ id }) => void tried.push(id), stop: nothing },
      redeem: () => Promise.resolve(null),
      ...{ idleSeconds: 60, now: () => days * DAY_MS },
    });
    expect([tabs.hasRoom(), tried.length]).toEqual([false, MOST_TABS]);
    days = 31;
    expect([tabs.hasRoom(), tabs.figures().count]).toEqual([true, MOST_TABS]);
    await tabs.stop();
  });
});
