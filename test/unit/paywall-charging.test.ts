/** Which answers of the server behind are charged, and how many are not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receiptIn } from '../../src/x402/headers.ts';
import { createShop, type Shop, UNIT } from '../support/paywall-shop.ts';
import { until } from '../support/until.ts';
import { ASSET, PAYER } from '../support/x402-market.ts';

const RULE = `GET /v1/* 0.0001 ${ASSET}`;

let shop: Shop;
let status: number;
/** Of the server behind. */
let asked: number;
beforeEach(() => {
  shop = createShop();
  asked = 0;
});
afterEach(() => shop.close());

const open = (rule: string) =>
  shop.open([rule], (_, response) => {
    asked++;
    const headers = status === 302 ? { location: '/elsewhere' } : {};
    response.writeHead(status, headers).end();
  });
const isRedeemed = () => [...shop.market.payments.values()].map((one) => one.isRedeemed);
const init: RequestInit = { redirect: 'manual' };

describe('an answer of the server behind', () => {
  it.each([200, 204, 206])('with status %s is charged', async (one) => {
    status = one;
    const url = await open(RULE);
    const answer = await shop.buyer()(`${url}/v1/weather`, init);
    expect([answer.status, receiptIn(answer.headers)?.success]).toEqual([one, true]);
    expect(isRedeemed()).toEqual([true]);
    expect(shop.lines.map(([text]) => text)).toEqual(['sold']);
  });

  it.each([302, 304, 401, 403, 404, 422, 429, 499, 500, 503])(
    'with status %s is not charged, and the proof buys the next one',
    async (one) => {
      status = one;
      const url = await open(RULE);
      const buy = shop.buyer();
      const answer = await buy(`${url}/v1/weather`, init);
      expect([answer.status, receiptIn(answer.headers)]).toMatchObject([
        one,
        { success: false, reason: 'released' },
      ]);
      expect(isRedeemed()).toEqual([false]);
      const [[text, facts] = []] = shop.lines;
      expect(text).toMatch(one < 500 ? /^not charged/ : /^paid and not served/);
      expect(facts).toMatchObject({ status: one, payer: PAYER, amount: '0.0001' });
      expect(await shop.sales.page()).toContain(
        `released_total{rule="${RULE}",status="${Math.floor(one / 100)}xx"} 1`,
      );
      status = 200;
      expect((await buy(`${url}/v1/weather`, init)).status).toBe(200);
      expect([asked, isRedeemed()]).toEqual([2, [true]]);
    },
  );

  it.each([
    ['charging 404,422', 404, true],
    ['charging 404,422', 403, false],
    ['charging 4xx', 403, true],
    ['charging 4xx', 302, false],
    ['shared charging 3xx,410', 304, true],
    ['charging 4xx shared', 502, false],
  ])('of a rule with "%s" and status %s: charged is %s', async (terms, one, isCharged) => {
    status = one;
    const url = await open(`${RULE} ${terms}`);
    const answer = await shop.buyer()(`${url}/v1/weather`, init);
    expect([answer.status, receiptIn(answer.headers)?.success]).toEqual([one, isCharged]);
    expect(isRedeemed()).toEqual([isCharged]);
  });

  it('has a receipt that it is charged when the release has not reached the node', async () => {
    status = 404;
    const url = await open(RULE);
    const spoilt = shop.market.fetch;
    shop.market.hooks.beforeRelease = () => Response.json({ success: false, errorReason: 'no' });
    const answer = await shop.buyer({ fetch: spoilt })(`${url}/v1/weather`);
    expect([answer.status, receiptIn(answer.headers)?.success]).toEqual([404, true]);
    expect(shop.lines.map(([text]) => text)).toContain(
      'the payer was not served, and the node does not take that',
    );
  });
});

describe('a payer', () => {
  it('gets a bounded number of answers for nothing, however many of its calls come at once', async () => {
    status = 404;
    const url = await open(RULE);
    const proofs: string[] = [];
    for (let n = 0; n < 120; n++) proofs.push(await shop.proofFor(`${url}/v1/weather?n=${n}`));
    const show = (at: number) =>
      fetch(`${url}/v1/weather?n=${at}`, { headers: { 'payment-signature': proofs[at] ?? '' } });
    const answers = await Promise.all(proofs.map((_, at) => show(at)));
    expect(answers.filter((one) => one.status === 404)).toHaveLength(100);
    expect(asked).toBe(100);
    const refused = answers.filter((one) => one.status === 429);
    expect(refused).toHaveLength(20);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(await refused[0]?.json()).toMatchObject({ error: 'too_many_unserved' });
    expect(isRedeemed()).not.toContain(true);
    // From now on the node is not asked, either.
    let settled = 0;
    shop.market.hooks.beforeSettle = () => void settled++;
    expect((await show(0)).status).toBe(429);
    expect([asked, settled]).toEqual([100, 0]);
    expect(await shop.sales.page()).toContain('reason="too_many_unserved"} 21');
    shop.clock.time += 1_000;
    status = 200;
    expect((await show(0)).status).toBe(200);
    expect(settled).toBe(1);
    shop.clock.time += 1_000;
    expect([(await show(1)).status, (await show(2)).status]).toEqual([200, 200]);
  });

  it('waits by itself when it has had many', async () => {
    status = 404;
    const url = await open(RULE);
    const buy = shop.buyer({ mostPerDay: UNIT });
    for (let n = 0; n < 100; n++) expect((await buy(`${url}/v1/weather`)).status).toBe(404);
    status = 200;
    const bought = buy(`${url}/v1/weather`);
    await until(
      async () => (await shop.sales.page()).includes('too_many_unserved'),
      'it is refused once',
    );
    shop.clock.time += 1_000;
    expect((await bought).status).toBe(200);
    expect(shop.market.payments.size).toBe(1);
  });
});
