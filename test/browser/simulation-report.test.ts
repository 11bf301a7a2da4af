import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeHtml } from '../../src/simulation/report/page/html.ts';
import { launchBrowser } from '../support/chromium.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

const VIEWS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

describe('the report of a simulation, opened from disk', () => {
  let browser: Browser;
  let folder: string;
  let axe: string;
  let problems: string[] = [];

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'sluice-report-'));
    await writeFile(join(folder, 'big.html'), writeHtml(syntheticResult({ nodes: 1000 })));
    await writeFile(join(folder, 'broken.html'), writeHtml(syntheticResult({ isBroken: true })));
    browser = await launchBrowser();
  });
  afterEach(() => {
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Whatever the page asks for besides itself is a problem, other files too. */
  async function open(name: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ ...VIEWS[0], ...options });
    const page = await context.newPage();
    const own = pathToFileURL(join(folder, name)).href;
    problems = [];
    page.on('console', (message) => {
      if (message.type() !== 'log') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      const asked = request.url().split('#')[0];
      if (asked !== own && asked !== 'data:,') problems.push(`request: ${asked}`);
    });
    await page.goto(own);
    return page;
  }

  const shownPlot = (page: Page, name: RegExp) =>
    page.getByRole('img', { name }).filter({ visible: true });

  it('breaks no rule of WCAG', async () => {
    for (const view of VIEWS) {
      const page = await open('broken.html', view);
      // The page's own policy allows no foreign script; this one comes from outside the page.
      await page.evaluate(axe);
      const found: unknown = await page.evaluate(
        `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })
          .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200), nodes[0].failureSummary].join(' ')))`,
      );
      expect(found).toEqual([]);
      const overflow: unknown = await page.evaluate(
        'document.documentElement.scrollWidth - innerWidth',
      );
      expect(overflow).toBe(0);
      await page.context().close();
    }
  });

  it('shades the lower edge of a long list, until its end covers the shade', async () => {
    const page = await open('big.html');
    const nodes = page.getByRole('region', { name: 'Nodes' });
    const edge = async () => {
      const box = await nodes.boundingBox();
      if (box === null) throw new Error('the list is there');
      // Where no text is, and less than a row high.
      const clip = { x: box.x + box.width - 3, y: box.y + box.height - 5, width: 1, height: 1 };
      return (await page.screenshot({ clip })).toString('base64');
    };
    await nodes.evaluate('document.querySelector("[aria-label=Nodes]").scrollIntoView()');
    const before = await edge();
    await nodes.evaluate('document.querySelector("[aria-label=Nodes]").scrollTo(0, 1e6)');
    expect(await edge()).not.toBe(before);
    await page.context().close();
  });

  it('shows a thousand nodes within seconds', async () => {
    const page = await open('big.html');
    const painted: unknown = await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
    );
    // A bound for a machine that does much else; alone it is some tenths of a second.
    expect(painted).toBeLessThan(5000);
    expect(await page.locator('.map-large .spot').count()).toBe(1000);
    await page.context().close();
  });

  it('shows the value that the reader moves to with the keyboard', async () => {
    const page = await open('broken.html');
    const plot = shownPlot(page, /^Payments that arrived/);
    const readout = page.locator('section', { has: plot }).locator('.readout');
    const summary = await readout.textContent();
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => readout.textContent()).toMatch(/^Blocks 0–4: \d/);
    await page.keyboard.press('End');
    await expect.poll(() => readout.textContent()).toMatch(/^Blocks 1,195–1,199: \d/);
    await page.keyboard.press('Escape');
    expect(await readout.textContent()).toBe(summary);
    await page.context().close();
  });

  it('shows the values under the pointer, on the map those of the nearest node', async () => {
    const page = await open('broken.html');
    const map = shownPlot(page, /^Map of the network/);
    const readout = page.locator('section', { has: map }).locator('.readout');
    await page.locator('.map-large .robbed').hover();
    await expect.poll(() => readout.textContent()).toContain('node 4 (');
    expect(await readout.textContent()).toContain('lost 12.0000… DAI');
    await page.context().close();
  });

  it('can be gone through with the Tab key, with a visible focus', async () => {
    const page = await open('broken.html');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const outlined: unknown = await page.evaluate(
      'document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle',
    );
    expect(outlined).toBe('solid');
    await page.context().close();
  });

  it('sorts its nodes by the exact amounts, down and up', async () => {
    const page = await open('broken.html');
    const nodes = page.getByRole('region', { name: 'Nodes' });
    const fees = 'Fees (DAI)';
    const head = nodes.getByRole('columnheader', { name: fees });
    const amounts = async () => {
      const cells = await nodes.locator('tbody tr td:nth-child(8)').all();
      const texts = await Promise.all(cells.map((cell) => cell.getAttribute('data-value')));
      return texts.map((text) => BigInt(text ?? '-1'));
    };
    await nodes.getByRole('button', { name: fees }).click();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    const down = await amounts();
    expect(down).toEqual(down.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)));
    await nodes.getByRole('button', { name: fees }).press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    expect(await amounts()).toEqual(down.toReversed());
    await page.context().close();
  });

  it('can be read without its script', async () => {
    const page = await open('broken.html', { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('broke in block');
    expect(await shownPlot(page, /^Map of the network/).count()).toBe(1);
    expect(await page.locator('#theme').isVisible()).toBe(false);
    await page.context().close();
  });
});
