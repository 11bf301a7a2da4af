/** What is bad at a node, on its pages: a real node whose account is empty, and whose user deposit is. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { createWalletFacts } from '../../src/host/wallet-facts.ts';
import { createInspector, type NodeInspector } from '../../src/inspector/inspector.ts';
import { useBrowser } from '../support/browser.ts';
import { anvilCall } from '../support/chain.ts';
import { good, type RealNetwork, startNetwork, type TestNode } from '../support/network.ts';
import { walletFacts } from '../support/wallet-facts.ts';

const RICH = 10n ** 21n;
const DEPOSIT = 55n * 10n ** 17n;
const NO_DEPOSIT = 'The user deposit is low';
const NO_GAS = 'The account has too little money for gas';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Longer than a page waits before it asks again. */
const REFRESHED_MS = 2_500;

describe('what is bad at a node', () => {
  const browser = useBrowser();
  let network: RealNetwork;
  let alice: TestNode;
  let inspector: NodeInspector;
  let server: NodeServer;

  beforeAll(async () => {
    network = await startNetwork();
    alice = await network.start('alice');
    const { inspection } = alice;
    const { wei, gasPrice, blockSeconds, tokens, userDeposit } = walletFacts();
    const wallet = createWalletFacts({
      config: { confirmations: 1n, defaultSettleTimeout: 40n, defaultRevealTimeout: 10n },
      inspection,
      ask: async () => ({ wei, gasPrice, blockSeconds, tokens, userDeposit }),
    });
    inspector = createInspector({ inspection });
    const served = await serveNode({
      node: alice,
      config: { host: '127.0.0.1', port: 0, concurrency: 1, inspector, wallet },
      onInternalError: (error) => expect(error).toBeUndefined(),
    });
    if (!served.ok) throw new Error(served.message);
    server = served.value;
  });
  afterAll(async () => {
    await server?.end();
    await inspector?.end();
    await network?.stop();
  });

  const setBalance = (wei: bigint) =>
    anvilCall(network.chain, 'anvil_setBalance', alice.ownAddress, `0x${wei.toString(16)}`);
  const strip = (page: Page, summary: string) =>
    page.getByRole('status').getByRole('group').filter({ hasText: summary });
  const urlOf = (name: string) => `${server.url}/${name}/`;
  async function spoil(): Promise<void> {
    await setBalance(0n);
    await alice.checkNotifications();
  }

  it.each(['inspector', 'wallet'])(
    'stands below the bar of the %s with what to do, as long as it is so',
    async (name) => {
      await setBalance(RICH);
      await alice.checkNotifications();
      const page = await browser.openPage(urlOf(name));
      const deposit = strip(page, NO_DEPOSIT);
      await deposit.getByText('What to do').click();
      await deposit.getByText('Deposit 5.5 more with POST /api/v1/user_deposit').waitFor();
      expect(await strip(page, NO_GAS).count()).toBe(0);

      await spoil();
      const gas = strip(page, NO_GAS);
      await gas.waitFor();
      expect(await gas.getByText('Send it at least').isVisible()).toBe(false);
      await gas.locator('summary').press('Enter');
      await gas.getByText(alice.ownAddress).waitFor();

      // What is open stays open, and where it is, whatever comes anew.
      const places = () =>
        page.evaluate(`[...document.querySelectorAll('details')].map(
        (one) => [one.open, one.getBoundingClientRect().top, one.getBoundingClientRect().height])`);
      const before = await places();
      await page.waitForTimeout(REFRESHED_MS);
      expect(await places()).toEqual(before);

      await setBalance(RICH);
      await alice.checkNotifications();
      await gas.waitFor({ state: 'detached' });
      expect(await deposit.getByText('Deposit 5.5 more').isVisible()).toBe(true);
    },
  );

  it.each(['light', 'dark'] as const)(
    'can be read by everybody in %s, and fits 400 px',
    async (colorScheme) => {
      await spoil();
      const axe = await readFile(
        createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
        'utf8',
      );
      for (const name of ['inspector', 'wallet'])
        for (const width of [400, 1280]) {
          const page = await browser.openPage(urlOf(name), {
            colorScheme,
            viewport: { width, height: 800 },
          });
          for (const summary of [NO_GAS, NO_DEPOSIT])
            await strip(page, summary).locator('summary').click();
          await page.getByText('Send it at least').waitFor();
          await page.evaluate(axe);
          const found =
            await page.evaluate(`axe.run('.troubles', ${JSON.stringify({ runOnly: RULES })}).then(
          ({ violations }) => violations.map(({ id }) => id))`);
          const inner = await page.evaluate(`document.querySelector('.troubles').scrollWidth`);
          expect([name, found, inner]).toEqual([name, [], width]);
        }
    },
  );

  it('is gone from both pages when all is mended', async () => {
    const pages = [
      await browser.openPage(urlOf('inspector')),
      await browser.openPage(urlOf('wallet')),
    ];
    for (const page of pages) await strip(page, NO_DEPOSIT).waitFor();
    await setBalance(RICH);
    await mintTokens(
      network.clients,
      network.contracts.serviceTokenAddress,
      alice.ownAddress,
      DEPOSIT,
    );
    good(await network.whileMining(alice.depositToUserDeposit(DEPOSIT)));
    await alice.checkNotifications();
    for (const page of pages) await strip(page, NO_DEPOSIT).waitFor({ state: 'detached' });
    for (const page of pages)
      expect(await page.evaluate(`document.querySelector('.troubles').offsetHeight`)).toBe(0);
  });
});
