/** Reads the page over all nodes, now in one width and now in another, until what it says is so; and says what is not. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { wrongIn } from './judge.ts';
import { looksAt } from './looks.ts';
import { wrongClaims } from './network.ts';
import { readNetwork } from './network-facts.ts';
import { readPage } from './read.ts';

/** A page hears of a step and asks for what it changed. */
const QUIET_AFTER_MS = 3_000;

/** `wrong`: what is not so, with the moment before it; `figures`: how many figures and bars were compared. */
export type Walked = { wrong: string[]; figures: number };

let occasions = 0;

export async function walkPage(page: Page, inspector: string, moment: string): Promise<Walked> {
  const wrong = new Set<string>();
  let figures = 0;
  for (const { width, colorScheme } of looksAt(occasions++)) {
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
    const seen = await readPage(page, symbols);
    const wrong = [...wrongIn(seen, facts.tokens), ...wrongClaims(seen, facts)];
    const figures = seen.figures.length + seen.bars.length;
    if (wrong.length === 0 || performance.now() > end) return { wrong, figures };
    await delay(100);
  }
}
