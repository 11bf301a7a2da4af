import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { type SyntheticChannel, syntheticChannel } from '../support/synthetic-channel.ts';
import {
  type SyntheticInspector,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';

describe('the chart and the history of a channel', () => {
  const browser = useBrowser();
  let channel: SyntheticChannel;
  let node: SyntheticInspector;

  beforeEach(async () => {
    const writer = createStepWriter();
    channel = syntheticChannel(writer, { payments: 3 });
    node = await startSyntheticInspector({ actors: [channel], writer });
  });
  afterEach(() => node.close());

  async function open(view: string, options: { expected?: RegExp } = {}): Promise<Page> {
    const actor = encodeURIComponent(channel.row().actor);
    return browser.openPage(`${node.url}#/actor/${actor}/${view}`, options);
  }
  const stateIn = (page: Page, words: RegExp) => page.getByRole('button', { name: words });

  it('lights the state, greys what was never visited, and moves with the next step', async () => {
    const page = await open('chart');
    await stateIn(page, /^State asking: active now/).waitFor();
    const closing = page.locator('.state', { has: stateIn(page, /^State closing: /) });
    expect(await closing.getAttribute('class')).toContain('state-never');
    node.emit([
      channel.tell({ type: 'cmd.close', requestId: 'close-1', nowBlock: channel.nowBlock + 1n }),
    ]);
    await stateIn(page, /^State closing: active now/).waitFor();
    expect(await closing.getAttribute('class')).not.toContain('state-never');
    expect(await stateIn(page, /^State asking: active now/).count()).toBe(0);
    await page.locator('.way-moved').first().waitFor();
  });

  it('shows with which values a guard was closed, and the chart as text', async () => {
    const page = await open('chart');
    // Far from where the actor is: the keyboard brings it into sight.
    await stateIn(page, /^actor\.addLock \[canLock\]/).focus();
    await stateIn(page, /^actor\.addLock \[canLock\]/).click();
    const selected = page.getByRole('region', { name: 'Selected' });
    await selected.getByText('event.amount').waitFor();
    expect(await selected.textContent()).toContain('400,000,000,000,000,000,000');
    expect(await selected.textContent()).toContain('canLock is closed');

    await page.getByRole('button', { name: 'As text' }).click();
    const row = page.getByRole('row', { name: /^actor\.addLock \[canLock\]/ });
    expect(await row.textContent()).toContain('possible now');
  });

  it('saves the chart as it is seen, with the state that the actor is in', async () => {
    const page = await open('chart');
    await stateIn(page, /^State asking: active now/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'as seen' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('channel-now.svg');
    // The file has no style sheet: its attributes are what a program draws that opens it.
    const saved = await browser.openPage('about:blank');
    await saved.setContent(readFileSync(await download.path(), 'utf8'));
    const looksOf = (of: Page, what: string): Promise<string[]> =>
      of.evaluate(`[...document.querySelectorAll('${what}')].map((part) =>
        ['fill', 'stroke', 'stroke-width', 'stroke-opacity'].map((name) => getComputedStyle(part)[name]).join())`);
    for (const what of ['.state-active > g > .frame', '.way-next', '.state-never > g > .frame']) {
      const seen = await looksOf(page, what);
      expect(seen.length).toBeGreaterThan(0);
      expect(await looksOf(saved, what)).toEqual(seen);
    }
  });

  it('says that a file of the chart could not be saved', async () => {
    const page = await open('chart', { expected: /Failed to load resource/ });
    await page.getByRole('button', { name: '.mmd' }).click();
    await page.getByRole('alert').filter({ hasText: 'The .mmd file is not saved' }).waitFor();
  });

  it('goes back to an old state and context, and shows them on the chart', async () => {
    const page = await open('history');
    const slider = page.getByRole('slider', { name: 'Step' });
    const context = page.getByRole('region', { name: 'State and context at this step' });
    await context.getByText('opened.deposit.idle+withdraw.pending.asking').waitFor();
    await slider.press('Home');
    await slider.press('ArrowRight');
    await context.getByText('opened.deposit.depositing+withdraw.idle').waitFor();
    const deposit = context.locator('.field', { hasText: 'totalDeposit' });
    expect(await deposit.textContent()).toContain('25,000,000,000,000,000,001');
    await page.getByRole('link', { name: 'Show on chart' }).click();
    await page.getByText('The past: as it was after step 2').waitFor();
    await stateIn(page, /^State depositing: active now/).waitFor();
  });
});
