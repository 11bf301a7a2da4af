/** Debian's Chromium, and pages in it that may neither complain nor ask anybody but their own node. */
import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const SWITCHES = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** On a machine that does much else at the same time; a test has two minutes. */
const LAUNCH_TIMEOUT_MS = 100_000;
const WAIT_TIMEOUT_MS = 45_000;

export async function launchBrowser(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  return chromium.launch({
    ...{ executablePath: executablePath.trim(), args: SWITCHES },
    timeout: LAUNCH_TIMEOUT_MS,
  });
}

/** `problems`: console errors, page errors, breaches of the policy, requests to another origin. */
export type WatchedPage = { page: Page; problems: string[] };

export async function openWatched(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_TIMEOUT_MS);
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`page: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const asked = request.url();
    const isOwn = asked.startsWith(`${origin}/`) || /^(data|blob):/.test(asked);
    if (!isOwn) problems.push(`foreign request: ${asked}`);
  });
  await page.goto(url);
  return { page, problems };
}

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
