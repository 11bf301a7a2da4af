import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { appWith, call } from './client.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const PATH = '/waiting_transactions';
const json = { token_address: TOKEN, partner_address: PARTNER };
const SHOWN = { transaction: 'settle', channel_identifier: '7', reason: 'not worth its gas' };

describe('transactions that are not sent now', () => {
  it('are listed with their channels and the reason', async () => {
    const answer = await call(appWith(), { path: PATH });
    expect(answer).toMatchObject({ status: 200, body: [{ ...SHOWN, ...json }] });
  });

  it('are ordered for the channels with a partner, and answered', async () => {
    const node = fakeNode();
    const answer = await call(createApp({ node }), { method: 'POST', path: PATH, json });
    expect(answer).toMatchObject({ status: 200, body: [{ ...SHOWN, ...json }] });
    expect(node.asked).toEqual([['orderWaiting', TOKEN, PARTNER]]);
  });

  it('are answered 404 where there is none', async () => {
    const app = appWith({ orderWaiting: async () => ({ ok: false, code: 'nothing_waits' }) });
    const answer = await call(app, { method: 'POST', path: PATH, json });
    expect(answer).toMatchObject({ status: 404, body: { outcome: 'not_begun' } });
  });
});
