import { describe, expect, it } from 'vitest';
import { MAX_UINT64, MAX_UINT256 } from '../../../src/basics/amount.ts';
import { type Address, ZERO_ADDRESS, ZERO_HASH } from '../../../src/basics/hex.ts';
import { createApp } from '../../../src/http/app.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import { appWith, call } from './client.ts';
import { fakeNode, OWN, PARTNER, SECRET, STRANGER, TOKEN, UNREGISTERED } from './fake-node.ts';

const HASH = secrethashOf(SECRET);
const ROUTE = { route: [PARTNER, STRANGER], address_metadata: {} };
const METADATA = {
  [PARTNER]: { user_id: '@a', capabilities: 'mxc://', displayname: 'b' },
};

function pay(json: unknown, target: Address = PARTNER, token: Address = TOKEN) {
  return { method: 'POST', path: `/payments/${token}/${target}`, json };
}

describe('payment history', () => {
  it('shows each kind of record with exactly the documented fields', async () => {
    const { status, body } = await call(appWith(), { path: '/payments' });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        event: 'EventPaymentSentSuccess',
        amount: '25',
        target: PARTNER,
        identifier: '9007199254740993',
        log_time: '2026-01-31T09:08:07.120',
        token_address: TOKEN,
      },
      {
        event: 'EventPaymentSentFailed',
        target: STRANGER,
        reason: 'lock expired',
        log_time: '2026-01-31T09:09:10.000',
        token_address: TOKEN,
      },
      {
        event: 'EventPaymentReceivedSuccess',
        amount: '3',
        initiator: PARTNER,
        identifier: '8',
        log_time: '2026-01-31T09:10:00.005',
        token_address: TOKEN,
      },
    ]);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['everything', '', { token: null, partner: null, offset: 0, limit: null }],
    ['one token', `/${TOKEN}`, { token: TOKEN, partner: null, offset: 0, limit: null }],
    ['one partner', `/${TOKEN}/${PARTNER}`, { token: TOKEN, partner: PARTNER }],
    ['a page', '?limit=2&offset=5', { limit: 2, offset: 5 }],
    ['nothing', '?limit=0', { limit: 0 }],
    ['the last of two limits', '?limit=2&limit=3', { limit: 3 }],
    ['no more than fits a number', `?limit=${10n ** 30n}`, { limit: Number.MAX_SAFE_INTEGER }],
  ])('asks for %s', async (_, suffix, query) => {
    const node = fakeNode();
    expect((await call(createApp({ node }), { path: `/payments${suffix}` })).status).toBe(200);
    expect(node.asked).toMatchObject([['payments', query]]);
  });

  it.each<[string, string, number]>([
    ['a negative limit', '?limit=-1', 400],
    ['a limit that is no number', '?limit=ten', 400],
    ['an empty offset', '?offset=', 400],
    ['a fraction', '?offset=1.5', 400],
    ['an unknown parameter', '?page=1', 400],
    ['a parameter named __proto__', '?__proto__=1', 400],
    ['a token without network', `/${UNREGISTERED}`, 409],
    ['a wrong limit before a token without network', `/${UNREGISTERED}?limit=x`, 400],
    ['an address that is not EIP-55', `/${TOKEN.toLowerCase()}`, 404],
  ])('refuses %s', async (_, suffix, status) => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), { path: `/payments${suffix}` });
    expect(answer.status).toBe(status);
    expect(answer.body).toHaveProperty('errors');
    expect(node.asked).toEqual([]);
  });
});

describe('sending a payment', () => {
  it('echoes the seven fields', async () => {
    const json = { amount: '25', identifier: '42', secret: SECRET, secret_hash: HASH };
    const { status, body } = await call(appWith(), pay(json));
    expect(status).toBe(200);
    expect(body).toEqual({
      initiator_address: OWN,
      target_address: PARTNER,
      token_address: TOKEN,
      amount: '25',
      identifier: '42',
      secret: SECRET,
      secret_hash: HASH,
    });
  });

  const routes = [{ route: ROUTE.route, fee: null }];

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'only an amount',
      {},
      { paymentId: null, secret: null, secrethash: null, lockTimeout: null, routes: null },
    ],
    ['a lock timeout', { lock_timeout: '120' }, { lockTimeout: 120n }],
    ['the highest identifier', { identifier: String(MAX_UINT64) }, { paymentId: MAX_UINT64 }],
    ['a secret in capitals', { secret: `0x${SECRET.slice(2).toUpperCase()}` }, { secret: SECRET }],
    ['a static path', { paths: [ROUTE] }, { routes }],
    [
      'metadata and a fee of the path',
      { paths: [{ ...ROUTE, address_metadata: METADATA, fee: '5' }] },
      { routes: [{ route: ROUTE.route, fee: 5n }] },
    ],
    ['the older name of paths', { path: [ROUTE] }, { routes }],
    ['a path as JSON text', { path: JSON.stringify([ROUTE]) }, { routes }],
    ['an empty list of paths', { paths: [] }, { routes: [] }],
  ])('passes on %s', async (_, fields, request) => {
    const node = fakeNode();
    await call(createApp({ node }), pay({ amount: '25', ...fields }));
    expect(node.asked).toMatchObject([['pay', { token: TOKEN, target: PARTNER, amount: 25n }]]);
    expect(node.asked).toMatchObject([['pay', request]]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no amount', { amount: undefined }, 'amount'],
    ['no number as amount', { amount: 'abc' }, 'amount'],
    ['null as amount', { amount: null }, 'amount'],
    ['an unknown field', { initiator_address: OWN }, 'initiator_address'],
    ['a short secret', { secret: '0x1234' }, 'secret'],
    ['a secret without 0x', { secret: SECRET.slice(2) }, 'secret'],
    ['a secret that is a number', { secret: 5 }, 'secret'],
    ['a hash with other letters', { secret_hash: `0x${'zz'.repeat(32)}` }, 'secret_hash'],
    ['an empty identifier', { identifier: '' }, 'identifier'],
    ['an object as paths', { paths: ROUTE }, 'paths'],
    ['a route without metadata', { paths: [{ route: [PARTNER] }] }, 'paths'],
    ['metadata without a route', { paths: [{ address_metadata: {} }] }, 'paths'],
    ['a wrong address', { paths: [{ ...ROUTE, route: [PARTNER.toLowerCase()] }] }, 'paths'],
    ['wrong metadata', { paths: [{ ...ROUTE, address_metadata: { x: {} } }] }, 'paths'],
    ['a route with a further field', { paths: [{ ...ROUTE, cost: 1 }] }, 'paths'],
    ['text that is not JSON as path', { path: '[{' }, 'path'],
  ])('answers 400 and names the field for %s', async (_, fields, name) => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), pay({ amount: '25', ...fields }));
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: { [name]: [expect.any(String)] } },
    });
    expect(node.asked).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, Address, Address]>([
    ['an amount of zero', { amount: '0' }, PARTNER, TOKEN],
    ['a negative amount', { amount: -5 }, PARTNER, TOKEN],
    ['an amount above 2^256 - 1', { amount: String(MAX_UINT256 + 1n) }, PARTNER, TOKEN],
    ['an identifier of zero', { identifier: 0 }, PARTNER, TOKEN],
    ['an identifier above 2^64 - 1', { identifier: `${MAX_UINT64 + 1n}` }, PARTNER, TOKEN],
    ['a lock timeout of zero', { lock_timeout: '0' }, PARTNER, TOKEN],
    ['itself as target', {}, OWN, TOKEN],
    ['the zero address as target', {}, ZERO_ADDRESS, TOKEN],
    ['the zero address as token', {}, PARTNER, ZERO_ADDRESS],
    ['a hash without its secret', { secret_hash: HASH }, PARTNER, TOKEN],
    ['a hash of another secret', { secret: SECRET, secret_hash: ZERO_HASH }, PARTNER, TOKEN],
    ['a secret of zeros', { secret: ZERO_HASH }, PARTNER, TOKEN],
    ['path and paths at once', { path: [ROUTE], paths: [ROUTE] }, PARTNER, TOKEN],
  ])('answers 409 for %s', async (_, fields, target, token) => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), pay({ amount: '25', ...fields }, target, token));
    expect(answer).toMatchObject({ status: 409, body: { errors: expect.any(String) } });
    expect(node.asked).toEqual([]);
  });

  it.each<[string, Code, number]>([
    ['too little balance', 'insufficient_balance', 402],
    ['no route', 'no_route', 409],
    ['an unregistered token', 'token_not_registered', 409],
    ['an identifier in flight', 'identifier_used', 409],
    ['a secret used before', 'secret_used', 409],
    ['an expired lock', 'lock_expired', 409],
    ['a closed channel', 'channel_closed', 409],
    ['too many locks', 'too_many_locks', 409],
  ])('answers the refusal of the node for %s', async (_, code, status) => {
    const app = appWith({ pay: async () => ({ ok: false, code }) });
    const answer = await call(app, pay({ amount: '25' }));
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });

  it('never repeats a secret in an error', async () => {
    const near = SECRET.slice(0, -1);
    const bodies = [{ secret: near }, { secret_hash: near }, { identifier: near }, { path: near }];
    for (const fields of bodies) {
      const answer = await call(appWith(), pay({ amount: '1', ...fields }));
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain('5e5e');
    }
  });
});
