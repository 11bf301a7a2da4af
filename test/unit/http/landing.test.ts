import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import type { NodeStatus } from '../../../src/node/api/api.ts';
import { walletFacts } from '../../support/wallet-facts.ts';
import { appWith } from './client.ts';
import { OWN } from './fake-node.ts';

const TOKENS = [{ token: 't'.repeat(16), scope: 'read', cap: null, budget: null }] as const;
const wallet = async () => walletFacts();
const READY: NodeStatus = { status: 'ready' };

async function pageOf(options: ApiOptions, status = READY) {
  const response = await appWith({ status: () => status }, options).request('/');
  return { headers: response.headers, status: response.status, text: await response.text() };
}

describe('the first page of a node', () => {
  it('leads to what the node serves, says who it is and whether it is ready', async () => {
    const { text, status } = await pageOf({ wallet, name: 'bob & <b>' });
    expect(status).toBe(200);
    for (const part of ['"wallet/"', '"api/v1/docs"', OWN, 'bob &amp; &lt;b>', 'Ready'])
      expect(text.replaceAll('&gt;', '>')).toContain(part);
    expect(text).not.toContain('inspector/');
    const syncing = await pageOf({}, { status: 'syncing', blocksToSync: 7n });
    expect(syncing.text).toContain('7 blocks to go');
    expect(syncing.text).not.toContain('wallet/');
  });

  it('says nothing of the node where the API wants tokens', async () => {
    const { text, status } = await pageOf({ wallet, tokens: TOKENS, name: 'bob' });
    expect([status, text.includes('"wallet/"')]).toEqual([200, true]);
    for (const part of [OWN, 'bob', 'Ready']) expect(text).not.toContain(part);
  });

  it('runs no script, and takes no style but its own', async () => {
    const { text, headers } = await pageOf({ wallet });
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|\son[a-z]+=|https?:/);
  });
});
