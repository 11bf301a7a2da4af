import { afterEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { nextStep, syntheticRows } from '../support/synthetic-actors.ts';
import { syntheticChannel } from '../support/synthetic-channel.ts';
import {
  type SyntheticInspector,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';
import { until } from '../support/until.ts';

const UNIT = 10n ** 18n;

describe('the list of 10,000 actors', () => {
  const browser = useBrowser();
  const rows = syntheticRows(10_000);
  const live = rows.filter(({ isEnded }) => !isEnded);
  let node: SyntheticInspector;

  afterEach(() => node.close());

  it('counts all actors, filters them, and opens the one that the filter leaves', async () => {
    node = await startSyntheticInspector({ rows, block: 1_000n });
    const page = await browser.openPage(`${node.url}#/actors`);
    await page.getByText(`${live.length.toLocaleString('en')} of`).waitFor();
    const targets = live.filter(({ machine }) => machine === 'target');
    await page.getByLabel('Machine').selectOption('target');
    await page.getByText(`${targets.length.toLocaleString('en')} of`).waitFor();
    const [wanted] = targets;
    await page
      .getByRole('searchbox', { name: 'Payment', exact: true })
      .fill(`${wanted?.paymentId}`);
    await page.getByText('1 of', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Map of 1 actors' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tooltip').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    expect(decodeURIComponent(page.url())).toContain(wanted?.actor);
  });

  it('moves an actor to its new state as the node tells it', async () => {
    node = await startSyntheticInspector({ rows, block: 1_000n });
    const page = await browser.openPage(`${node.url}#/actors`);
    const closed = live.filter(({ state }) => state === 'closed');
    const heading = (count: number) =>
      page.getByRole('heading', { name: `Channel closed ${count.toLocaleString('en')}` });
    await heading(closed.length).waitFor();
    node.emit(closed.slice(0, 10).map((row) => nextStep(node.writer, row, 1_000n)));
    await heading(closed.length - 10).waitFor();
  });

  it('is also a table, sorted by any column', async () => {
    node = await startSyntheticInspector({ rows, block: 1_000n });
    const page = await browser.openPage(`${node.url}#/actors`);
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('button', { name: 'Amount' }).click();
    await page.getByRole('button', { name: 'Amount' }).click();
    const most = live.reduce((a, b) => ((a.amount ?? 0n) > (b.amount ?? 0n) ? a : b));
    const amount = (most.amount ?? 0n).toLocaleString('en');
    await page.getByRole('row').nth(1).getByText(amount).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(100);
  });

  it('opens with the same filter and sort order for everybody who gets its address', async () => {
    node = await startSyntheticInspector({ rows, block: 1_000n });
    const first = await browser.openPage(`${node.url}#/actors`);
    await first.getByLabel('Machine').selectOption('channel');
    await first.getByRole('button', { name: 'Table' }).click();
    await first.getByRole('button', { name: 'Amount' }).click();
    await first.getByRole('button', { name: 'Amount' }).click();
    const address = first.url();
    expect(address).toContain('machine=channel');
    const second = await browser.openPage(address);
    await second.locator('th[aria-sort=descending]').getByText('Amount').waitFor();
    expect(await second.getByLabel('Machine').inputValue()).toBe('channel');
    // After a look at one actor and back, the filter and the sort order are still the same.
    await second.getByRole('row').nth(1).getByRole('link').click();
    await second.getByRole('link', { name: 'Actors' }).click();
    await second.locator('th[aria-sort=descending]').getByText('Amount').waitFor();
    expect(second.url()).toBe(address);
  });
});

describe('what a node has and does', () => {
  const browser = useBrowser();
  let node: SyntheticInspector;
  afterEach(() => node.close());

  it('is shown with both sides of each channel, and changes with a payment', async () => {
    const writer = createStepWriter();
    const channel = syntheticChannel(writer, { payments: 3 });
    node = await startSyntheticInspector({ actors: [channel], writer });
    const page = await browser.openPage(node.url);
    const sums = page.getByRole('region', { name: 'What can be paid and received' });
    await sums.getByText('You can receive').waitFor();
    const before = await sums.locator('strong').first().textContent();
    node.emit(channel.pay(UNIT));
    await until(
      async () => (await sums.locator('strong').first().textContent()) !== before,
      'it moves',
    );
    await page.getByRole('button', { name: 'Chart of channel 1' }).click();
    await page.getByRole('link', { name: /^The chart with its steps/ }).waitFor();
  });
});
