import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import { createApp } from '../../../src/http/app.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { appWith, call } from './client.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const CONNECTION = `/connections/${TOKEN}`;

describe('connections', () => {
  it('are listed by token, their numbers as strings', async () => {
    const { status, body } = await call(appWith(), { path: '/connections' });
    expect(status).toBe(200);
    expect(body).toEqual({ [TOKEN]: { sum_deposits: '1000', channels: '2' } });
  });

  it('are an empty object when there are none', async () => {
    const app = appWith({ connections: () => [] });
    expect((await call(app, { path: '/connections' })).body).toEqual({});
  });
});

describe('joining a token network', () => {
  it.each([['5000'], [5000]])('passes the funds %j on and lists what was opened', async (funds) => {
    const node = fakeNode();
    const request = { method: 'PUT', path: CONNECTION, json: { funds } };
    const answer = await call(createApp({ node }), request);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject([{ partner_address: PARTNER, state: 'opened' }]);
    expect(node.asked).toEqual([['join', TOKEN, 5_000n]]);
  });

  it.each<[string, string, unknown, number]>([
    ['without funds', TOKEN, {}, 400],
    ['with funds of null', TOKEN, { funds: null }, 400],
    ['with an unknown field', TOKEN, { funds: '1', initial_channel_target: 3 }, 400],
    ['with a list as its body', TOKEN, ['5000'], 400],
    ['with funds of zero', TOKEN, { funds: '0' }, 409],
    ['with negative funds', TOKEN, { funds: -1 }, 409],
    ['with funds above 2^256 - 1', TOKEN, { funds: String(MAX_UINT256 + 1n) }, 409],
    ['for the zero token', ZERO_ADDRESS, { funds: '1' }, 409],
    ['for a token in lower case', TOKEN.toLowerCase(), { funds: '1' }, 404],
  ])('refuses a request %s', async (_, token, json, status) => {
    const node = fakeNode();
    const request = { method: 'PUT', path: `/connections/${token}`, json };
    const answer = await call(createApp({ node }), request);
    expect(answer).toMatchObject({ status, body: { errors: expect.anything() } });
    expect(node.asked).toEqual([]);
  });

  it.each<[Code, number]>([
    ['token_not_registered', 409],
    ['insufficient_balance', 402],
    ['insufficient_gas', 402],
    ['busy', 409],
  ])('answers %s of the node with %i', async (code, status) => {
    const app = appWith({ join: async () => ({ ok: false, code }) });
    const answer = await call(app, { method: 'PUT', path: CONNECTION, json: { funds: '1' } });
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });
});

describe('leaving a token network', () => {
  it.each([undefined, 'null', '{}', '{"broken'])('ignores the body %j', async (raw) => {
    const node = fakeNode();
    const body = raw === undefined ? {} : { raw };
    const request = { method: 'DELETE', path: CONNECTION, ...body };
    const answer = await call(createApp({ node }), request);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject([{ partner_address: PARTNER, state: 'closed' }]);
    expect(node.asked).toEqual([['leave', TOKEN]]);
  });

  it('lists nothing when there is no channel', async () => {
    const app = appWith({ leave: async () => ({ ok: true, value: [] }) });
    const { status, body } = await call(app, { method: 'DELETE', path: CONNECTION });
    expect({ status, body }).toEqual({ status: 200, body: [] });
  });

  it.each<[Code, number]>([
    ['unknown_token', 404],
    ['insufficient_gas', 402],
    ['transaction_failed', 409],
  ])('answers %s of the node with %i', async (code, status) => {
    const app = appWith({ leave: async () => ({ ok: false, code }) });
    const answer = await call(app, { method: 'DELETE', path: CONNECTION });
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });
});
