/**
 * Visits to the pages of a node in Chromium, each in a fresh context: how long from the navigation until the first
 * figures are there and a click is answered, and the longest task on the way.
 */
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { openWatched } from '../support/chromium.ts';
import { median } from './page-actors.ts';

/** `url`: below the node's address. `use`: waits for the first figures, clicks, and waits for the answer. */
export type Visit = { name: string; url: string; use(page: Page): Promise<void> };
/** Milliseconds. `task`: the longest one of the page; Chromium tells those of 50 ms and more, 0: there was none. */
export type Visited = { usable: number; slowest: number; task: number };

const TASKS = `
globalThis.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
}).observe({ type: 'longtask', buffered: true });
`;

async function toggle(page: Page, selector: string): Promise<void> {
  const button = page.locator(selector).first();
  await button.click();
  await page.locator(`${selector}[aria-expanded=true]`).first().waitFor();
}

/** A click on a tab of the wallet, once `figures` are there. */
async function leave(page: Page, figures: string): Promise<void> {
  await page.locator(figures).first().waitFor();
  await page.getByRole('link', { name: 'Pay', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Pay' }).waitFor();
}

/** `channel`: the actor of the channel that is looked at. */
export function visitsOf(channel: string): Visit[] {
  const actor = `/inspector/#/actor/${encodeURIComponent(channel)}`;
  return [
    {
      name: 'first page',
      url: '/inspector/#/',
      use: async (page) => {
        await page.locator('.home-lists [data-figure="node/channels"]').waitFor();
        await toggle(page, '.channel-chart');
      },
    },
    {
      name: 'actors',
      url: '/inspector/#/actors?form=table',
      use: async (page) => {
        await page.locator('.actors-table tbody a').first().click();
        await page.getByRole('link', { name: 'Money' }).waitFor();
      },
    },
    {
      name: 'actors, with those that have ended',
      url: '/inspector/#/actors?form=table&ended=ended',
      use: async (page) => {
        await page.locator('.actors-table tbody a[href*=initiator]').first().click();
        await page.getByRole('link', { name: 'Money' }).waitFor();
      },
    },
    {
      name: "a channel's money",
      url: `${actor}/money`,
      use: async (page) => {
        await page.locator('.payouts [data-figure]').first().waitFor();
        await page.getByLabel('with an older proof of the partner').click();
        await page.getByText('There is no balance proof of this side yet').waitFor();
      },
    },
    {
      name: "a channel's history",
      url: `${actor}/history`,
      use: async (page) => {
        await page.locator('.step').first().click();
        await page.locator('.step[aria-selected=true]').first().waitFor();
      },
    },
    {
      name: "wallet's balances",
      url: '/wallet/#/balances',
      use: (page) => leave(page, '[data-figure^="channel:"]'),
    },
    {
      name: "wallet's channels",
      url: '/wallet/#/channels',
      use: (page) => leave(page, '[data-figure^="channel:"]'),
    },
    {
      name: "wallet's history",
      url: '/wallet/#/history',
      use: (page) => leave(page, '.payments [data-figure]'),
    },
  ];
}

export async function visit(browser: Browser, base: string, { url, use }: Visit) {
  const begin = performance.now();
  const { page, problems } = await openWatched(browser, `${base}${url}`, { script: TASKS });
  await use(page);
  const usable = performance.now() - begin;
  const task = v.parse(v.number(), await page.evaluate('longest'));
  await page.context().close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { usable, task };
}

/** Of so many visits to each of these nodes, which take turns. */
export async function visited(
  browser: Browser,
  places: readonly { base: string; visit: Visit }[],
  rounds: number,
): Promise<Visited[]> {
  const seen = places.map((): { usable: number; task: number }[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, place] of places.entries())
      seen[at]?.push(await visit(browser, place.base, place.visit));
  return seen.map((all) => {
    const times = all.map(({ usable }) => usable);
    const task = Math.max(...all.map((one) => one.task));
    return { usable: median(times), slowest: Math.max(...times), task };
  });
}
