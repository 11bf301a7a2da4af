import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveNode } from '../../src/host/node-api.ts';
import type { Scope } from '../../src/http/checks/tokens.ts';
import { useBrowser } from '../support/browser.ts';
import { walletFacts } from '../support/wallet-facts.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

/** What a browser says of a node that wants a token. */
const REFUSED = /Failed to load resource/;
const tokenOf = (scope: Scope) => `${scope}-`.padEnd(16, 'x');

describe('the wallet of a node with API tokens', () => {
  const browser = useBrowser();
  let url: string;
  let end: () => unknown;

  beforeAll(async () => {
    const scopes = ['read', 'pay', 'admin'] as const;
    const tokens = scopes.map((scope) => {
      const cap = scope === 'pay' ? 500n : null;
      return { token: tokenOf(scope), scope, cap, budget: null };
    });
    const wallet = async () => walletFacts();
    const config = { host: '127.0.0.1', port: 0, concurrency: 1, wallet, tokens };
    const served = await serveNode({ node: fakeNode(), config, onInternalError: () => {} });
    if (!served.ok) throw new Error(served.message);
    url = `${served.value.url}/wallet/`;
    end = served.value.end;
  });
  afterAll(() => end());

  async function enter(page: Page, token: string) {
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.keyboard.press('Enter');
  }
  async function openAs(scope: Scope, view: string) {
    const page = await browser.openPage(`${url}#/${view}`, { expected: REFUSED });
    await enter(page, tokenOf(scope));
    return page;
  }

  it('asks for a token, keeps it for this tab alone, and has it in no address', async () => {
    const page = await browser.openPage(url, { expected: REFUSED });
    await enter(page, 'wrong-wrong-wrong');
    await page.getByText('The node did not take that token.').waitFor();
    await enter(page, tokenOf('read'));
    await page.getByRole('heading', { name: 'Balances' }).waitFor();
    const stored = await page.evaluate('JSON.stringify({ ...localStorage })');
    expect(stored).not.toContain(tokenOf('read'));
    expect(page.url()).not.toContain(tokenOf('read'));
    expect(await page.content()).not.toContain(tokenOf('read'));
    await page.reload();
    await page.getByRole('heading', { name: 'Balances' }).waitFor();
  });

  it('shows whoever may read that this is all', async () => {
    const page = await openAs('read', 'pay');
    await page.getByText('This token may only read').waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
  });

  it('lets whoever may pay do that, and says how much, but not change channels', async () => {
    const page = await openAs('pay', 'pay');
    await page.getByText('At most 5 TTA at a time.').waitFor();
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByText('This token may not change channels').waitFor();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    expect(await page.getByRole('button', { name: /^Close/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'User deposit' }).click();
    await page.getByText('This node has no user deposit').waitFor();
  });

  it('lets an administrator open and close channels', async () => {
    const page = await openAs('admin', 'channels');
    await page.getByRole('form', { name: 'Open a channel' }).waitFor();
    await page
      .getByRole('button', { name: /^Close/ })
      .first()
      .waitFor();
  });
});
