/** Debian's Chromium, and pages in it of which is kept what they complain of and whom they ask. */
import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

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
    executablePath: executablePath.trim(),
    args: SWITCHES,
    timeout: LAUNCH_TIMEOUT_MS,
  });
}

/** `problems`: console errors, page errors, breaches of the policy, requests to another origin. */
export type WatchedPage = { page: Page; problems: string[] };

/** `script` runs in the page before anything of it does. */
export type WatchedOptions = BrowserContextOptions & { script?: string };

export async function openWatched(
  browser: Browser,
  url: string,
  { script, ...options }: WatchedOptions = {},
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
  if (script !== undefined) await page.addInitScript(script);
  await page.goto(url);
  return { page, problems };
}
