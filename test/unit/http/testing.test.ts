import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import { createApp } from '../../../src/http/app.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { appWith, call } from './client.ts';
import { fakeNode, HASH, PARTNER, TOKEN } from './fake-node.ts';

const POST = { method: 'POST', path: `/_testing/tokens/${TOKEN}/mint` };

describe('minting', () => {
  it.each([
    ['1', 1n],
    [String(MAX_UINT256), MAX_UINT256],
    [1_000, 1_000n],
  ])('passes receiver and value %j on', async (value, expected) => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), { ...POST, json: { to: PARTNER, value } });
    expect(answer).toMatchObject({ status: 200, body: { transaction_hash: HASH } });
    expect(node.asked).toEqual([['mint', TOKEN, PARTNER, expected]]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['without receiver', { to: undefined }, 'to'],
    ['for a receiver in lower case', { to: PARTNER.toLowerCase() }, 'to'],
    ['for the zero address', { to: ZERO_ADDRESS }, 'to'],
    ['without value', { value: undefined }, 'value'],
    ['of zero', { value: '0' }, 'value'],
    ['of a negative value', { value: '-5' }, 'value'],
    ['above 2^256 - 1', { value: String(MAX_UINT256 + 1n) }, 'value'],
    ['of a fraction', { value: 1.5 }, 'value'],
    ['with an unknown field', { contract_method: 'mint' }, 'contract_method'],
  ])('refuses a request %s, also on the main network', async (_, fields, name) => {
    const node = fakeNode({ mint: async () => ({ ok: false, code: 'main_network' }) });
    const json = { to: PARTNER, value: '1', ...fields };
    const answer = await call(createApp({ node }), { ...POST, json });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: { [name]: [expect.any(String)] } },
    });
  });

  it.each<[Code, number]>([
    ['main_network', 501],
    ['mint_failed', 400],
    ['insufficient_gas', 402],
    ['chain_unavailable', 503],
  ])('answers %s of the node with %i', async (code, status) => {
    const app = appWith({ mint: async () => ({ ok: false, code }) });
    const answer = await call(app, { ...POST, json: { to: PARTNER, value: '1' } });
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });
});
