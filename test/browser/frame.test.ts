import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { CHANNEL, OWN, PARTNER, TOKEN } from '../support/makers.ts';
import { syntheticRows } from '../support/synthetic-actors.ts';
import { syntheticChannel } from '../support/synthetic-channel.ts';
import {
  type SyntheticInspector,
  type SyntheticWorld,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';
import { until } from '../support/until.ts';

/** What a browser says of a node that refuses or is away. */
const AWAY = /Failed to load resource|ERR_/;

describe('the frame of the page', () => {
  const browser = useBrowser();
  let node: SyntheticInspector;

  async function start(world: SyntheticWorld = {}): Promise<SyntheticWorld> {
    const writer = createStepWriter();
    const actors = [syntheticChannel(writer, { payments: 3 })];
    const given = { rows: syntheticRows(20), actors, writer, ...world };
    node = await startSyntheticInspector(given);
    return given;
  }
  const channel = (view: string) => `${node.url}#/actor/${encodeURIComponent(CHANNEL)}/${view}`;
  const focusOn = (page: Page, name: string) => page.locator(':focus', { hasText: name }).waitFor();

  afterEach(() => node.close());

  it('says whose node it is, and follows its blocks', async () => {
    await start({ block: 1_000n });
    const page = await browser.openPage(node.url);
    const banner = page.getByRole('banner');
    await banner.getByText(`${OWN.slice(0, 6)}…${OWN.slice(-4)}`).waitFor();
    await banner.getByText('#1000').waitFor();
    node.setBlock(1_001n);
    await banner.getByText('#1001').waitFor();
    await banner.getByText('Live').waitFor();
  });

  it('shows amounts in tokens with their symbol, and in the smallest unit when the reader chooses that', async () => {
    const world = await start({
      labels: {
        tokens: [{ address: TOKEN, symbol: 'TTA', decimals: 2 }],
        names: [{ address: PARTNER, name: 'bob' }],
      },
    });
    const own = world.actors?.[0]?.row().balances?.own ?? 0n;
    const page = await browser.openPage(channel('money'));
    await page.getByText(/^bob · TTA · /).waitFor();
    const balance = page
      .getByRole('row', { name: /^Balance/ })
      .getByRole('cell')
      .first();
    expect(await balance.textContent()).toMatch(/^[\d.,]+ TTA$/);
    await balance.selectText();
    const copied = await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      document.dispatchEvent(new ClipboardEvent('copy', { clipboardData, cancelable: true }));
      return clipboardData.getData('text/plain');
    })()`);
    expect(copied).toBe(`${own}`);
    await page.getByLabel('Amounts').selectOption('units');
    await until(
      async () => (await balance.textContent()) === own.toLocaleString('en'),
      'the units are shown',
    );
  });

  it('finds an actor by the name of the partner and by the token', async () => {
    await start({
      labels: {
        tokens: [{ address: TOKEN, symbol: 'TTA', decimals: 2 }],
        names: [{ address: PARTNER, name: 'bob' }],
      },
    });
    const page = await browser.openPage(node.url);
    for (const text of ['bob', 'tta']) {
      await page.getByRole('searchbox', { name: /^Search/ }).fill(text);
      await page.getByRole('list', { name: 'Found actors' }).getByText('Channel 1').waitFor();
    }
  });

  it('goes on by itself when the node is back', async () => {
    const world = await start();
    const page = await browser.openPage(channel('history'), { expected: AWAY });
    await page.getByRole('banner').getByText('Live').waitFor();
    await node.close();
    await page.getByRole('banner').getByText('Reconnecting').waitFor();
    node = await startSyntheticInspector({ ...world, port: node.port });
    await page.getByRole('banner').getByText('Live').waitFor();
    await until(() => node.streams > 0, 'the stream is followed again');
  });

  it('asks for the token that the node wants, and keeps it for this tab only', async () => {
    await start({ token: 'read-1' });
    const page = await browser.openPage(node.url, { expected: AWAY });
    await page.getByLabel('Token', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The node did not take that token.').waitFor();
    await page.getByLabel('Token', { exact: true }).fill('read-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This node' }).waitFor();
    expect(await page.evaluate('Object.values({ ...localStorage }).join()')).not.toContain(
      'read-1',
    );
    await page.reload();
    await page.getByRole('heading', { name: 'This node' }).waitFor();
  });

  it('can be used by keyboard alone, and focuses the heading of the page that it opens', async () => {
    await start();
    const page = await browser.openPage(node.url);
    await page.getByRole('heading', { name: 'This node' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('channel:0xe7f1');
    await page.getByRole('link', { name: /^Channel 1 / }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Channel 1' }).waitFor();
    await focusOn(page, 'Channel 1');
    await page.keyboard.press('2');
    await page
      .getByRole('link', { name: 'money', exact: true })
      .and(page.locator('[aria-current]'))
      .waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.getByRole('heading', { name: 'Actors' }).waitFor();
    await page.keyboard.press('h');
    await page.getByRole('heading', { name: 'This node' }).waitFor();
  });

  it('keeps the theme that was chosen', async () => {
    await start();
    const page = await browser.openPage(node.url, { colorScheme: 'light' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByLabel('Theme').selectOption('dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    await page.getByRole('banner').getByText('Live').waitFor();
    expect(await ground()).not.toBe(light);
  });

  it('says so when its address names an actor that the node does not know', async () => {
    await start();
    const page = await browser.openPage(`${node.url}#/actor/channel%3A0x00%3A9/chart`, {
      expected: AWAY,
    });
    await page.getByRole('alert').getByText('The node knows nothing of this.').waitFor();
  });
});
