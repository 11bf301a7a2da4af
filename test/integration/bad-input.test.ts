/** Every documented refusal that a request can earn, by a running node; none of them changes anything. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import type { Request } from '../support/api.ts';
import { startWorld, TOKENS, type World } from '../support/processes.ts';
import { KNOWN_SECRET, type Refusing, startRefusing, USED_SECRET } from '../support/refusals.ts';
import { until } from '../support/until.ts';

const TOO_MUCH = String(2n ** 256n);
const whole = (tokens: bigint) => String(tokens * TOKENS);

/** One that would be opened. */
const newChannel = {
  token_address: '{token}',
  partner_address: '{stranger}',
  settle_timeout: '40',
  reveal_timeout: '10',
};

let world: World;
let node: Refusing;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  node = await startRefusing(world);
});
afterAll(() => world?.stop());

const ask = (...request: Parameters<Refusing['ask']>) => node.ask(...request);
const expectRefused = (...refusal: Parameters<Refusing['expectRefused']>) =>
  node.expectRefused(...refusal);

type Case = [what: string, call: string, json: unknown, status: number];

describe('a URL or a method that does not exist', () => {
  it.each<Case>([
    ['an unknown path', 'GET /nothing', undefined, 404],
    ['a path below a resource', 'GET /channels/{token}/{bob}/more', undefined, 404],
    ['a token that is no address', 'GET /tokens/5', undefined, 404],
    ['a channel of a wrong token', 'GET /channels/0x1234', undefined, 404],
    ['a channel with a wrong partner', 'GET /channels/{token}/0x1234', undefined, 404],
    [
      'a change of a channel with a wrong partner',
      'PATCH /channels/{token}/x',
      { state: 'closed' },
      404,
    ],
    ['payments of a wrong token', 'GET /payments/x', undefined, 404],
    ['payments with a wrong partner', 'GET /payments/{token}/x', undefined, 404],
    ['a payment to a wrong target', 'POST /payments/{token}/x', { amount: '1' }, 404],
    ['a token without network', 'GET /tokens/{other}', undefined, 404],
    ['partners of a token without network', 'GET /tokens/{other}/partners', undefined, 404],
    ['a channel that does not exist', 'GET /channels/{token}/{stranger}', undefined, 404],
    ['a channel of another token', 'GET /channels/{other}/{bob}', undefined, 404],
    ['a change of no channel', 'PATCH /channels/{token}/{stranger}', { state: 'closed' }, 404],
    [
      'a deposit into no channel',
      'PATCH /channels/{token}/{stranger}',
      { total_deposit: '5' },
      404,
    ],
    ['a wrong method on tokens', 'DELETE /tokens', undefined, 405],
    ['a wrong method on a token', 'POST /tokens/{token}', undefined, 405],
    ['a wrong method on channels', 'PATCH /channels', { state: 'closed' }, 405],
    ['a wrong method on a channel', 'DELETE /channels/{token}/{bob}', undefined, 405],
    ['a wrong method on payments', 'PUT /payments', { amount: '1' }, 405],
    ['a wrong method on the address', 'POST /address', {}, 405],
    ['a shutdown that is only looked at', 'GET /shutdown', undefined, 405],
  ])('is refused: %s', async (_, call, json, status) => {
    const headers = await expectRefused(ask(call, json), status);
    expect(headers.has('allow')).toBe(status === 405);
  });

  it('is refused for an address in lower case, wherever it stands', async () => {
    const token = world.token.toLowerCase();
    for (const path of [`/tokens/${token}`, `/channels/${token}`, `/payments/${token}`])
      await expectRefused(ask(`GET ${path}`), 404);
  });
});

describe('a body or a query of the wrong shape', () => {
  it.each<Case>([
    ['a channel without partner', 'PUT /channels', { token_address: '{token}' }, 400],
    ['a channel without token', 'PUT /channels', { partner_address: '{stranger}' }, 400],
    ['a field that nobody knows', 'PUT /channels', { ...newChannel, deposit: '1' }, 400],
    ['a partner that is no address', 'PUT /channels', { ...newChannel, partner_address: '5' }, 400],
    ['a deposit that is a fraction', 'PUT /channels', { ...newChannel, total_deposit: '1.5' }, 400],
    ['a deposit with an exponent', 'PUT /channels', { ...newChannel, total_deposit: '1e3' }, 400],
    ['a deposit in hex', 'PUT /channels', { ...newChannel, total_deposit: '0x10' }, 400],
    ['an empty timeout', 'PUT /channels', { ...newChannel, settle_timeout: '' }, 400],
    ['a timeout that is true', 'PUT /channels', { ...newChannel, reveal_timeout: true }, 400],
    ['a list', 'PUT /channels', [newChannel], 400],
    ['a change of nothing', 'PATCH /channels/{token}/{bob}', {}, 400],
    ['a state other than closed', 'PATCH /channels/{token}/{bob}', { state: 'settled' }, 400],
    ['a payment without amount', 'POST /payments/{token}/{bob}', {}, 400],
    ['an amount with blanks', 'POST /payments/{token}/{bob}', { amount: ' 1' }, 400],
    ['a short secret', 'POST /payments/{token}/{bob}', { amount: '1', secret: '0x12' }, 400],
    ['paths that are no list', 'POST /payments/{token}/{bob}', { amount: '1', paths: {} }, 400],
    ['a negative limit', 'GET /payments?limit=-1', undefined, 400],
    ['an offset that is no number', 'GET /payments?offset=x', undefined, 400],
    ['a query that nobody knows', 'GET /payments?page=2', undefined, 400],
  ])('is refused: %s', async (_, call, json, status) => {
    await expectRefused(ask(call, json), status);
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  it.each<[string, Partial<Request>, number]>([
    ['broken JSON', { raw: '{"amount":' }, 400],
    ['no body', {}, 400],
    ['an empty body', { raw: '' }, 400],
    ['null', { raw: 'null' }, 400],
    ['deep JSON', { raw: '['.repeat(10_000) }, 400],
    ['__proto__', { raw: '{"amount":"1","__proto__":{"amount":"2"}}' }, 400],
    ['a number of a million digits', { raw: `{"amount":${'9'.repeat(60_000)}}` }, 409],
    ['text', { raw: '{"amount":"1"}', headers: { 'content-type': 'text/plain' } }, 415],
    ['packed JSON', { raw: '{}', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }, 415],
    ['a large body', { raw: `{"amount":"${'0'.repeat(70_000)}"}` }, 413],
  ])('is refused: %s', async (_, request, status) => {
    await expectRefused(ask('POST /payments/{token}/{bob}', undefined, request), status);
  });
});

describe('a new channel that cannot be opened', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['with a partner there is a channel with', { partner_address: '{bob}' }, 409],
    ['with a partner there is a closed channel with', { partner_address: '{closed}' }, 409],
    ['with itself', { partner_address: '{alice}' }, 409],
    ['with the zero address', { partner_address: '{zero}' }, 409],
    ['of the zero token', { token_address: '{zero}' }, 409],
    ['of a token without network', { token_address: '{other}' }, 409],
    ['of something that is no token', { token_address: '{contract}' }, 409],
    ['with a settle timeout below the bound', { settle_timeout: '9', reveal_timeout: '1' }, 409],
    ['with a settle timeout above the bound', { settle_timeout: '100001' }, 409],
    ['with a settle timeout below two reveal timeouts', { settle_timeout: '19' }, 409],
    ['with a settle timeout of zero', { settle_timeout: '0' }, 409],
    ['with a reveal timeout of zero', { reveal_timeout: '0' }, 409],
    ['with a negative reveal timeout', { reveal_timeout: -1 }, 409],
    ['with a timeout above 2^256', { settle_timeout: TOO_MUCH }, 409],
    ['with a negative deposit', { total_deposit: '-1' }, 409],
    ['with a deposit above 2^256 - 1', { total_deposit: TOO_MUCH }, 409],
    ['with a deposit above the limit', { total_deposit: whole(1_001n) }, 409],
    ['with more tokens than it owns', { total_deposit: whole(700n) }, 402],
  ])('is refused: %s', async (_, fields, status) => {
    await expectRefused(ask('PUT /channels', { ...newChannel, ...fields }), status);
  });
});

describe('a change of a channel that cannot be made', () => {
  it.each<[string, Record<string, unknown>, number, string?]>([
    ['two things at once', { state: 'closed', total_deposit: '1' }, 409],
    ['a deposit and a reveal timeout', { reveal_timeout: '5', total_deposit: '1' }, 409],
    ['a lower deposit', { total_deposit: whole(59n) }, 409],
    ['a deposit of nothing', { total_deposit: '0' }, 409],
    ['a negative deposit', { total_deposit: '-1' }, 409],
    ['a deposit above 2^256 - 1', { total_deposit: TOO_MUCH }, 409],
    ['a deposit above the limit', { total_deposit: whole(1_001n) }, 409],
    ['more tokens than it owns', { total_deposit: whole(700n) }, 402],
    ['a reveal timeout of zero', { reveal_timeout: '0' }, 409],
    ['a reveal timeout above half the settle timeout', { reveal_timeout: '21' }, 409],
    ['closing what is closed', { state: 'closed' }, 409, '{closed}'],
    ['a deposit into what is closed', { total_deposit: '200' }, 409, '{closed}'],
    ['a reveal timeout of what is closed', { reveal_timeout: '5' }, 409, '{closed}'],
  ])('is refused: %s', async (_, json, status, partner = '{bob}') => {
    await expectRefused(ask(`PATCH /channels/{token}/${partner}`, json), status);
  });
});

const ROUTE = { route: ['{alice}', '{bob}'], address_metadata: {} };

describe('a payment that cannot be made', () => {
  it.each<[string, Record<string, unknown>, number, string?]>([
    ['of nothing', { amount: '0' }, 409],
    ['of less than nothing', { amount: '-1' }, 409],
    ['of more than 2^256 - 1', { amount: TOO_MUCH }, 409],
    ['of more than the channel has', { amount: whole(60n) }, 402],
    ['to itself', {}, 409, '{token}/{alice}'],
    ['to the zero address', {}, 409, '{token}/{zero}'],
    ['of a token without network', {}, 409, '{other}/{bob}'],
    ['of the zero token', {}, 409, '{zero}/{bob}'],
    ['with the identifier zero', { identifier: '0' }, 409],
    ['with a negative identifier', { identifier: -1 }, 409],
    ['with an identifier above 2^64 - 1', { identifier: String(2n ** 64n) }, 409],
    ['with a hash but no secret', { secret_hash: ZERO_HASH }, 409],
    [
      'with the hash of another secret',
      { secret: `0x${'11'.repeat(32)}`, secret_hash: ZERO_HASH },
      409,
    ],
    ['with a secret of zeros', { secret: ZERO_HASH }, 409],
    ['with a secret that a payment used', { secret: USED_SECRET }, 409],
    ['with a secret that is on chain', { secret: KNOWN_SECRET }, 409],
    ['with two kinds of paths', { path: [ROUTE], paths: [ROUTE] }, 409],
    ['with a lock timeout of zero', { lock_timeout: '0' }, 409],
  ])('is refused: %s', async (_, fields, status, to = '{token}/{bob}') => {
    await expectRefused(ask(`POST /payments/${to}`, { amount: '5', ...fields }), status);
  });

  // These get further, and leave a failure in the history.
  it.each<[string, Record<string, unknown>, string?]>([
    ['to a node without a channel', {}, '{token}/{stranger}'],
    ['to a partner that is not there', {}, '{token}/{absent}'],
    ['through a channel that is closed', {}, '{token}/{closed}'],
    ['on a path to somebody else', { paths: [{ ...ROUTE, route: ['{alice}', '{absent}'] }] }],
    ['on no path at all', { paths: [] }],
    ['with a lock timeout not above the reveal timeout', { lock_timeout: '10' }],
    ['with a lock timeout above the settle timeout', { lock_timeout: '41' }],
  ])('fails: %s', async (_, fields, to = '{token}/{bob}') => {
    const payment = ask(`POST /payments/${to}`, { amount: '5', ...fields });
    await expectRefused(payment, 409, 1);
    const [last] = (await node.pair.nodes.alice.api.history()).slice(-1);
    const target = node.filled(to).split('/')[1];
    const reason = expect.stringMatching(/\S/);
    expect(last).toMatchObject({ event: 'EventPaymentSentFailed', target, reason });
  });
});

describe('a token that cannot be registered', () => {
  it.each([
    ['the zero address', '{zero}'],
    ['an account', '{stranger}'],
    ['a contract that is no token', '{contract}'],
    ['a registered token', '{token}'],
  ])('is refused: %s', async (_, token) => {
    await expectRefused(ask(`PUT /tokens/${token}`), 409);
  });
});

describe('a web page', () => {
  it.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:3000' }],
    ['without an origin of its own', { origin: 'null' }],
    ['by its fetch metadata', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused: %s', async (_, headers) => {
    for (const call of ['POST /shutdown', 'GET /tokens', 'GET /nothing'])
      await expectRefused(ask(call, undefined, { headers }), 403);
  });
});

describe('a foreign host name that points to this machine', () => {
  it.each(['evil.example', '127.0.0.1.evil.example', '192.168.0.1'])(
    'is refused: %s',
    async (host) => {
      for (const [method, path] of [
        ['POST', '/shutdown'],
        ['GET', '/tokens'],
      ] as const)
        expect(await statusFor(host, method, path)).toBe(403);
      expect(await statusFor('localhost', 'GET', '/tokens')).toBe(200);
    },
  );
});

/** The status of a request with this `Host`, which `fetch` would not send. */
function statusFor(host: string, method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const url = `${node.pair.nodes.alice.api.url}/api/v1${path}`;
    request(url, { method, headers: { host } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

describe('the node', () => {
  it('still pays after all of this', async () => {
    expect((await node.pair.pay('alice', 5n)).status).toBe(200);
    await until(node.pair.isQuiet, 'the payment is over');
  });
});
