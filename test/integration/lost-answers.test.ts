/** An answer that was paid for and got lost is given again, to who has paid for it and for the same call. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLostAnswers } from '../../src/paywall/lost-answers.ts';
import { createShop, type Shop } from '../support/paywall-shop.ts';
import { until } from '../support/until.ts';
import { ASSET } from '../support/x402-market.ts';

const RULES = [`GET /v1/* 0.0001 ${ASSET}`, `POST /v1/* 0.0001 ${ASSET}`];

let shop: Shop;
/** Of the server behind. */
let asked: number;
let body: string | Uint8Array;
let status: number;
let goOn: Promise<void>;
let url: string;
beforeEach(async () => {
  shop = createShop();
  asked = 0;
  body = 'dry';
  status = 200;
  goOn = Promise.resolve();
  url = await shop.open(RULES, async (request, response) => {
    asked++;
    for await (const _ of request);
    await goOn;
    const length = { 'content-length': body.length };
    response.writeHead(status, { 'x-own': `${asked}`, ...length }).end(body);
  });
});
afterEach(() => shop.close());

const show = (proof: string, init: RequestInit = {}, place = `${url}/v1/weather`) =>
  fetch(place, { ...init, headers: { 'payment-signature': proof, ...Object(init.headers) } });
const refusalOf = async (answer: Response) => Object(await answer.json()).error;

describe('a sold answer', () => {
  it.each<[string, RequestInit]>([
    ['GET', {}],
    ['POST', { method: 'POST', body: 'an order' }],
    ['POST without a body', { method: 'POST' }],
  ])('is given again to the same proof, and asked for once: %s', async (_, init) => {
    const proof = await shop.proofFor(`${url}/v1/weather`, init.method);
    const first = await show(proof, init);
    const again = await show(proof, init);
    expect([again.status, await again.text()]).toEqual([200, 'dry']);
    for (const name of ['x-own', 'payment-response', 'cache-control', 'vary'])
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    expect(asked).toBe(1);
    expect(shop.lines.map(([text]) => text)).toEqual(['sold']);
    expect(await shop.sales.page()).toContain('repeated_total');
  });

  it('is given to nobody whose proof, method, URL or body is another', async () => {
    const proof = await shop.proofFor(`${url}/v1/weather`, 'POST');
    const init = { method: 'POST', body: 'an order' };
    await show(proof, init);
    const said = JSON.parse(atob(proof));
    const secret = `0x${'07'.repeat(32)}`;
    const forged = btoa(JSON.stringify({ ...said, payload: { ...said.payload, secret } }));
    expect(await refusalOf(await show(forged, init))).toBe('payment_not_found');
    const info = { required: false, id: 'another_one_of_me' };
    const extensions = { ...said.extensions, 'payment-identifier': { info } };
    const renamed = btoa(JSON.stringify({ ...said, extensions }));
    expect(await refusalOf(await show(renamed, init))).toBe('duplicate_settlement');
    expect(await refusalOf(await show(proof, { ...init, body: 'another' }))).toBe(
      'duplicate_settlement',
    );
    for (const name of ['authorization', 'cookie', 'x-api-key'])
      expect(await refusalOf(await show(proof, { ...init, headers: { [name]: 'me' } }))).toBe(
        'duplicate_settlement',
      );
    expect((await show(proof)).status).toBe(402);
    expect((await show(proof, { ...init, headers: { accept: 'text/plain' } })).status).toBe(200);
    expect(await refusalOf(await show(proof, init, `${url}/v1/other`))).toBe('unknown_offer');
    expect(asked).toBe(1);
  });

  it('is given again for a minute', async () => {
    const proof = await shop.proofFor(`${url}/v1/weather`);
    await (await show(proof)).text();
    shop.clock.time += 59_999;
    expect((await show(proof)).status).toBe(200);
    shop.clock.time += 1;
    expect(await refusalOf(await show(proof))).toBe('duplicate_settlement');
  });

  it('is not given again when it is long, or its buyer does not name the call', async () => {
    body = new Uint8Array(70_000);
    const long = await shop.proofFor(`${url}/v1/weather`);
    expect((await (await show(long)).arrayBuffer()).byteLength).toBe(70_000);
    expect(await refusalOf(await show(long))).toBe('duplicate_settlement');
    body = 'dry';
    const { extensions: _, ...unnamed } = JSON.parse(atob(await shop.proofFor(`${url}/v1/x`)));
    const proof = btoa(JSON.stringify(unnamed));
    expect((await show(proof, {}, `${url}/v1/x`)).status).toBe(200);
    expect(await refusalOf(await show(proof, {}, `${url}/v1/x`))).toBe('duplicate_settlement');
  });

  it('that was not charged is asked for anew', async () => {
    status = 503;
    const proof = await shop.proofFor(`${url}/v1/weather`);
    expect((await show(proof)).status).toBe(503);
    status = 200;
    expect((await show(proof)).status).toBe(200);
    expect(asked).toBe(2);
  });

  it('waits for its buyer who has left before it came', async () => {
    let release = () => {};
    goOn = new Promise((resolve) => {
      release = resolve;
    });
    const proof = await shop.proofFor(`${url}/v1/weather`);
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /v1/weather HTTP/1.1\r\nHost: ${host}\r\nPayment-Signature: ${proof}\r\n\r\n`,
    );
    await until(() => asked === 1, 'the server behind has the call');
    socket.destroy();
    const again = show(proof);
    release();
    expect(await (await again).text()).toBe('dry');
    expect([asked, shop.market.released.length]).toEqual([1, 0]);
  });
});

describe('the answers that are kept', () => {
  it('are no more than 16 MB, the newest of them', async () => {
    const answers = createLostAnswers(() => 0);
    for (let n = 0; n < 400; n++)
      await answers
        .begin(`${n}`)
        .keep(new Response(new Uint8Array(60_000)))
        .arrayBuffer();
    expect(await answers.again('0')).toBeNull();
    const kept = await Promise.all(
      Array.from({ length: 400 }, async (_, n) => (await answers.again(`${n}`)) !== null),
    );
    expect(kept.filter((one) => one)).toHaveLength(Math.floor(2 ** 24 / (60_000 + 1_024)));
    expect(kept.lastIndexOf(false)).toBe(kept.indexOf(true) - 1);
  });

  it('do not have what broke off, nor what has long headers', async () => {
    const answers = createLostAnswers(() => 0);
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('broken'));
      },
    });
    const one = answers.begin('broken').keep(new Response(broken));
    await expect(one.text()).rejects.toThrow('broken');
    expect(await answers.again('broken')).toBeNull();
    const headers = { 'x-long': 'x'.repeat(70_000) };
    expect(await answers.begin('long').keep(new Response('a', { headers })).text()).toBe('a');
    expect(await answers.again('long')).toBeNull();
  });
});

describe('a buyer', () => {
  it.each<[string, number, RequestInit]>([
    ['before it comes', 0, {}],
    ['before it comes', 0, { method: 'POST', body: 'an order' }],
    ['in the middle', 1, {}],
  ])('whose answer breaks off %s gets it by the same payment', async (_, begun, init) => {
    let losses = 2;
    const weak: typeof fetch = async (input, given) => {
      const request = new Request(input, given);
      const isPaid = request.headers.has('payment-signature');
      const answer = await shop.market.fetch(request);
      if (!isPaid || losses-- <= 0) return answer;
      await answer.arrayBuffer();
      if (begun === 0) throw new TypeError('the connection is lost');
      const broken = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('d'));
          controller.error(new TypeError('terminated'));
        },
      });
      return new Response(broken, { headers: answer.headers });
    };
    const answer = await shop.buyer({ fetch: weak })(`${url}/v1/weather`, init);
    expect(await answer.text()).toBe('dry');
    expect([asked, losses, shop.market.payments.size]).toEqual([1, -1, 1]);
  });

  it('has what came of an answer that the server behind broke off', async () => {
    const broken = await shop.open(RULES, (request, response) => {
      response.writeHead(200, { 'content-length': '100000' }).write('half');
      setTimeout(() => request.socket.destroy(), 50);
    });
    const answer = await shop.buyer()(`${broken}/v1/weather`);
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('half');
    await expect(reader?.read()).rejects.toThrow();
    expect(shop.market.payments.size).toBe(1);
  });

  it('asks no more than three times again, and the next call gets it', async () => {
    let isLost = true;
    let shown = 0;
    const weak: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const isPaid = request.headers.has('payment-signature');
      const answer = await shop.market.fetch(request);
      if (isPaid) shown++;
      if (isPaid && isLost) throw new TypeError('the connection is lost');
      return answer;
    };
    const buy = shop.buyer({ fetch: weak });
    await expect(buy(`${url}/v1/weather`)).rejects.toThrow('lost');
    expect(shown).toBe(4);
    isLost = false;
    expect(await (await buy(`${url}/v1/weather`)).text()).toBe('dry');
    expect([asked, shop.market.payments.size]).toEqual([1, 1]);
  });
});
