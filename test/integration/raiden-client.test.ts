/**
 * A client of the Raiden API that knows nothing of this node: it speaks HTTP as those clients do, and every
 * expectation here is one of theirs.
 */
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const ORIGIN = 'http://wallet.example:8080';
const JSON_TYPE = { 'content-type': 'application/json' };

let world: World;
let partner: NodeProcess;
let base: string;
let token: string;
let alice: string;
let bob: string;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const options = {
    'api-address': `127.0.0.1:${port}`,
    rpccorsdomain: ORIGIN,
    'api-hosts': 'node.example',
  };
  const [node, other] = await Promise.all([world.start('alice', { options }), world.start('bob')]);
  [alice, bob, partner] = [node.address, other.address, other];
  token = world.token;
  await world.fund(node.address, 10_000n);
  await world.fund(other.address, 10_000n);
});
afterAll(() => world?.stop());

type Called = { status: number; body: unknown };

/** As the helper of a client: JSON in, JSON out, and the same headers on every call. */
async function call(method: string, path: string, body?: string): Promise<Called> {
  const response = await fetch(path.startsWith('/api') ? base + path : `${base}/api/v1${path}`, {
    method,
    headers: { accept: 'application/json, text/plain, */*', ...JSON_TYPE },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.json() };
}
const get = async (path: string): Promise<unknown> => {
  const { status, body } = await call('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const change = (method: string, path: string, body: unknown) =>
  world.whileMining(call(method, path, JSON.stringify(body)));
const channelPath = () => `/channels/${token}/${bob}`;

const digits = v.pipe(v.string(), v.regex(/^\d+$/));
/** What a client reads of a channel, whoever is online: numbers in strings, all of them in every answer. */
const channelShape = v.object({
  channel_identifier: digits,
  token_network_address: v.string(),
  partner_address: v.string(),
  token_address: v.string(),
  balance: digits,
  total_deposit: digits,
  total_withdraw: digits,
  state: v.picklist(['opened', 'closed', 'settled']),
  settle_timeout: digits,
  reveal_timeout: digits,
});
const eventShape = v.looseObject({ event: v.string(), log_time: v.string() });

describe('a client of the Raiden API', () => {
  it('finds out with whom it speaks', async () => {
    expect(await get('/address')).toEqual({ our_address: alice });
    expect(await get('/version')).toEqual({ version: expect.any(String) });
    expect(await get('/status')).toEqual({ status: 'ready' });
    expect(await get('/tokens')).toEqual([token]);
    expect(await get(`/tokens/${token}`)).toBe(world.tokenNetwork);
    expect(await get('/channels')).toEqual([]);
    expect(await get('/pending_transfers')).toEqual([]);
    expect(await get('/notifications')).toEqual(expect.any(Array));
  });

  it('opens a channel without naming a reveal timeout', async () => {
    const { status, body } = await change('PUT', '/channels', {
      partner_address: bob,
      token_address: token,
      total_deposit: '1000',
      settle_timeout: '40',
    });
    expect(status).toBe(201);
    expect(v.parse(channelShape, body)).toEqual({
      channel_identifier: '1',
      token_network_address: world.tokenNetwork,
      partner_address: bob,
      token_address: token,
      balance: '1000',
      total_deposit: '1000',
      total_withdraw: '0',
      state: 'opened',
      settle_timeout: '40',
      reveal_timeout: '10',
    });
  });

  it('sees the same channel in every list, timeouts included', async () => {
    const channel = v.parse(channelShape, await get(channelPath()));
    const list = v.array(channelShape);
    expect(v.parse(list, await get('/channels'))).toEqual([channel]);
    expect(v.parse(list, await get(`/channels/${token}`))).toEqual([channel]);
    const links = v.parse(
      v.array(v.object({ partner_address: v.string(), channel: v.string() })),
      await get(`/tokens/${token}/partners`),
    );
    expect(links.map((link) => link.partner_address)).toEqual([bob]);
    expect(v.parse(channelShape, await get(links[0]?.channel ?? ''))).toEqual(channel);
  });

  it('raises the deposit, and may repeat the request', async () => {
    const raise = async (total: string | number) => {
      const { status, body } = await change('PATCH', channelPath(), { total_deposit: total });
      expect(status).toBe(200);
      return v.parse(channelShape, body);
    };
    const raised = await raise('1500');
    expect(raised.total_deposit).toBe('1500');
    expect(await raise('1500')).toEqual(raised);
    // A number in place of the string, as a client in a script writes it.
    expect(await raise(1500)).toEqual(raised);
  });

  it.each([
    ['as a number', '7', '7'],
    ['beyond 2^53 as a number', '9007199254740993', '9007199254740993'],
    ['as a string', '"18446744073709551615"', '18446744073709551615'],
  ])('pays with an identifier %s', async (_, written, identifier) => {
    const body = `{"amount":"10","identifier":${written}}`;
    const paid = await call('POST', `/payments/${token}/${bob}`, body);
    expect(paid).toEqual({
      status: 200,
      body: {
        initiator_address: alice,
        target_address: bob,
        token_address: token,
        amount: '10',
        identifier,
        secret: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        secret_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    });
  });

  it('polls the history from its last offset, and never sees an older entry move', async () => {
    const known: unknown[] = [];
    const poll = async () => {
      const news = v.parse(v.array(eventShape), await get(`/payments?offset=${known.length}`));
      known.push(...news);
      return news;
    };
    expect(await poll()).toHaveLength(3);
    expect(await poll()).toEqual([]);
    for (const amount of ['11', '12']) {
      expect((await change('POST', `/payments/${token}/${bob}`, { amount })).status).toBe(200);
      expect(await poll()).toMatchObject([{ event: 'EventPaymentSentSuccess', amount }]);
    }
    expect(await get('/payments')).toEqual(known);
    expect(await get(`/payments/${token}`)).toEqual(known);
    expect(await get(`/payments/${token}/${bob}`)).toEqual(known);
    expect(await get('/payments?limit=2&offset=1')).toEqual(known.slice(1, 3));
  });

  it('reads times without a zone, which are UTC', async () => {
    const events = v.parse(v.array(eventShape), await get('/payments'));
    const times = events.map(({ log_time }) => {
      expect(log_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
      return Date.parse(`${log_time}Z`);
    });
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(Math.abs(Date.now() - (times.at(-1) ?? 0))).toBeLessThan(600_000);
  });

  it('finds its payments among the events of the channel', async () => {
    const events = await get(`/events/channels/${token}/${bob}?from_block=0`);
    const payments = v
      .parse(v.array(v.looseObject({ event: v.string() })), events)
      .filter(({ event }) => event === 'EventPaymentSentSuccess');
    expect(payments).toHaveLength(5);
    expect(payments[0]).toMatchObject({
      amount: '10',
      identifier: '7',
      target: bob,
      block_number: expect.anything(),
    });
  });

  it.each<[string, string, () => string, string | undefined, number]>([
    ['a channel that is not there', 'GET', () => `/channels/${token}/${alice}`, undefined, 404],
    ['a token without network', 'GET', () => `/tokens/${alice}`, undefined, 404],
    ['an address that is none', 'GET', () => '/channels/0x12', undefined, 404],
    ['an endpoint that is not there', 'GET', () => '/nothing', undefined, 404],
    [
      'a payment beyond its means',
      'POST',
      () => `/payments/${token}/${bob}`,
      '{"amount":"5000"}',
      402,
    ],
    ['a payment of nothing', 'POST', () => `/payments/${token}/${bob}`, '{"amount":"0"}', 409],
    ['a body that is no JSON', 'POST', () => `/payments/${token}/${bob}`, '{"amount"', 400],
    ['a body without its fields', 'PUT', () => '/channels', '{}', 400],
    ['a lower deposit', 'PATCH', channelPath, '{"total_deposit":"1"}', 409],
  ])('is told in "errors" what is wrong with %s', async (_, method, path, sent, wanted) => {
    const { status, body } = await call(method, path(), sent);
    expect(status).toBe(wanted);
    const { errors } = v.parse(v.object({ errors: v.unknown() }), body);
    expect(messageOf(errors)).toMatch(/\w+\W+\w+/);
  });

  it('hears of a payment that it receives', async () => {
    const known = v.parse(v.array(eventShape), await get('/payments')).length;
    const paid = await partner.api.post(`/payments/${token}/${alice}`, {
      amount: '3',
      identifier: '99',
    });
    expect(paid.status).toBe(200);
    await until(async () => {
      const news = v.parse(v.array(eventShape), await get(`/payments?offset=${known}`));
      return news.length === 1;
    }, 'the payment is in the history');
    expect(await get(`/payments?offset=${known}`)).toEqual([
      {
        event: 'EventPaymentReceivedSuccess',
        amount: '3',
        initiator: bob,
        identifier: '99',
        log_time: expect.any(String),
        token_address: token,
      },
    ]);
  });
});

describe('a page of a named origin in a browser', () => {
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    fetch(`${base}/api/v1${path}`, {
      method,
      headers: { origin: ORIGIN, 'sec-fetch-site': 'cross-site', ...headers },
      ...(body === undefined ? {} : { body }),
    });

  it.each(['PUT', 'PATCH', 'POST', 'DELETE'])(
    'is let in by the preflight of a %s',
    async (method) => {
      const { status, headers } = await ask('OPTIONS', '/channels', {
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type',
      });
      expect([200, 204]).toContain(status);
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('access-control-allow-methods')).toContain(method);
      expect(headers.get('access-control-allow-headers')).toContain('content-type');
    },
  );

  it('may read what it is answered, refusals too', async () => {
    const read = await ask('GET', '/address', {});
    expect(await read.json()).toEqual({ our_address: alice });
    expect(read.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    const refused = await ask('PUT', '/channels', JSON_TYPE, '{}');
    expect(refused.status).toBe(400);
    expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(messageOf(Object(await refused.json()).errors)).toContain('partner_address');
  });

  it.each([
    ['that was named', 'node.example', 200],
    ['that was not', 'other.example', 403],
  ])('reaches the node under a host name %s', async (_, name, status) => {
    const raw = await openRaw(base);
    await raw.write(rawRequest('GET', '/address').replace('localhost', name));
    await until(() => raw.answers.length > 0, 'an answer');
    expect(raw.answers[0]?.status).toBe(status);
    raw.socket.destroy();
  });

  it('of another origin reads nothing', async () => {
    const read = await ask('GET', '/address', { origin: 'http://elsewhere.example' });
    expect(read.status).toBe(403);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a client of the Raiden API that wants its tokens back', () => {
  it('withdraws some of them from the open channel', async () => {
    const before = v.parse(channelShape, await get(channelPath()));
    const { status, body } = await change('PATCH', channelPath(), { total_withdraw: '100' });
    expect(status).toBe(200);
    const after = v.parse(channelShape, body);
    expect(after).toMatchObject({ state: 'opened', total_withdraw: '100' });
    expect(BigInt(after.balance)).toBe(BigInt(before.balance) - 100n);
    expect(await get(channelPath())).toMatchObject(after);
  });

  it('changes the reveal timeout, as a number too', async () => {
    const longer = await change('PATCH', channelPath(), { reveal_timeout: 12 });
    expect(longer).toMatchObject({ status: 200, body: { reveal_timeout: '12' } });
  });

  it('sees what it is connected to, and leaves with a DELETE whose body is null', async () => {
    const summary = { sum_deposits: '1500', channels: '1' };
    expect(await get('/connections')).toEqual({ [token]: summary });
    const { status, body } = await change('DELETE', `/connections/${token}`, null);
    expect(status).toBe(200);
    const [left, ...more] = v.parse(v.array(channelShape), body);
    expect(left).toMatchObject({ state: 'closed', partner_address: bob });
    expect(more).toEqual([]);
    expect(await get('/channels')).toEqual([]);
    expect(await get('/connections')).toEqual({});
  });
});

/** Makes one text of it, as clients do before they show it. */
function messageOf(errors: unknown): string {
  if (typeof errors === 'string') return errors;
  if (typeof errors !== 'object' || errors === null) throw new Error('no message in errors');
  return Object.entries(errors)
    .map(([field, messages]) => `${field}: ${String(messages)}`)
    .join('\n');
}
