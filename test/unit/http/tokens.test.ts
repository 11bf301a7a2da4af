import { describe, expect, it } from 'vitest';
import type { Code } from '../../../src/protocol/codes.ts';
import { appWith, call } from './client.ts';
import { NETWORK, PARTNER, TOKEN, UNREGISTERED } from './fake-node.ts';

describe('tokens', () => {
  it('lists the registered tokens', async () => {
    expect(await call(appWith(), { path: '/tokens' })).toMatchObject({
      status: 200,
      body: [TOKEN],
    });
  });

  it('answers the token network as a JSON string', async () => {
    const answer = await call(appWith(), { path: `/tokens/${TOKEN}` });
    expect(answer).toMatchObject({ status: 200, body: NETWORK });
  });

  it('lists partners with links that lead to their channels', async () => {
    const app = appWith();
    const { body } = await call(app, { path: `/tokens/${TOKEN}/partners` });
    const channel = `/api/v1/channels/${TOKEN}/${PARTNER}`;
    expect(body).toEqual([{ partner_address: PARTNER, channel }]);
    const linked = await app.request(channel);
    expect(await linked.json()).toMatchObject({ partner_address: PARTNER, token_address: TOKEN });
  });

  it.each([
    ['the network', ''],
    ['the partners', '/partners'],
  ])('answers 404 for %s of an unregistered token', async (_, suffix) => {
    const answer = await call(appWith(), { path: `/tokens/${UNREGISTERED}${suffix}` });
    expect(answer).toMatchObject({ status: 404, body: { errors: expect.any(String) } });
  });

  it('registers a token, whatever the body', async () => {
    for (const raw of [undefined, 'null', '{}', '{"broken']) {
      const answer = await call(appWith(), {
        method: 'PUT',
        path: `/tokens/${UNREGISTERED}`,
        ...(raw === undefined ? {} : { raw }),
      });
      expect(answer).toMatchObject({ status: 201, body: { token_network_address: NETWORK } });
    }
  });

  it.each<[string, Code, number]>([
    ['on the main network', 'main_network', 501],
    ['that is no ERC-20', 'invalid_token', 409],
    ['that is registered', 'token_registered', 409],
    ['above the maximum', 'token_network_limit', 403],
    ['without gas money', 'insufficient_gas', 402],
    ['whose transaction fails', 'transaction_failed', 409],
  ])('refuses to register a token %s', async (_, code, status) => {
    const app = appWith({ registerToken: async () => ({ ok: false, code }) });
    const answer = await call(app, { method: 'PUT', path: `/tokens/${UNREGISTERED}` });
    expect(answer).toMatchObject({ status, body: { errors: expect.any(String) } });
  });
});
