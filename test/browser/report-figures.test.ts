/** Every figure of a simulation's report, compared with the run's result, as it is drawn in Chromium. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHtml } from '../../src/simulation/report/page/html.ts';
import type { RunResult } from '../../src/simulation/report/results/result.ts';
import { checkReport } from '../oracle/report-page.ts';
import { mixed, oddResults, ready, tiny } from '../oracle/report-worlds.ts';
import { launchBrowser } from '../support/chromium.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

const WIDTHS = [1440, 1280, 768, 400];
const SEED = Number(process.env['SLUICE_SEED'] ?? 1);

const WORLDS: Record<string, () => Promise<RunResult>> = {
  ...Object.fromEntries(
    Object.entries(oddResults()).map(([name, result]) => [name, async () => result]),
  ),
  'fees with 8 decimals': () => tiny(8),
  'fees with 11 decimals': () => tiny(11),
  ...Object.fromEntries(
    ['channel-life', 'imported-network', 'attack-late-reveal'].map((name) => [
      name,
      () => ready(name),
    ]),
  ),
  ...Object.fromEntries(
    [SEED, SEED + 1, SEED + 2].map((seed) => [`mix with seed ${seed}`, () => mixed(seed)]),
  ),
};

describe('the report of a simulation', () => {
  let browser: Browser;
  let folder: string;
  let axe: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'sluice-figures-'));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(Object.keys(WORLDS))('says and draws what is in its result: %s', async (name) => {
    const result = await WORLDS[name]?.();
    if (result === undefined) throw new Error('each world has a name');
    const file = join(folder, `${name.replaceAll(' ', '-')}.html`);
    await writeFile(file, writeHtml(result));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    const wrong = new Set<string>();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const found = await checkReport(page, result);
      expect(found.figures).toBeGreaterThan(100);
      for (const one of found.wrong) wrong.add(one);
    }
    await context.close();
    expect([...wrong]).toEqual([]);
  });

  it('breaks no rule of WCAG, also with odd values', async () => {
    const file = join(folder, 'odd.html');
    await writeFile(file, writeHtml((await WORLDS['odd']?.()) ?? syntheticResult()));
    const context = await browser.newContext({ viewport: { width: 768, height: 900 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      const broken: unknown = await page.evaluate(
        `axe.run(document, { runOnly: ${JSON.stringify(RULES[colorScheme])}, resultTypes: ['violations'] })
          .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200), nodes[0].failureSummary].join(' ')))`,
      );
      expect(broken).toEqual([]);
    }
    await context.close();
  });
});

const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast'],
};
