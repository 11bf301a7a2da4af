import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import type { WalletFacts, WalletSource } from '../../../src/http/wallet.ts';
import type { NodeStatus } from '../../../src/node/api/api.ts';
import { walletFacts } from '../../support/wallet-facts.ts';
import { appWith } from './client.ts';
import { HISTORY } from './fake-node.ts';

const PAYER = 'p'.repeat(16);
const budget = { caller: 'payer', perDay: 20n };
const tokens = [{ token: PAYER, scope: 'pay', cap: 5n, budget }] as const;
const facts: WalletFacts = walletFacts();

type Given = {
  wallet?: WalletSource | null;
  options?: ApiOptions;
  headers?: Record<string, string>;
};

async function ask(
  path: string,
  { wallet = async () => facts, options = {}, headers = {} }: Given,
) {
  const status = (): NodeStatus => ({ status: 'syncing', blocksToSync: 7n });
  const response = await appWith({ status }, { ...options, wallet }).request(path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the wallet below /wallet/', () => {
  it('is not there unless it is wanted', async () => {
    for (const path of ['/wallet', '/wallet/', '/wallet/facts'])
      expect((await ask(path, { wallet: null })).status).toBe(404);
  });

  it('leads from its name without a slash to its page, which runs nothing from elsewhere', async () => {
    const moved = await ask('/wallet', {});
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'wallet/']);
    const { headers } = await ask('/wallet/', {});
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await ask('/wallet/assets/../index.html', {})).status).toBe(404);
  });

  it('tells the page of the node, and what the caller may do, also while the node syncs', async () => {
    const { status, text } = await ask('/wallet/facts', {});
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { ...facts, scope: 'admin', cap: null, perDay: null },
    ]);
    const paying = { authorization: `Bearer ${PAYER}` };
    const told = await ask('/wallet/facts', { options: { tokens }, headers: paying });
    expect(JSON.parse(told.text)).toMatchObject({ scope: 'pay', cap: '5', perDay: '20' });
    expect(told.text).not.toContain(PAYER);
  });

  it('tells nothing without a token where there are tokens, or to pages of other sites', async () => {
    expect((await ask('/wallet/facts', { options: { tokens } })).status).toBe(401);
    expect((await ask('/wallet/', { options: { tokens } })).status).not.toBe(401);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('/wallet/facts', { headers })).status).toBe(403);
  });

  it('answers only so many at a time: each takes a while, and payments wait for them', async () => {
    let read = () => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    const slow = async () => {
      await reading;
      return facts;
    };
    const app = appWith({}, { wallet: slow });
    const asked = Array.from({ length: 40 }, () => app.request('/wallet/facts'));
    const refused = app.request('/wallet/payments?offset=999999999&limit=1');
    expect((await refused).status).toBe(503);
    read();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect((await app.request('/wallet/facts')).status).toBe(200);
  });

  it('lists payments as the API does, and of those that failed what they were of', async () => {
    const history = HISTORY.map((one) =>
      one.event === 'EventPaymentSentFailed' ? { ...one, amount: 9n } : one,
    );
    const app = appWith(
      { payments: ({ offset }) => ({ ok: true, value: [history.slice(offset)] }) },
      { wallet: async () => facts },
    );
    const list = async (path: string): Promise<unknown> => (await app.request(path)).json();
    const listed = await list('/api/v1/payments');
    const [sent, failed, received] = Array.isArray(listed) ? listed : [];
    const records = [sent, { ...failed, amount: '9', identifier: '6' }, received];
    expect(await list('/wallet/payments?offset=0&limit=3')).toEqual({ from: 0, records });
    // Without an offset the newest ones, by one call however long the history is.
    const newest = { from: 1, records: records.slice(1) };
    expect(await list('/wallet/payments?limit=2')).toEqual(newest);
    expect(await list('/wallet/payments?limit=500')).toEqual({ from: 0, records });
    for (const query of ['', '?offset=0&limit=501', '?offset=x&limit=1'])
      expect((await app.request(`/wallet/payments${query}`)).status).toBe(400);
    expect((await ask('/wallet/payments?offset=0&limit=1', { options: { tokens } })).status).toBe(
      401,
    );
  });

  it('does not stop the node when it fails', async () => {
    const wallet = async () => {
      throw new Error('on purpose');
    };
    expect((await ask('/wallet/facts', { wallet })).status).toBe(500);
    expect((await ask('/api/v1/livez', { wallet })).status).toBe(200);
  });
});
