import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { type ClientOptions, createClient } from '../../src/client/client.ts';
import type { NodeApi } from '../../src/node/api/api.ts';
import { appWith } from './http/client.ts';
import { fakeNode, NETWORK, PARTNER, TOKEN, UNREGISTERED } from './http/fake-node.ts';

/** A client of an application without a network. */
function clientOf(changes: Partial<NodeApi> = {}) {
  const app = appWith(changes);
  return createClient('http://localhost:5001', {
    fetch: async (input, init) => app.request(input, init),
  });
}

type Sent = { url: string; method: string | undefined; authorization: string | null };

/** A client whose requests are only noted. */
function notedClient(options: Omit<ClientOptions, 'fetch'> = {}, url = 'http://localhost:5001') {
  const sent: Sent[] = [];
  const client = createClient(url, {
    ...options,
    async fetch(input, init) {
      const authorization = new Headers(init?.headers).get('authorization');
      sent.push({ url: String(input), method: init?.method, authorization });
      return new Response('[]');
    },
  });
  return { client, sent };
}

const of = { token: TOKEN, partner: PARTNER };

describe('the client', () => {
  it('reads like the paths, and types the answer by its status', async () => {
    const channel = clientOf().channels[':token'][':partner'];
    const answer = await channel.$patch({ param: of, json: { total_deposit: '1' } });
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    const body = await answer.json();
    expectTypeOf(body.partner_address).toEqualTypeOf<Address>();
    expectTypeOf(body.state).toEqualTypeOf<'opened' | 'closed' | 'settled'>();
    expect(body).toMatchObject({ partner_address: PARTNER, total_deposit: '1' });
  });

  it('types a refusal by its status', async () => {
    const answer = await clientOf().tokens[':token'].$get({ param: { token: UNREGISTERED } });
    expectTypeOf(answer.status).toEqualTypeOf<200 | 401 | 403 | 404 | 500 | 503>();
    if (answer.status !== 404) throw new Error(`answered ${answer.status}`);
    const body = await answer.json();
    expectTypeOf(body.errors).toEqualTypeOf<string | { [field: string]: string[] }>();
    expect(body.errors).toBe('There is no token network for the token.');
  });

  it('takes amounts as text or numbers and every optional field left out', async () => {
    const node = fakeNode();
    const client = clientOf({ pay: node.pay, openChannel: node.openChannel });
    const paid = await client.payments[':token'][':partner'].$post({
      param: of,
      json: { amount: 5, paths: [{ route: [PARTNER], address_metadata: {} }] },
    });
    const addresses = { token_address: TOKEN, partner_address: PARTNER };
    const opened = await client.channels.$put({ json: { ...addresses, total_deposit: '1000' } });
    expect([paid.status, opened.status]).toEqual([200, 201]);
    expect(node.asked).toMatchObject([
      ['pay', { amount: 5n, routes: [{ route: [PARTNER], fee: null }] }],
      ['openChannel', { totalDeposit: 1_000n }],
    ]);
  });

  it('reaches endpoints without a request', async () => {
    const client = clientOf();
    expect(await (await client.tokens.$get()).json()).toEqual([TOKEN]);
    expect(await (await client.status.$get()).json()).toEqual({ status: 'ready' });
    const network = await client.tokens[':token'].$put({ param: { token: UNREGISTERED } });
    expect(await network.json()).toEqual({ token_network_address: NETWORK });
  });

  it('refuses to compile what the API would refuse by its shape', () => {
    const { client } = notedClient();
    const pay = client.payments[':token'][':partner'].$post;
    const wrong = [
      // @ts-expect-error a field that nobody knows
      () => pay({ param: of, json: { amount: '1', amont: '1' } }),
      // @ts-expect-error no amount
      () => pay({ param: of, json: {} }),
      // @ts-expect-error no partner
      () => pay({ param: { token: TOKEN }, json: { amount: '1' } }),
      // @ts-expect-error a method that the path does not have
      () => client.tokens.$post(),
      // @ts-expect-error a query that nobody knows
      () => client.payments.$get({ query: { page: '1' } }),
    ];
    expect(wrong).toHaveLength(5);
  });

  it('sends the query and the token, below the version', async () => {
    const { client, sent } = notedClient({ token: 'a-token' }, 'http://node.example:5001/');
    await client.payments[':token'].$get({ param: { token: TOKEN }, query: { limit: '2' } });
    expect(sent).toEqual([
      {
        url: `http://node.example:5001/api/v1/payments/${TOKEN}?limit=2`,
        method: 'GET',
        authorization: 'Bearer a-token',
      },
    ]);
  });

  it('sends no token when it has none', async () => {
    const { client, sent } = notedClient();
    await client.shutdown.$post();
    expect(sent).toMatchObject([{ method: 'POST', authorization: null }]);
  });
});
