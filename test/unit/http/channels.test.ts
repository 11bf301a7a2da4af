import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import { createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { appWith, call } from './client.ts';
import {
  channelView,
  fakeNode,
  NETWORK,
  OWN,
  PARTNER,
  STRANGER,
  TOKEN,
  UNREGISTERED,
} from './fake-node.ts';

const OBJECT = {
  channel_identifier: '7',
  token_network_address: NETWORK,
  partner_address: PARTNER,
  token_address: TOKEN,
  balance: '900',
  total_deposit: '1000',
  total_withdraw: '0',
  state: 'opened',
  settle_timeout: '500',
  reveal_timeout: '50',
  network_state: 'reachable',
};
const CHANNEL = `/channels/${TOKEN}/${PARTNER}`;
const NEW = { token_address: TOKEN, partner_address: PARTNER };
const TOO_MUCH = String(MAX_UINT256 + 1n);

describe('reading channels', () => {
  it.each<[string, string, unknown]>([
    ['all channels', '/channels', [OBJECT]],
    ['the channels of a token', `/channels/${TOKEN}`, [OBJECT]],
    ['no channels of a token without any', `/channels/${UNREGISTERED}`, []],
    ['one channel with every field a string', CHANNEL, OBJECT],
  ])('answers %s', async (_, path, body) => {
    const answer = await call(appWith(), { path });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(body);
  });

  it('answers channels that are read in several slices as one list', async () => {
    const [one, two] = [
      { ...channelView(), channelId: 1n },
      { ...channelView(), channelId: 2n },
    ];
    const node: NodeApi = { ...fakeNode(), channelSlices: () => [[one], [], [two]] };
    const { body } = await call(createApp({ node }), { path: '/channels' });
    expect(body).toEqual(
      ['1', '2'].map((channel_identifier) => ({ ...OBJECT, channel_identifier })),
    );
  });

  it('answers 404 for a channel that does not exist', async () => {
    const answer = await call(appWith(), { path: `/channels/${TOKEN}/${STRANGER}` });
    expect(answer).toMatchObject({ status: 404, body: { errors: expect.any(String) } });
  });
});

describe('opening a channel', () => {
  it('passes all five fields on, as strings or integers', async () => {
    const node = fakeNode();
    const json = { ...NEW, total_deposit: '1000', settle_timeout: 500, reveal_timeout: '50' };
    const answer = await call(createApp({ node }), { method: 'PUT', path: '/channels', json });
    expect(answer).toMatchObject({ status: 201, body: { total_withdraw: '0', balance: '1000' } });
    expect(node.asked).toEqual([
      [
        'openChannel',
        {
          token: TOKEN,
          partner: PARTNER,
          totalDeposit: 1_000n,
          settleTimeout: 500n,
          revealTimeout: 50n,
        },
      ],
    ]);
  });

  it.each([
    ['absent', {}],
    ['null', { total_deposit: null, settle_timeout: null, reveal_timeout: null }],
  ])('leaves the defaults to the node when fields are %s', async (_, fields) => {
    const node = fakeNode();
    const json = { ...NEW, ...fields };
    await call(createApp({ node }), { method: 'PUT', path: '/channels', json });
    expect(node.asked).toMatchObject([
      ['openChannel', { totalDeposit: 0n, settleTimeout: null, revealTimeout: null }],
    ]);
  });

  it.each<[string, Record<string, unknown>, number]>([
    ['with itself', { partner_address: OWN }, 409],
    ['with the zero address', { partner_address: ZERO_ADDRESS }, 409],
    ['of the zero token', { token_address: ZERO_ADDRESS }, 409],
    ['with a negative deposit', { total_deposit: '-1' }, 409],
    ['with a deposit above 2^256 - 1', { total_deposit: TOO_MUCH }, 409],
    ['with a settle timeout of zero', { settle_timeout: '0' }, 409],
    ['with a negative reveal timeout', { reveal_timeout: -1 }, 409],
    ['with a lower-case partner', { partner_address: PARTNER.toLowerCase() }, 400],
    ['with a token that is a number', { token_address: 5 }, 400],
    ['with a deposit that is a fraction', { total_deposit: '1.5' }, 400],
    ['with an unknown field', { deposit: '5' }, 400],
    ['without partner', { partner_address: undefined }, 400],
  ])('refuses one %s', async (_, fields, status) => {
    const node = fakeNode();
    const json = { ...NEW, ...fields };
    const answer = await call(createApp({ node }), { method: 'PUT', path: '/channels', json });
    const [name] = Object.keys(fields);
    const errors = status === 400 ? { [name ?? '']: [expect.any(String)] } : expect.any(String);
    expect(answer).toMatchObject({ status, body: { errors } });
    expect(node.asked).toEqual([]);
  });

  it.each<[string, Code, number]>([
    ['of an unregistered token', 'token_not_registered', 409],
    ['that exists', 'channel_exists', 409],
    ['with a timeout outside the bounds', 'invalid_timeout', 409],
    ['with a deposit above the limit', 'above_limit', 409],
    ['with more than the own tokens', 'insufficient_balance', 402],
    ['without gas money', 'insufficient_gas', 402],
  ])('answers the refusal of the node for one %s', async (_, code, status) => {
    const app = appWith({ openChannel: async () => ({ ok: false, code, detail: 'Do better.' }) });
    const answer = await call(app, { method: 'PUT', path: '/channels', json: NEW });
    const errors = expect.stringMatching(/Do better\.$/);
    expect(answer).toMatchObject({ status, body: { errors } });
  });
});

describe('changing a channel', () => {
  it.each<[string, Record<string, unknown>, unknown[], Record<string, string>]>([
    ['closes it', { state: 'closed' }, ['close'], { state: 'closed' }],
    ['deposits', { total_deposit: '2000' }, ['deposit', 2_000n], { total_deposit: '2000' }],
    ['withdraws', { total_withdraw: 5 }, ['withdraw', 5n], { total_withdraw: '5' }],
    [
      'sets the reveal timeout',
      { reveal_timeout: '60' },
      ['setRevealTimeout', 60n],
      { reveal_timeout: '60' },
    ],
    [
      'takes null for an absent field',
      { total_deposit: 0, state: null },
      ['deposit', 0n],
      { total_deposit: '0' },
    ],
  ])('%s and answers the channel', async (_, json, [name, ...values], body) => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), { method: 'PATCH', path: CHANNEL, json });
    expect(answer).toMatchObject({ status: 200, body: { channel_identifier: '7', ...body } });
    expect(node.asked).toEqual([[name, TOKEN, PARTNER, ...values]]);
  });

  const closed: Partial<NodeApi> = { channel: () => channelView({ state: 'closed' }) };
  const missing: Partial<NodeApi> = { channel: () => null };
  it.each<[string, Record<string, unknown>, number, Partial<NodeApi>]>([
    ['nothing to do', {}, 400, {}],
    ['only nulls', { state: null, total_deposit: null }, 400, {}],
    ['another state than closed', { state: 'opened' }, 400, {}],
    ['a state and a wrong number', { state: 'closed', total_deposit: 'x' }, 400, {}],
    ['an unknown field', { status: 'closed' }, 400, {}],
    ['two purposes', { state: 'closed', total_deposit: '5' }, 409, {}],
    ['a deposit with a reveal timeout', { reveal_timeout: '5', total_deposit: '5' }, 409, {}],
    ['two purposes for a missing channel', { state: 'closed', total_deposit: '5' }, 409, missing],
    ['a wrong number for a missing channel', { total_deposit: 'x' }, 400, missing],
    ['a missing channel', { state: 'closed' }, 404, missing],
    ['a bad value for a missing channel', { total_deposit: '-5' }, 404, missing],
    ['closing a closed channel', { state: 'closed' }, 409, closed],
    ['a deposit into a closed channel', { total_deposit: '5' }, 409, closed],
    ['a negative deposit', { total_deposit: '-5' }, 409, {}],
    ['a deposit above 2^256 - 1', { total_deposit: TOO_MUCH }, 409, {}],
    ['a negative withdrawal', { total_withdraw: '-5' }, 409, {}],
    ['a reveal timeout of zero', { reveal_timeout: '0' }, 409, {}],
  ])('refuses %s', async (_, json, status, changes) => {
    const node = fakeNode(changes);
    const answer = await call(createApp({ node }), { method: 'PATCH', path: CHANNEL, json });
    expect(answer.status).toBe(status);
    expect(answer.body).toHaveProperty('errors');
    expect(node.asked).toEqual([]);
  });

  it('names the closed state before a bad value', async () => {
    const json = { total_deposit: '-5' };
    const answer = await call(appWith(closed), { method: 'PATCH', path: CHANNEL, json });
    expect(answer).toMatchObject({ status: 409, body: { code: 'channel_not_open' } });
  });

  it.each<[string, Code, number, keyof NodeApi, Record<string, unknown>]>([
    ['a lower deposit', 'total_not_higher', 409, 'deposit', { total_deposit: '1' }],
    ['a deposit above the limit', 'above_limit', 409, 'deposit', { total_deposit: '1' }],
    ['more than the own tokens', 'insufficient_balance', 402, 'deposit', { total_deposit: '1' }],
    ['a close without gas money', 'insufficient_gas', 402, 'close', { state: 'closed' }],
    [
      'a withdrawal without the partner',
      'partner_silent',
      409,
      'withdraw',
      { total_withdraw: '1' },
    ],
    ['a silent partner', 'partner_silent', 409, 'withdraw', { total_withdraw: '1' }],
    ['a too low timeout', 'invalid_timeout', 409, 'setRevealTimeout', { reveal_timeout: '1' }],
  ])('answers the refusal of the node for %s', async (_, code, status, name, json) => {
    const app = appWith({ [name]: async () => ({ ok: false, code }) });
    const answer = await call(app, { method: 'PATCH', path: CHANNEL, json });
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });
});
