/** Compares what a page shows with what is so. */
import type { Page } from 'playwright-core';
import { type Tokens, wrongIn } from './judge.ts';
import { readPage, type Seen } from './read.ts';

/** What is claimed: `of` at the moment `at` (null: now). */
export type Claimed = { of: string; unit: string; at: string | null };
/** The value of a claim, worked out from what the node says; null: nobody knows such a claim. */
export type Claims = (claimed: Claimed) => Promise<string | null>;
/** `wrong`: a sentence for each thing; `figures`: how many were compared. */
export type Verdict = { wrong: string[]; figures: number };

/** How often a page is read again that is behind: it asks its node once a second. */
const READINGS = 12;
const BETWEEN_MS = 300;

/** Reads the page until all on it is so, or for some seconds; returns what was wrong the last time. `newClaims`: asks the node anew. */
export async function checkPage(
  page: Page,
  newClaims: () => Claims,
  tokens: Tokens,
): Promise<Verdict> {
  const symbols = [...tokens.values()].map(({ symbol }) => symbol);
  let verdict: Verdict = { wrong: ['nothing was read'], figures: 0 };
  for (let reading = 0; reading < READINGS; reading++) {
    const seen = await readPage(page, symbols);
    const figures = seen.figures.length + seen.bars.length + seen.plots.length;
    const wrong = [...wrongIn(seen, tokens), ...(await wrongClaims(seen, newClaims()))];
    verdict = { wrong, figures };
    if (verdict.wrong.length === 0) return verdict;
    await page.waitForTimeout(BETWEEN_MS);
  }
  return verdict;
}

/** One sentence for each figure that does not say what is so. */
async function wrongClaims(seen: Seen, claims: Claims): Promise<string[]> {
  const found = new Map<string, string>();
  for (const { claim, value, unit, at } of [...seen.figures, ...seen.bars]) {
    const when = at === null ? '' : ` at ${at}`;
    const isSo = await claims({ of: claim, unit, at });
    if (isSo === null) found.set(claim, `nobody knows ${claim}${when}, which says ${value}`);
    else if (isSo !== value)
      found.set(`${claim}${when}`, `${claim}${when} says ${value}, and ${isSo} is so`);
  }
  for (const { lines } of seen.plots)
    for (const { claim, unit, points, moments } of lines)
      for (const [index, [x, y]] of points.entries()) {
        const at = moments[index] ?? x;
        const isSo = await claims({ of: claim, unit: unit ?? 'count', at });
        if (isSo !== y)
          found.set(claim, `the line of ${claim} is ${y} at ${at}, and ${isSo} is so`);
      }
  return [...found.values()];
}
