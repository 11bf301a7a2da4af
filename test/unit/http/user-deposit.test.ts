import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { appWith, call } from './client.ts';
import { fakeNode, HASH, PARTNER } from './fake-node.ts';

const POST = { method: 'POST', path: '/user_deposit' };
const withContract: Partial<NodeApi> = {
  contracts: { ...fakeNode().contracts, userDepositAddress: PARTNER },
};

describe('the user deposit', () => {
  it.each<[string, object, unknown, unknown[]]>([
    [
      'is paid into',
      { total_deposit: '500' },
      { transaction_hash: HASH },
      ['depositToUserDeposit', 500n],
    ],
    [
      'plans a withdrawal, its block a JSON number',
      { planned_withdraw_amount: 5 },
      { transaction_hash: HASH, planned_withdraw_block_number: 4_270_033 },
      ['planUserDepositWithdraw', 5n],
    ],
    [
      'is withdrawn from',
      { withdraw_amount: '5', total_deposit: null },
      { transaction_hash: HASH },
      ['withdrawUserDeposit', 5n],
    ],
  ])('%s', async (_, json, body, asked) => {
    const node = fakeNode(withContract);
    const answer = await call(createApp({ node }), { ...POST, json });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(body);
    expect(node.asked).toEqual([asked]);
  });

  it.each<[string, object, number]>([
    ['without any field', {}, 400],
    ['with two fields', { total_deposit: '1', withdraw_amount: '1' }, 400],
    ['with an unknown field', { total_deposit: '1', more: '1' }, 400],
    ['with a fraction', { total_deposit: '1.5' }, 400],
    ['with a deposit of zero', { total_deposit: '0' }, 409],
    ['with a negative plan', { planned_withdraw_amount: '-1' }, 409],
    ['with more than 2^256 - 1', { withdraw_amount: String(MAX_UINT256 + 1n) }, 409],
  ])('refuses a request %s', async (_, json, status) => {
    const node = fakeNode(withContract);
    const answer = await call(createApp({ node }), { ...POST, json });
    expect(answer).toMatchObject({ status, body: { errors: expect.anything() } });
    expect(node.asked).toEqual([]);
  });

  it('says of zero from which amount on an order is good', async () => {
    const answer = await call(appWith(withContract), { ...POST, json: { total_deposit: '0' } });
    expect(JSON.stringify(answer.body)).toContain('It must be from 1 to 2^256 - 1.');
  });

  it('names a missing contract after a wrong shape and before a wrong value', async () => {
    const app = appWith();
    expect((await call(app, { ...POST, json: {} })).status).toBe(400);
    expect((await call(app, { ...POST, json: { total_deposit: '-1' } })).status).toBe(404);
  });

  it.each<[Code, number]>([
    ['no_user_deposit', 404],
    ['total_not_higher', 409],
    ['above_limit', 409],
    ['above_balance', 409],
    ['above_plan', 409],
    ['too_early', 409],
    ['insufficient_balance', 402],
    ['insufficient_gas', 402],
    ['transaction_failed', 409],
    ['chain_unavailable', 503],
  ])('answers %s of the node with %i', async (code, status) => {
    const refuse = async () => ({ ok: false as const, code });
    const app = appWith({
      ...withContract,
      depositToUserDeposit: refuse,
      planUserDepositWithdraw: refuse,
      withdrawUserDeposit: refuse,
    });
    for (const name of ['total_deposit', 'planned_withdraw_amount', 'withdraw_amount']) {
      const answer = await call(app, { ...POST, json: { [name]: '1' } });
      expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
    }
  });
});
