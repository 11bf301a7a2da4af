/** Reads the page over all nodes at every width, in light and dark, until what it says is so; and says what is not. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { wrongIn } from './judge.ts';
import { wrongClaims } from './network.ts';
import { readNetwork } from './network-facts.ts';
import { readPage } from './read.ts';

const WIDTHS = [1440, 1280, 768, 400];
const SCHEMES = ['light', 'dark'] as const;
/** A page hears of a step and asks for what it changed. */
const QUIET_AFTER_MS = 3_000;

/** `wrong`: what is not so, with the moment before it; `figures`: how many figures and bars were compared. */
export type Walked = { wrong: string[]; figures: number };

export async function walkPage(page: Page, inspector: string, moment: string): Promise<Walked> {
  const wrong = new Set<string>();
  let figures = 0;
  for (const colorScheme of SCHEMES)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const seen = await comparedPage(page, inspector, wrong.size > 0 ? 300 : QUIET_AFTER_MS);
      figures += seen.figures;
      for (const text of seen.wrong) wrong.add(`${moment}: ${text}`);
    }
  return { wrong: [...wrong], figures };
}

/** Compares again until everything is so, or time is over. */
async function comparedPage(
  page: Page,
  inspector: string,
  patienceMs = QUIET_AFTER_MS,
): Promise<Walked> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const facts = await readNetwork(inspector);
    const symbols = [...facts.tokens.values()].map(({ symbol }) => symbol);
    // What a message said is a quotation of a node's journal, and no figure of now.
    const told = (await page.locator('.network-trace').allInnerTexts()).join('\n');
    const seen = await readPage(page, symbols);
    const stray = seen.stray.filter((text) => !told.includes(text));
    const wrong = [...wrongIn({ ...seen, stray }, facts.tokens), ...wrongClaims(seen, facts)];
    const figures = seen.figures.length + seen.bars.length;
    if (wrong.length === 0 || performance.now() > end) return { wrong, figures };
    await delay(100);
  }
}
