import { describe, expect, it } from 'vitest';
import type { NodeApi } from '../../../src/node/api/api.ts';
import type { PendingTransfer } from '../../../src/node/runtime/actors/parties.ts';
import { appWith, call } from './client.ts';
import { NETWORK, OWN, PARTNER, STRANGER, TOKEN } from './fake-node.ts';

const TRANSFER: PendingTransfer = {
  channelId: 7n,
  token: TOKEN,
  tokenNetwork: NETWORK,
  initiator: OWN,
  target: STRANGER,
  lockedAmount: 25n,
  transferredAmount: 75n,
  paymentId: 2n ** 64n - 1n,
  role: 'initiator',
};

describe('pending transfers', () => {
  it('have the documented fields, all strings', async () => {
    const app = appWith({ pendingTransferSlices: () => ({ ok: true, value: [[TRANSFER]] }) });
    const { status, body } = await call(app, { path: '/pending_transfers' });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        channel_identifier: '7',
        initiator: OWN,
        target: STRANGER,
        locked_amount: '25',
        transferred_amount: '75',
        payment_identifier: '18446744073709551615',
        role: 'initiator',
        token_address: TOKEN,
        token_network_address: NETWORK,
      },
    ]);
  });

  it.each([
    ['', { token: null, partner: null }],
    [`/${TOKEN}`, { token: TOKEN, partner: null }],
    [`/${TOKEN}/${PARTNER}`, { token: TOKEN, partner: PARTNER }],
  ])('are filtered by what follows in the URL: "%s"', async (suffix, expected) => {
    const asked: Parameters<NodeApi['pendingTransferSlices']>[0][] = [];
    const app = appWith({
      pendingTransferSlices(filter) {
        asked.push(filter);
        return { ok: true, value: [] };
      },
    });
    expect((await call(app, { path: `/pending_transfers${suffix}` })).body).toEqual([]);
    expect(asked).toEqual([expected]);
  });

  it.each(['unknown_token', 'unknown_channel'] as const)('answer 404 for %s', async (code) => {
    const app = appWith({ pendingTransferSlices: () => ({ ok: false, code }) });
    const answer = await call(app, { path: `/pending_transfers/${TOKEN}/${PARTNER}` });
    expect(answer).toMatchObject({ status: 404, body: { errors: expect.any(String) } });
  });
});
