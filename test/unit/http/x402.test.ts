import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import { parseTokens } from '../../../src/http/checks/tokens.ts';
import { X402_ENDPOINTS } from '../../../src/http/endpoints/x402.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { REASONS } from '../../../src/node/api/selling/judge.ts';
import { bodyOf, type Offer } from '../../support/x402.ts';
import { fakeNode, HASH, OWN, PARTNER, SECRET, TOKEN } from './fake-node.ts';

const OFFER: Offer = {
  asset: TOKEN,
  payTo: OWN,
  payer: PARTNER,
  secret: SECRET,
  paymentId: 7n,
  amount: 5n,
  expires: 1_700_000_000,
  chainId: 337n,
};
const BODY = bodyOf(OFFER);
const NETWORK = 'eip155:337';
const SELLER = 'seller-0123456789';
const FILE = `
reader-0123456789 read
${SELLER} receive
payer-0123456789 pay
admin-0123456789
`;

function appOf(changes: Partial<NodeApi> = {}, options: ApiOptions = {}) {
  const node = fakeNode(changes);
  const app = createApp({ node, options });
  async function ask(path: string, body?: unknown, more: RequestInit = {}) {
    const headers = { 'content-type': 'application/json', ...Object(more.headers) };
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await app.request(path, { ...request, ...more, headers });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? Object(JSON.parse(text)) : text };
  }
  return { node, app, ask };
}

/** A node of whose payments one is under way until `end`; `waits`: how many wait for it. */
function waiting(options: ApiOptions = {}) {
  const stops = new Set<() => void>();
  const { redeeming, asked } = fakeNode();
  const made = appOf(
    {
      redeeming: {
        ...redeeming,
        awaitPayment() {
          let stop = () => {};
          const over = new Promise<void>((resolve) => {
            stop = () => {
              stops.delete(stop);
              resolve();
            };
          });
          stops.add(stop);
          return { over, stop };
        },
      },
    },
    options,
  );
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    ...made,
    asked,
    waits: () => stops.size,
    turn,
    end: () => [...stops].map((stop) => stop()),
  };
}

it('has the reasons that the specification of the scheme lists, in its order', () => {
  const text = readFileSync(new URL('../../../docs/x402-scheme.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('## What settle looks at\n');
  const [table = ''] = section.split('\n## ');
  const reasons = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, reason]) => reason);
  // Two of them are looked at twice: before and after the payment is known.
  expect([...new Set(reasons)]).toEqual(REASONS);
});

describe('the facilitator', () => {
  it('says what it supports', async () => {
    const { ask } = appOf();
    expect(await ask('/x402/supported')).toEqual({
      status: 200,
      body: {
        kinds: [{ x402Version: 2, scheme: 'channel', network: NETWORK }],
        extensions: [],
        signers: {},
      },
    });
  });

  it('hands on what was shown, and answers in the words of the protocol', async () => {
    const { ask, node } = appOf();
    const demanded = {
      scheme: 'channel',
      network: NETWORK,
      amount: 5n,
      asset: TOKEN,
      payTo: OWN,
      maxTimeoutSeconds: 60n,
    };
    const accepted = { ...demanded, paymentId: 7n, expires: 1_700_000_000n };
    const proof = { demanded, accepted, payer: PARTNER, paymentId: 7n, secret: SECRET };
    const said = { transaction: HASH, network: NETWORK, payer: PARTNER };
    expect((await ask('/x402/verify', BODY)).body).toEqual({ isValid: true, payer: PARTNER });
    expect((await ask('/x402/settle', BODY)).body).toEqual({
      success: true,
      ...said,
      amount: '7',
      extra: { redemption: 'request:1' },
    });
    const named = { ...BODY, redemption: 'request:1' };
    expect((await ask('/x402/release', named)).body).toEqual({ success: true, ...said });
    expect(node.asked).toEqual([
      ['verify', proof],
      ['redeem', proof],
      ['release', proof, 'request:1'],
    ]);
  });

  it('says what is wrong with a body, field by field', async () => {
    const { ask, node } = appOf();
    const wrong = bodyOf(OFFER, { payload: { secret: '0x12' }, required: { amount: 'much' } });
    expect(await ask('/x402/settle', wrong)).toEqual({
      status: 400,
      body: {
        code: 'invalid_shape',
        outcome: 'not_begun',
        errors: {
          paymentPayload: ['payload.secret: Must be 0x and 64 hex digits.'],
          paymentRequirements: ['amount: Must be a decimal string from 1 to 2^256 - 1.'],
        },
      },
    });
    expect(node.asked).toEqual([]);
  });

  it('describes all of that in a document of its own', async () => {
    const { ask } = appOf();
    const { body } = await ask('/x402/openapi.json');
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, described]) => {
        const { operationId, security } = Object(described);
        return [operationId, method.toUpperCase(), path, security];
      }),
    );
    const receive = [{}, { bearer: ['receive'] }];
    expect(operations).toEqual(
      Object.entries(X402_ENDPOINTS).map(([id, { method, path, scope }]) => {
        return [id, method, `/x402${path}`, scope === 'open' ? [] : receive];
      }),
    );
    const { extra } =
      body.paths['/x402/settle'].post.requestBody.content['application/json'].schema.properties
        .paymentPayload.properties.accepted.properties;
    expect(extra.required).toEqual(['paymentId', 'expires', 'tag']);
  });

  it('verifies nothing that only this machine knows', async () => {
    const { ask } = appOf({ acknowledged: async () => false });
    expect(await ask('/x402/verify', BODY)).toMatchObject({
      status: 503,
      body: { code: 'replica_unavailable' },
    });
  });

  it('is not there for pages of other sites, nor before the node is ready', async () => {
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect((await appOf().ask('/x402/settle', BODY, foreign)).status).toBe(403);
    const { ask, node } = appOf({ status: () => ({ status: 'syncing', blocksToSync: 3n }) });
    expect(await ask('/x402/settle', BODY)).toMatchObject({
      status: 503,
      body: { code: 'syncing' },
    });
    expect(node.asked).toEqual([]);
  });
});

describe('a token', () => {
  const parsed = parseTokens(FILE);
  const tokens = parsed.ok ? parsed.value : [];
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}-0123456789` } });

  it.each([
    ['reader', 403],
    ['seller', 200],
    ['payer', 403],
    ['admin', 200],
    ['nobody', 401],
  ])('of a %s is answered %i', async (name, status) => {
    const { ask } = appOf({}, { tokens });
    for (const path of ['verify', 'settle', 'release'])
      expect((await ask(`/x402/${path}`, BODY, as(name))).status).toBe(status);
    expect((await ask('/x402/supported', undefined, as(name))).status).toBe(status);
    expect((await ask('/x402/openapi.json')).status).toBe(200);
  });

  it('of a seller is good for nothing else', async () => {
    const { ask, node } = appOf({}, { tokens });
    const paying = [`/api/v1/payments/${TOKEN}/${PARTNER}`, { amount: '1' }] as const;
    expect((await ask(...paying, as('seller'))).status).toBe(403);
    for (const path of ['channels', 'payments', 'notifications'])
      expect((await ask(`/api/v1/${path}`, undefined, as('seller'))).status).toBe(403);
    expect((await ask('/metrics', undefined, as('seller'))).status).toBe(403);
    expect(node.asked).toEqual([]);
  });
});

describe('a settlement that waits for its payment', () => {
  it('takes no turn of others', async () => {
    const { ask, waits, turn, end } = waiting();
    const settling = Array.from({ length: 10 }, () => ask('/x402/settle', BODY));
    await turn();
    expect(waits()).toBe(10);
    expect((await ask('/api/v1/address')).status).toBe(200);
    end();
    for (const { status } of await Promise.all(settling)) expect(status).toBe(200);
  });

  it('leaves places: the next one of many is judged at once', async () => {
    const { ask, asked, waits, turn, end } = waiting();
    const settling = Array.from({ length: 256 }, () => ask('/x402/settle', BODY));
    await turn();
    expect([waits(), asked.length]).toEqual([256, 0]);
    expect((await ask('/x402/settle', BODY)).status).toBe(200);
    expect([waits(), asked.length]).toEqual([256, 1]);
    end();
    await Promise.all(settling);
    const again = ask('/x402/settle', BODY);
    await turn();
    expect(waits()).toBe(1);
    end();
    await again;
  });

  it('finds a place beside those of a buyer that lets many wait', async () => {
    const { ask, asked, waits, turn, end } = waiting();
    const settling = Array.from({ length: 256 }, () => ask('/x402/settle', BODY));
    await turn();
    expect(waits()).toBe(256);
    const other = bodyOf({ ...OFFER, payer: OWN });
    settling.push(ask('/x402/settle', other));
    await turn();
    expect([waits(), asked.length]).toEqual([257, 0]);
    end();
    await Promise.all(settling);
  });

  it('waits no longer than its caller, and no longer than the node', async () => {
    const ending = new AbortController();
    const { ask, waits, turn } = waiting({ ending });
    const gone = new AbortController();
    const left = ask('/x402/settle', BODY, { signal: gone.signal }).catch(() => null);
    const stays = ask('/x402/settle', BODY);
    await turn();
    expect(waits()).toBe(2);
    gone.abort();
    await turn();
    expect(waits()).toBe(1);
    ending.abort();
    expect(await stays).toMatchObject({
      status: 503,
      body: { code: 'shutting_down', outcome: 'not_begun' },
    });
    expect(waits()).toBe(0);
    await left;
  });
});
