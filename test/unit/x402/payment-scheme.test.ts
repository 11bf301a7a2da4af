/** The scheme `Payment`, spoken with the package mppx: beside x402 by the paywall, and by `channel.fetch` where there is no other. */
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { Challenge, Credential, PaymentRequest, Receipt } from 'mppx';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inBothDialects } from '../../../src/paywall/payment-dialect.ts';
import { challengesIn } from '../../../src/x402/payment-scheme.ts';
import { listening } from '../../support/http-server.ts';
import { mppxBuyer, mppxServer } from '../../support/payment-scheme.ts';
import { createShop, type Shop, UNIT } from '../../support/paywall-shop.ts';
import { ASSET, NETWORK, SELLER } from '../../support/x402-market.ts';

const RULES = [
  `GET /v1/* 0.0001 ${ASSET}`,
  `POST /v1/* 0.0001 ${ASSET}`,
  `GET /all/* 0.0001 ${ASSET} shared`,
  'GET /health free',
];
/** What a server behind may want itself. */
const DEMANDED = {
  x402Version: 2,
  resource: { url: 'http://behind.example/' },
  accepts: [
    {
      ...{ scheme: 'channel', network: NETWORK, asset: ASSET, amount: '1', payTo: SELLER },
      ...{ maxTimeoutSeconds: 60, extra: {} },
    },
  ],
};
let shop: Shop;
/** What the server behind has seen. */
let seen: Record<string, string | string[] | undefined>[];
let behind: RequestListener;

beforeEach(() => {
  shop = createShop();
  seen = [];
  behind = (_, response) => void response.end('dry');
});
afterEach(() => shop.close());

const open = (rules: readonly string[] = RULES) =>
  shop.open(
    rules,
    (request, response) => {
      seen.push(request.headers);
      behind(request, response);
    },
    inBothDialects,
  );

const paidFor = () => [...shop.market.payments.values()].map(({ amount }) => amount);

/** The header that shows a payment which was made, and no call. */
async function credentialFor(url: string): Promise<string> {
  let shown = '';
  const spy: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    shown = request.headers.get('authorization') ?? shown;
    return shown === '' ? fetch(request) : new Response('', { status: 503 });
  };
  await mppxBuyer(shop.channel(), url, { fetch: spy })(url);
  return shown;
}

const show = (url: string, authorization: string, more: RequestInit = {}) =>
  fetch(url, { ...more, headers: { ...more.headers, authorization } });

describe('a paywall that speaks the scheme Payment', () => {
  it('has a challenge beside its offer, which says the same', async () => {
    const url = await open();
    const answer = await fetch(`${url}/v1/weather`);
    const [challenge, ...others] = Challenge.fromResponseList(answer);
    const required = JSON.parse(atob(answer.headers.get('payment-required') ?? ''));
    const { paymentId, tag, expires } = required.accepts[0].extra;
    expect(others).toEqual([]);
    expect(challenge).toEqual({
      ...{ id: tag, realm: new URL(url).host, method: 'channel', intent: 'charge' },
      expires: new Date(expires * 1_000).toISOString(),
      request: {
        ...{ amount: `${UNIT}`, currency: ASSET, recipient: SELLER },
        methodDetails: { maxTimeoutSeconds: 60, network: NETWORK, paymentId, tag },
      },
    });
    const [{ request } = { request: '' }] = challengesIn(answer.headers);
    expect(request).toBe(PaymentRequest.serialize(challenge?.request ?? {}));
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect((await fetch(`${url}/health`)).headers.has('www-authenticate')).toBe(false);
  });

  it('sells to a client of mppx, with a receipt', async () => {
    const url = `${await open()}/v1/weather`;
    const answer = await mppxBuyer(shop.channel(), url)(url);
    expect([answer.status, await answer.text()]).toEqual([200, 'dry']);
    const [secretHash] = shop.lines.map(([, { secretHash }]) => secretHash);
    expect(Receipt.fromResponse(answer)).toMatchObject({
      ...{ status: 'success', method: 'channel', reference: secretHash },
      challengeId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(answer.headers.get('cache-control')).toBe('private');
    expect([paidFor(), seen.length]).toEqual([[UNIT], 1]);
  });

  it('shows the server behind no payment, and what else the call says of its caller', async () => {
    const url = `${await open()}/v1/weather`;
    const buy = mppxBuyer(shop.channel(), url);
    const headers = { authorization: 'Bearer of-the-caller' };
    expect((await buy(url, { headers })).status).toBe(200);
    expect((await buy(url)).status).toBe(200);
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      headers.authorization,
      undefined,
    ]);
    for (const one of seen) {
      expect(one).not.toHaveProperty('payment-authorization');
      expect(one).not.toHaveProperty('payment-signature');
    }
    await show(`${url.replace('/v1/weather', '')}/health`, 'Bearer of-the-caller');
    expect(seen[2]?.['authorization']).toBe('Bearer of-the-caller');
  });

  it('leaves payments by other methods to the server behind', async () => {
    const url = await open();
    const challenge = { id: 'a', realm: 'b', method: 'tempo', intent: 'charge', request: {} };
    const other = Credential.serialize({ challenge, payload: {} });
    await show(`${url}/health`, other);
    expect(seen[0]?.['authorization']).toBe(other);
    expect((await show(`${url}/v1/weather`, other)).status).toBe(402);
    expect(seen).toHaveLength(1);
  });

  it.each(['/health', '/v1/a'])('passes on no demand of the server behind for %s', async (path) => {
    const url = await open();
    const authorization = await credentialFor(`${url}/v1/a`);
    behind = (_, response) =>
      void response
        .writeHead(402, { 'payment-required': btoa(JSON.stringify(DEMANDED)) })
        .end('pay');
    const answers = [await fetch(`${url}/health`), await show(`${url}${path}`, authorization)];
    expect(answers.map(({ status }) => status)).toEqual([402, 402]);
    expect(answers.map(({ headers }) => headers.get('payment-required'))).toEqual([null, null]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['pay', 'pay']);
  });

  it('sells one call for a payment that is shown in both words', async () => {
    const url = `${await open()}/v1/weather`;
    const credential = await credentialFor(url);
    const { challenge, payload } = Credential.deserialize(credential);
    const { amount, currency: asset, recipient: payTo, methodDetails } = challenge.request;
    const { paymentId, tag } = Object(methodDetails);
    const extra = {
      paymentId,
      tag,
      paymentFlow: 'upfront',
      expires: Date.parse(challenge.expires ?? '') / 1_000,
    };
    const accepted = { scheme: 'channel', network: NETWORK, amount, asset, payTo, extra };
    const proof = { x402Version: 2, accepted: { ...accepted, maxTimeoutSeconds: 60 }, payload };
    const signature = btoa(JSON.stringify(proof));
    const answers = await Promise.all([
      fetch(url, { headers: { 'payment-signature': signature } }),
      show(url, credential),
      fetch(url, { headers: { 'payment-signature': signature, authorization: credential } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402]);
    expect([seen.length, paidFor().length]).toEqual([1, 1]);
    expect(shop.lines.filter(([text]) => text === 'sold')).toHaveLength(1);
  });

  it('gives an answer that was lost again, and asks the server behind once', async () => {
    const url = `${await open()}/v1/weather`;
    const credential = await credentialFor(url);
    for (const _ of [1, 2]) {
      const answer = await show(url, credential);
      expect([answer.status, await answer.text()]).toEqual([200, 'dry']);
      expect(answer.headers.has('payment-receipt')).toBe(true);
    }
    expect(seen).toHaveLength(1);
  });

  it('refuses with the reason, and a new challenge when the payment is of no use any more', async () => {
    const url = `${await open()}/v1/weather`;
    behind = (_, response) => void response.end('x'.repeat(100_000));
    const credential = await credentialFor(url);
    expect((await (await show(url, credential)).text()).length).toBe(100_000);
    const used = await show(url, credential);
    const own = Credential.deserialize(credential).challenge.id;
    expect([used.status, used.headers.get('content-type')]).toEqual([
      402,
      'application/problem+json',
    ]);
    expect(await used.json()).toMatchObject({
      ...{ type: 'https://paymentauth.org/problems/invalid-challenge', status: 402 },
      error: 'duplicate_settlement',
    });
    expect(used.headers.has('payment-receipt')).toBe(false);
    expect(Challenge.fromResponse(used).id).not.toBe(own);
  });

  it.each([
    ['another id', (one: Credential.Credential) => ({ challenge: { ...one.challenge, id: 'a' } })],
    ['no secret', () => ({ payload: {} })],
  ])('takes no credential with %s', async (_, change) => {
    const url = `${await open()}/v1/weather`;
    const credential = Credential.deserialize(await credentialFor(url));
    const answer = await show(url, Credential.serialize({ ...credential, ...change(credential) }));
    expect([answer.status, seen.length]).toEqual([402, 0]);
    expect(Challenge.fromResponse(answer).method).toBe('channel');
  });

  it.each(['Payment', 'Payment e30', 'Payment %%%', `Payment ${'a'.repeat(9_000)}`])(
    'answers "%.20s" with a challenge',
    async (credential) => {
      const answer = await show(`${await open()}/v1/weather`, credential);
      expect([answer.status, seen.length]).toEqual([402, 0]);
      expect(Challenge.fromResponse(answer).method).toBe('channel');
    },
  );

  it('sells no other call, and none for less, for what was paid', async () => {
    const url = await open();
    const credential = await credentialFor(`${url}/v1/weather`);
    const { challenge, payload } = Credential.deserialize(credential);
    const request = { ...challenge.request, amount: '1' };
    const cheaper = Credential.serialize({ challenge: { ...challenge, request }, payload });
    for (const [path, shown] of [
      ['/v1/other', credential],
      ['/v1/weather', cheaper],
    ] as const)
      expect((await show(`${url}${path}`, shown)).status).toBe(402);
    expect(seen).toHaveLength(0);
    expect((await show(`${url}/v1/weather`, credential)).status).toBe(200);
  });

  it('asks for nothing anew while a payment is held up', async () => {
    const url = `${await open()}/v1/weather`;
    let tries = 0;
    shop.market.hooks.beforeSettle = () =>
      ++tries > 2
        ? undefined
        : Response.json({
            success: false,
            errorReason: 'payment_pending',
            transaction: '',
            network: NETWORK,
          });
    const answer = await mppxBuyer(shop.channel(), url)(url);
    expect([answer.status, tries, paidFor()]).toEqual([200, 3, [UNIT]]);
  });

  it('passes a body on, and gives the payment back when the server behind fails', async () => {
    const url = `${await open()}/v1/weather`;
    let status = 503;
    behind = async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(status).end(Buffer.concat(chunks));
    };
    const credential = await credentialFor(url);
    const failed = await show(url, credential);
    expect([failed.status, failed.headers.has('payment-receipt')]).toEqual([503, false]);
    status = 200;
    expect((await show(url, credential)).status).toBe(200);
    const buy = mppxBuyer(shop.channel(), url, { method: 'POST' });
    const posted = await buy(url, { method: 'POST', body: 'a question' });
    expect(await posted.text()).toBe('a question');
  });

  it('has no receipt with what caches may give to everybody', async () => {
    const url = `${await open()}/all/weather`;
    behind = (_, response) => void response.setHeader('cache-control', 'max-age=9').end('dry');
    const answer = await mppxBuyer(shop.channel(), url)(url);
    expect([answer.status, answer.headers.has('payment-receipt')]).toEqual([200, false]);
  });
});

describe('channel.fetch at a server of mppx', () => {
  let status: number;
  let served: number;
  beforeEach(() => {
    status = 200;
    served = 0;
  });

  const answer = () => {
    served++;
    return new Response('dry', { status });
  };
  const selling = async (requiresAuth = false) =>
    `${await listening(getRequestListener(mppxServer(shop.market, answer, requiresAuth)), shop.ends)}/a`;

  it('pays its challenge within the caps, once for each call', async () => {
    const url = await selling();
    const buy = shop.buyer();
    for (const _ of [1, 2]) {
      const sold = await buy(url);
      expect([sold.status, await sold.text()]).toEqual([200, 'dry']);
      const receipt = JSON.parse(atob(sold.headers.get('payment-response') ?? ''));
      expect(receipt).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x/) });
    }
    expect([paidFor(), served]).toEqual([[UNIT, UNIT], 2]);
    await expect(shop.buyer({ most: UNIT - 1n })(url)).rejects.toThrow('a call may cost');
    await expect(shop.buyer({ asset: SELLER })(url)).rejects.toThrow();
    await expect(shop.buyer({ network: 'eip155:5' })(url)).rejects.toThrow();
    expect(paidFor()).toHaveLength(2);
  });

  it('shows the payment aside when the call has an Authorization of its own', async () => {
    const url = await selling(true);
    const headers = { authorization: 'Bearer of-the-caller' };
    expect((await shop.buyer()(url, { headers })).status).toBe(200);
    const plain = await selling();
    await expect(shop.buyer()(plain, { headers })).rejects.toThrow();
    expect(paidFor()).toEqual([UNIT]);
  });

  it('pays nothing for an address that sends on', async () => {
    const url = await selling();
    const away = await listening((_, response) => {
      response.writeHead(302, { location: url }).end();
    }, shop.ends);
    await expect(shop.buyer()(away)).rejects.toThrow();
    expect(paidFor()).toEqual([]);
  });

  it('shows a payment that was refused again, and pays nothing instead', async () => {
    const url = await selling();
    const buy = shop.buyer();
    const hooks = shop.market.hooks;
    hooks.beforeSettle = () =>
      Response.json({ success: false, errorReason: 'no', transaction: '', network: NETWORK });
    expect((await buy(url)).status).toBe(402);
    await expect(buy(url)).rejects.toThrow('nothing more is paid');
    hooks.beforeSettle = () => undefined;
    expect((await buy(url)).status).toBe(200);
    expect([paidFor(), served]).toEqual([[UNIT], 1]);
  });

  it('pays a paywall by x402 as before, of which it takes no challenge', async () => {
    const url = `${await open()}/v1/weather`;
    const headers = { authorization: 'Bearer of-the-caller' };
    const channel = shop.channel();
    const buy = wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
    expect((await buy(url, { headers })).headers.has('payment-response')).toBe(true);
    expect(seen[0]?.['authorization']).toBe(headers.authorization);
  });
});

describe('challenges in a header', () => {
  it('are told from those of other schemes', () => {
    const text = [
      'Basic realm="a, Payment id=\\"no\\""',
      'payment id="x\\"y", realm="r" , method=channel,intent = "charge", request="e30"',
      'Bearer',
      'Payment id="2", id="3", method="tempo"',
    ].join(', ');
    expect(challengesIn(new Headers({ 'www-authenticate': text }))).toEqual([
      { id: 'x"y', realm: 'r', method: 'channel', intent: 'charge', request: 'e30' },
      { id: '2', method: 'tempo' },
    ]);
  });
});
