/** Debian's Chromium in tests: pages in it may neither complain nor ask anybody but their own node. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { launchBrowser, openWatched, type WatchedPage } from './chromium.ts';

export type TestBrowser = {
  /** `expected`: what of the problems belongs to the test, e.g. a node that is away. */
  openPage(url: string, options?: BrowserContextOptions & { expected?: RegExp }): Promise<Page>;
};

/** One Chromium for the tests of a file. A test fails when one of its pages had a problem. */
export function useBrowser(): TestBrowser {
  let browser: Browser | null = null;
  let opened: (WatchedPage & { expected: RegExp | undefined })[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    const problems = opened.flatMap(({ problems, expected }) =>
      problems.filter((problem) => expected?.test(problem) !== true),
    );
    await Promise.all(opened.map(({ page }) => page.context().close()));
    opened = [];
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    async openPage(url, { expected, ...options } = {}) {
      if (browser === null) throw new Error('the browser is opened before the first test');
      const watched = await openWatched(browser, url, options);
      opened.push({ ...watched, expected });
      return watched.page;
    },
  };
}
