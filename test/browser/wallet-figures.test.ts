import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wrongIn } from '../oracle/judge.ts';
import { looksAt } from '../oracle/looks.ts';
import { readPage } from '../oracle/read.ts';
import { truthOf, wrongClaims } from '../oracle/wallet.ts';
import { type Deeds, deedsIn, startWalletWorld, type WalletWorld } from '../oracle/wallet-world.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms } from '../support/program.ts';

const UNIT = 10n ** 18n;
const VIEWS = ['balances', 'pay', 'ask', 'channels', 'history', 'messages', 'services'];
/** What the colours cannot change is the same in both. */
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast'],
};
/** How long a page may take to show what is so: it asks every two seconds, and the node asks the chain every three. */
const FOLLOWS_MS = 12_000;
const LONG_MS = 300_000;

describe('the figures of a wallet', () => {
  const browser = useBrowser();
  let folder: string;
  let world: WalletWorld;
  let deeds: Deeds;
  let axe: string;
  let occasions = 0;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = mkdtempSync(join(tmpdir(), 'sluice-wallet-figures-'));
    world = await startWalletWorld(folder);
    deeds = deedsIn(world);
  });
  afterAll(async () => {
    world?.chain.stop();
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  type Look = { name: string; view: string; patienceMs?: number; typed?: readonly bigint[] };

  /** What is wrong with the view as it is now; claims are judged until nothing is wrong with them, for a while. */
  async function wrongWith(page: Page, { name, view, patienceMs = 0, typed = [] }: Look) {
    const symbols = [...world.tokens.values()].map(({ symbol }) => symbol);
    const begun = Date.now();
    for (;;) {
      const truth = await truthOf(world, deeds.node(name));
      const seen = await readPage(page, [...symbols, 'ETH']);
      const wrong = wrongClaims(seen, truth, view, typed);
      if (wrong.length === 0 || Date.now() - begun > patienceMs)
        return [...wrongIn(seen, world.tokens), ...wrong];
    }
  }

  /** What axe finds, a line for each. */
  async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
    await page.evaluate(axe);
    return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join())))`);
  }

  async function show(page: Page, view: string): Promise<void> {
    await page.evaluate(`location.hash = '#/${view}'`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.waiting').waitFor({ state: 'detached' });
    if (view === 'history') await page.getByText(/^\d+ of \d+ payments/).waitFor();
  }

  async function checkAll(): Promise<void> {
    await deeds.quiet();
    const found = new Set<string>();
    for (const { name, api } of world.nodes) {
      const page = await browser.openPage(`${api}/wallet/`);
      for (const view of VIEWS)
        for (const { width, colorScheme } of looksAt(occasions++)) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await show(page, view);
          const wrong = await wrongWith(page, { name, view, patienceMs: FOLLOWS_MS });
          if (width === 1280 || width === 400)
            wrong.push(...(await violations(page, RULES[colorScheme])));
          for (const text of wrong) found.add(`${name}, ${view}, ${colorScheme}: ${text}`);
        }
      await page.context().close();
    }
    expect([...found]).toEqual([]);
  }

  /** Of a few units, of about what channels carry, and of more than any does. */
  async function payAtRandom(payments: number): Promise<void> {
    const names = world.nodes.map(({ name }) => name);
    const amount = fc.oneof(fc.bigInt(1n, 9n), fc.bigInt(1n, 20_000n), fc.bigInt(1n, 60n * UNIT));
    const pair = fc.constantFrom(...names.flatMap((a) => names.map((b) => [a, b] as const)));
    const deed = fc.record({ pair, amount, isFine: fc.boolean() });
    for (const {
      pair: [from, to],
      amount: units,
      isFine,
    } of fc.sample(deed, payments))
      if (from !== to) await deeds.pay(from, to, isFine ? world.fine : world.coarse, units);
  }

  it(
    'are so after payments',
    async () => {
      const { fine, coarse } = world;
      await Promise.all([
        deeds.open('alice', 'bob', fine, 100n * UNIT),
        deeds.open('bob', 'carol', fine, 40n * UNIT + 1n),
        deeds.open('carol', 'bob', coarse, 7n, 200),
      ]);
      await deeds.open('alice', 'bob', coarse, 12_345n);
      for (const amount of [UNIT + 7n, 50n * UNIT]) await deeds.pay('alice', 'carol', fine, amount);
      await payAtRandom(30);
      expect([...world.failed.values()].flat().length).toBeGreaterThan(1);
      await checkAll();
    },
    LONG_MS,
  );

  it(
    'are so after deposits, a withdrawal and a close, and when the channel is settled',
    async () => {
      const { fine, coarse } = world;
      await Promise.all([
        deeds.deposit('alice', 'bob', fine, 100n * UNIT + 5n),
        deeds.withdraw('bob', 'carol', fine, 3n),
        deeds.close('carol', 'bob', coarse),
        deeds.userDeposit('alice', { total_deposit: `${3n * UNIT + 1n}` }),
      ]);
      await deeds.userDeposit('alice', { planned_withdraw_amount: `${2n * UNIT}` });
      await checkAll();
      await deeds.mine(220);
      const page = await browser.openPage(`${deeds.node('bob').api}/wallet/`);
      await show(page, 'balances');
      await page.getByText('■ closed').waitFor({ state: 'detached' });
      const look = { name: 'bob', view: 'balances', patienceMs: FOLLOWS_MS };
      expect(await wrongWith(page, look)).toEqual([]);
    },
    LONG_MS,
  );

  it('are so in a question before it is answered, and in what was asked for', async () => {
    const page = await browser.openPage(`${deeds.node('alice').api}/wallet/#/pay`);
    const look = { name: 'alice', view: 'pay', patienceMs: FOLLOWS_MS, typed: [1_234n] };
    await page.getByLabel('To', { exact: true }).fill('bob');
    await page.getByLabel('Amount, TTA').fill('0.000000000000001234');
    await page.getByText('Your own channel with bob can pay').waitFor();
    await page.getByRole('button', { name: 'Pay …' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await wrongWith(page, look)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Paid.').waitFor();
    expect(await wrongWith(page, look)).toEqual([]);
    await page.getByRole('button', { name: /^Dismiss: Pay / }).click();
    await show(page, 'channels');
    await page.getByRole('button', { name: 'Close the TTA channel with bob' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await wrongWith(page, { ...look, view: 'channels' })).toEqual([]);
  });
});
