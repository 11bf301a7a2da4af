import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askOver, serveInspector } from '../../src/devnet/page/inspector-site.ts';
import { good } from '../support/api.ts';
import { useBrowser } from '../support/browser.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, TOKENS, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 10n * TOKENS;
/** Odd to the last unit: what the page shows must be exact. */
const PAID = 1_234_567_890_123_456_789n;
const HELD = 2n * TOKENS + 1n;
/** What a browser says of a node that is away. */
const AWAY = /Failed to load resource|ERR_/;

const grouped = (amount: bigint) => amount.toLocaleString('en');

describe('the page over a real node', () => {
  const browser = useBrowser();
  let world: World;
  let pair: Pair;

  beforeAll(async () => {
    world = await startWorld();
    pair = await startPair(world, DEPOSIT);
  });
  afterAll(() => world.stop());

  const show = (page: Page, view: string) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
  const balanceCell = (page: Page, amount: bigint) =>
    page
      .getByRole('row', { name: /^Balance/ })
      .getByText(grouped(amount), { exact: true })
      .first();
  /** Blocks that the page still gives the lock. */
  async function blocksLeft(page: Page): Promise<number> {
    const row = page.getByRole('row', { name: new RegExp(grouped(HELD)) });
    return Number(/(\d+) blocks?/.exec((await row.textContent()) ?? '')?.[1] ?? Number.NaN);
  }

  it('shows a channel from its opening through payments, a held lock and a restart', async () => {
    const { alice } = pair.nodes;
    const page = await browser.openPage(`${alice.api.url}/inspector/`, { expected: AWAY });
    await page.getByRole('banner').getByText('Live').waitFor();

    // It is opened while the page looks on.
    await pair.open();
    await page.getByRole('button', { name: 'Chart of channel 1' }).click();
    await page.getByRole('link', { name: /^The chart with its steps/ }).click();

    // The chart moves while a deposit is on its way, and back when the chain has it.
    const state = (name: string) => page.getByText(`State: opened.deposit.${name}`);
    await state('idle').waitFor();
    const patch = { total_deposit: String(DEPOSIT + 1n) };
    const deposited = alice.api.patch(`/channels/${world.token}/${pair.address.bob}`, patch);
    await state('depositing').waitFor();
    good(await world.whileMining(deposited));
    await state('idle').waitFor();

    // The money changes to the unit.
    await show(page, 'money');
    await page.getByText('10 TTA').first().waitFor();
    await page.getByLabel('Amounts').selectOption('units');
    await balanceCell(page, DEPOSIT + 1n).waitFor();
    good(await pair.pay('alice', PAID));
    await balanceCell(page, DEPOSIT + 1n - PAID).waitFor();

    // A payment that its target does not answer: its lock is counted down with the blocks.
    await show(page, 'deadlines');
    pair.nodes.bob.pause();
    const held = pair.pay('alice', HELD);
    await page.getByRole('row', { name: new RegExp(grouped(HELD)) }).waitFor();
    const left = await blocksLeft(page);
    await world.mine(3n);
    await until(async () => (await blocksLeft(page)) <= left - 3, 'the deadline counts down');
    pair.nodes.bob.resume();
    good(await held);
    await page.getByText('Nothing is at stake').waitFor();

    // Back to the first step that is known.
    await show(page, 'history');
    const steps = page.getByRole('listbox', { name: 'Steps' });
    await steps.focus();
    await page.keyboard.press('Home');
    await steps.locator('[aria-selected="true"][aria-posinset="1"]').waitFor();

    // All of it as one file for somebody else, which runs nothing and asks nobody.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^channel-.*\.html$/);
    const text = readFileSync(await download.path(), 'utf8');
    for (const said of ['Channel 1', pair.address.bob, 'actor.addLock', 'data:image/svg+xml'])
      expect(text).toContain(said);
    expect(text).not.toMatch(/<script|https?:\/\//);
    // Its chart has the state marked, as on the screen.
    expect(text).toMatch(/Now%20in%20opened%2C%20opened\.deposit/);
    await show(page, 'chart');
    for (const [ending, mark] of [
      ['.svg', /<desc.*Now in opened, opened\.deposit/],
      ['.mmd', /class opened_deposit_idle,opened_withdraw_idle now/],
    ] as const) {
      const [chart] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: ending }).click(),
      ]);
      expect(readFileSync(await chart.path(), 'utf8')).toMatch(mark);
    }
    expect(text.match(/<tr>/g)?.length).toBeGreaterThan(10);

    // The node dies and comes back: the page goes on where it was.
    await show(page, 'money');
    await alice.kill();
    await page.getByRole('banner').getByText('Reconnecting').waitFor();
    await pair.restart('alice');
    await page.getByRole('banner').getByText('Live').waitFor();
    good(await pair.pay('alice', 5n));
    await balanceCell(page, DEPOSIT + 1n - PAID - HELD - 5n).waitFor();
    expect(page.url()).toContain('/money');
  });

  it('shows a network, both sides of its channel, and what passed for a payment', async () => {
    const { alice, bob } = pair.nodes;
    const nodes = [
      { name: 'alice', address: pair.address.alice, ask: askOver(alice.api.url) },
      { name: 'bob', address: pair.address.bob, ask: askOver(bob.api.url) },
    ];
    const site = await serveInspector({ nodes, tokens: [], port: 0 });
    try {
      const page = await browser.openPage(`${site.url}/inspector/`, { expected: /502/ });
      const verdict = page.getByRole('status');
      await verdict.filter({ hasText: 'Both sides hold the same' }).waitFor();

      // A lock that bob has not heard of yet: the two differ, and the page says why.
      bob.pause();
      const held = pair.pay('alice', HELD + 1n);
      await verdict.filter({ hasText: 'Something is on its way' }).waitFor();
      bob.resume();
      good(await held);
      await verdict.filter({ hasText: 'Both sides hold the same' }).waitFor();

      const payments = page.getByRole('region', { name: 'Payments' });
      const row = payments.getByRole('row').filter({ hasText: grouped(HELD + 1n) });
      await row.filter({ hasText: 'paid' }).getByRole('button').click();
      for (const said of ['Update: lock', 'RevealSecret', 'Update: unlock'])
        await payments.getByText(said, { exact: true }).first().waitFor();

      await bob.kill();
      const list = page.getByRole('list', { name: 'Nodes' });
      await list.getByText('does not answer').waitFor();
      await pair.restart('bob');
      await list.getByText('does not answer').waitFor({ state: 'detached' });
    } finally {
      await site.close();
    }
  });
});
