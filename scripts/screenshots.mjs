// Takes pictures of every view of the inspector and of the wallet's first, on a devnet in which payments are made: in light and dark into the
// folder given as argument, or anew into docs/screenshots. Beside each picture stands what is written on it, in which
// `test/unit/screenshots.test.ts` looks for words of before. Needs a build and Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const top = fileURLToPath(new URL('../', import.meta.url));
const given = process.argv[2];
const folder = given ?? join(top, 'docs/screenshots');
/** The views whose picture in docs/screenshots is dark; there every view has one picture. */
const DARK = ['node', 'money', 'history'];
const isKept = (name, scheme) => given !== undefined || (scheme === 'dark') === DARK.includes(name);
const PAYMENTS = 8;
const VIEWS = ['chart', 'money', 'deadlines', 'sequence', 'history'];

const temporary = mkdtempSync(join(tmpdir(), 'sluice-screenshots-'));
const readyFile = join(temporary, 'ready.json');
const args = ['dist/src/cli/main.js', 'devnet', '--open', '--no-services', '--api-port', '0'];
const devnet = spawn(process.execPath, [...args, '--ready-file', readyFile], {
  cwd: top,
  stdio: ['ignore', 'ignore', 'inherit'],
});
let hasEnded = false;
devnet.on('exit', () => {
  hasEnded = true;
});

async function ready() {
  while (!existsSync(readyFile)) {
    if (hasEnded) throw new Error('the devnet has ended');
    await delay(100);
  }
  return JSON.parse(readFileSync(readyFile, 'utf8'));
}

async function asked(url, init) {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Makes payments of different amounts from the first node to its neighbour, and one through that to the third node. */
async function pay([alice, bob, carol], { token_address: token }) {
  async function payOnce(target, amount) {
    await asked(`${alice.api}/api/v1/payments/${token}/${target}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
  }
  for (let number = 1; number <= PAYMENTS; number++)
    await payOnce(bob.address, `${number}12345678901234567`);
  await payOnce(carol.address, '1500000000000000000');
}

/** In the page: what is written, each text on its own. */
function visibleTexts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (data.trim() !== '' && parentElement?.checkVisibility()) texts.push(data.trim());
  }
  return texts;
}

async function shoot(browser, { url, name, colorScheme, shows = null }) {
  if (!isKept(name, colorScheme)) return;
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Live').first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => {});
  if (shows !== null) await page.getByText(shows, { exact: true }).first().waitFor();
  const fullPage = shows !== null;
  const file = join(folder, `${name}-${colorScheme}`);
  await page.screenshot({ path: `${file}.png`, fullPage });
  writeFileSync(`${file}.txt`, `${(await page.evaluate(visibleTexts)).join('\n')}\n`);
  await context.close();
}

try {
  const { nodes, inspector } = await ready();
  const [alice, bob] = nodes;
  const [channel] = await asked(`${alice.api}/api/v1/channels`);
  await pay(nodes, channel);
  const page = new URL('/inspector/', alice.api).href;
  const { actors } = await asked(`${page}actors`);
  const { actor } = actors.find(({ machine }) => machine === 'channel');
  mkdirSync(folder, { recursive: true });
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  const browser = await chromium.launch({
    executablePath: executablePath.trim(),
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  for (const colorScheme of ['light', 'dark']) {
    await shoot(browser, { url: page, name: 'node', colorScheme });
    await shoot(browser, { url: `${page}#/actors`, name: 'actors', colorScheme });
    await shoot(browser, { url: inspector, name: 'devnet', colorScheme, shows: 'Update: unlock' });
    const wallet = new URL('/wallet/', bob.api).href;
    await shoot(browser, { url: wallet, name: 'wallet', colorScheme, shows: 'You can pay' });
    for (const view of VIEWS) {
      const url = `${page}#/actor/${encodeURIComponent(actor)}/${view}`;
      await shoot(browser, { url, name: view, colorScheme });
    }
  }
  await browser.close();
} finally {
  if (!hasEnded) devnet.kill('SIGTERM');
  while (!hasEnded) await delay(50);
  rmSync(temporary, { recursive: true, force: true });
}
