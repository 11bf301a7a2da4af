import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { CHANNEL } from '../support/makers.ts';
import { syntheticRows } from '../support/synthetic-actors.ts';
import { syntheticChannel } from '../support/synthetic-channel.ts';
import {
  type SyntheticInspector,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';

/** What the colours cannot change is the same in both. */
const RULES = {
  light: {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'label-content-name-mismatch': { enabled: true } },
  },
  dark: { runOnly: ['color-contrast'] },
};
type Rules = (typeof RULES)[keyof typeof RULES];
const VIEWS = ['chart', 'money', 'deadlines', 'sequence', 'history'];

describe('the page, for everybody', () => {
  const browser = useBrowser();
  let node: SyntheticInspector;
  let axe: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const writer = createStepWriter();
    const actors = [syntheticChannel(writer, { payments: 10 })];
    node = await startSyntheticInspector({ rows: syntheticRows(60), actors, writer });
  });
  afterAll(() => node.close());

  /** What axe finds, a line for each. */
  async function violations(page: Page, rules: Rules): Promise<unknown> {
    await page.evaluate(axe);
    const options = JSON.stringify({ ...rules, resultTypes: ['violations'] });
    return page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target.join(), failureSummary].join(' '))))`);
  }

  it.each(['light', 'dark'] as const)('breaks no rule of WCAG in %s', async (colorScheme) => {
    const page = await browser.openPage(`${node.url}#/actors`, { colorScheme });
    await page.getByRole('button', { name: /Map of/ }).waitFor();
    const found: Record<string, unknown> = { map: await violations(page, RULES[colorScheme]) };
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('region', { name: 'Actors as a table' }).waitFor();
    found['table'] = await violations(page, RULES[colorScheme]);
    for (const view of VIEWS) {
      await page.goto(`${node.url}#/actor/${encodeURIComponent(CHANNEL)}/${view}`);
      await page.getByText('opened.deposit.idle').first().waitFor();
      found[view] = await violations(page, RULES[colorScheme]);
    }
    await page.keyboard.press('?');
    found['keys'] = await violations(page, RULES[colorScheme]);
    const nothing = Object.keys(found).map((view) => [view, []]);
    expect(found).toEqual(Object.fromEntries(nothing));
  });
});
