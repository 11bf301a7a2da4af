import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveNode } from '../../src/host/node-api.ts';
import { useBrowser } from '../support/browser.ts';
import { walletFacts } from '../support/wallet-facts.ts';
import { fakeNode, OWN } from '../unit/http/fake-node.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const viewport = { width: 400, height: 800 };

describe.each(['light', 'dark'] as const)('in %s at 400 px', (colorScheme) => {
  const browser = useBrowser();
  let url: string;
  let end: () => unknown;

  beforeAll(async () => {
    const wallet = async () => walletFacts();
    const config = { host: '127.0.0.1', port: 0, concurrency: 1, wallet, tokens: [], name: 'bob' };
    const served = await serveNode({ node: fakeNode(), config, onInternalError: () => {} });
    if (!served.ok) throw new Error(served.message);
    ({ url, end } = served.value);
  });
  afterAll(() => end());

  it('the first page of a node leads to its others, and breaks no rule of WCAG', async () => {
    const page = await browser.openPage(url, { colorScheme, viewport });
    await page.getByText(OWN).waitFor();
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
    );
    const found = await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations.map(({ id }) => id))`,
    );
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    await page.getByRole('link', { name: 'Wallet' }).click();
    await page.getByRole('heading', { name: 'Balances' }).waitFor();
  });

  it('the page of the API begins with a call to try, and opens it', async () => {
    const page = await browser.openPage(`${url}/api/v1/docs`, { colorScheme, viewport });
    const call = page.getByText(`curl ${url}/api/v1/address`);
    const box = await call.boundingBox();
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(400);
    await page.getByRole('heading', { name: /Payment-channel node/ }).waitFor();
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(28, 32, 34)' : 'rgb(255, 255, 255)');
    await page.locator('#operations-Node-getAddress').waitFor();
    await page.getByRole('link', { name: 'the call' }).click();
    await page.getByRole('button', { name: 'Try it out' }).waitFor();
  });
});
