import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { serveNode } from '../../src/host/node-api.ts';
import { wrongIn } from '../oracle/judge.ts';
import { readPage } from '../oracle/read.ts';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { walletFacts } from '../support/wallet-facts.ts';
import { channelView, fakeNode, PARTNER, TOKEN } from '../unit/http/fake-node.ts';

const COUNT = 231n;
const TOKENS = new Map([[TOKEN.toLowerCase(), { symbol: 'TTA', decimals: 2 }]]);

function partnerAt(index: bigint): Address {
  if (index === 40n) return PARTNER;
  const address = parseAddress(`0x${(index + 1n).toString(16).padStart(40, '7')}`);
  if (address === null) throw new Error('no address');
  return address;
}
/** What the channel of an index can pay: the order of amounts is not that of the indexes. The four largest are closed. */
const canPayAt = (index: bigint) => (index * 97n) % COUNT;

describe('the wallet of a node with many channels', () => {
  const browser = useBrowser();
  let url: string;
  let end: () => unknown;

  beforeAll(async () => {
    const indexes = Array.from({ length: Number(COUNT) }, (_, index) => BigInt(index));
    const channels = indexes.map((index) =>
      channelView({
        ...{ channelId: index, partner: partnerAt(index), balance: canPayAt(index) },
        state: index % 50n === 0n ? 'closed' : 'opened',
      }),
    );
    const capacities = indexes.map((index) => ({
      ...{ token: TOKEN, partner: partnerAt(index) },
      ...{ canPay: `${canPayAt(index)}`, canReceive: `${index}`, settleBlock: null },
    }));
    const node = fakeNode({ channels: () => channels, channelSlices: () => [channels] });
    const wallet = async () => ({ ...walletFacts(), capacities });
    const config = { host: '127.0.0.1', port: 0, concurrency: 1, wallet, tokens: [] };
    const served = await serveNode({ node, config, onInternalError: () => {} });
    if (!served.ok) throw new Error(served.message);
    url = `${served.value.url}/wallet/`;
    end = served.value.end;
  });
  afterAll(() => end());

  const rows = (page: Page) => page.locator('.rows > li');
  const shows = (page: Page, count: number) =>
    until(async () => (await rows(page).count()) === count, `${count} rows`);

  it.each([1440, 1280, 768, 400])(
    'lists them by page at %d px, and draws both sides',
    async (width) => {
      const page = await browser.openPage(url, { viewport: { width, height: 800 } });
      await page.getByText('1 to 25 of 231 channels').waitFor();
      await shows(page, 25);
      const seen = await readPage(page, ['TTA']);
      expect(wrongIn(seen, TOKENS)).toEqual([]);
      const paid = seen.figures.filter(({ claim }) => /^channel:.*\/can_pay$/.test(claim));
      const amounts = paid.map(({ value }) => Number(value));
      expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
      expect(amounts[0]).toBe(226);
      expect(seen.bars).toHaveLength(50);
      const height = await page.evaluate('document.documentElement.scrollHeight');
      expect(height).toBeLessThan(4_000);
    },
  );

  it('finds those of a partner and in a state, and turns pages', async () => {
    const page = await browser.openPage(`${url}#/channels`);
    await page.getByLabel('Partner', { exact: true }).fill('bob');
    await shows(page, 1);
    await page.getByRole('button', { name: 'More of the TTA channel with bob' }).click();
    await page.getByRole('form', { name: 'Deposit into the TTA channel with bob' }).waitFor();
    await page.getByLabel('Partner', { exact: true }).fill('');
    await page.getByLabel('State').selectOption('closed');
    await page.getByText('1 to 5 of 5 channels').waitFor();
    await page.getByLabel('State').selectOption('');
    for (let turned = 0; turned < 9; turned += 1)
      await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('Page 10 of 10').waitFor();
    await shows(page, 6);
    expect(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled()).toBe(true);
  });
});
