import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** What a browser says of a call that is refused, and of an answer that a test has cut off. */
const REFUSED = /Failed to load resource|ERR_/;
const UNIT = 10n ** 18n;
/** Of one payment. The filter of the history looks into addresses, too: a short one may be part of a fresh address. */
const IDENTIFIER = '4711471147114711';
const VIEWS = ['balances', 'pay', 'ask', 'channels', 'history', 'messages', 'services'];
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // What the colours cannot change is the same in both.
  dark: ['color-contrast'],
};

describe('the wallet of a node', () => {
  const browser = useBrowser();
  let folder: string;
  let ready: ReadyFile;
  let axe: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = mkdtempSync(join(tmpdir(), 'sluice-wallet-'));
    const file = join(folder, 'ready.json');
    const options = ['--nodes', '3', '--no-services', '--open', '--api-port', '0'];
    startProgram(['devnet', ...options, '--ready-file', file]);
    await until(() => existsSync(file), 'the devnet', 90_000);
    ready = JSON.parse(readFileSync(file, 'utf8'));
  });
  afterAll(async () => {
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  function node(name: string) {
    const found = ready.nodes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }
  const token = () => ready.tokens[0]?.address ?? '';
  const openWallet = (name: string, view: string, options = {}) =>
    browser.openPage(`${node(name).api}/wallet/#/${view}`, options);
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const confirm = (page: Page, verb: string) =>
    page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  /** Waits until the list of what was asked for says so. */
  const said = (page: Page, what: string | RegExp, state: string) =>
    page
      .getByRole('region', { name: 'What you asked for' })
      .getByRole('listitem')
      .filter({ hasText: what })
      .filter({ hasText: state })
      .first()
      .waitFor();
  const show = (page: Page, view: string) =>
    page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);

  async function channelOf(name: string, partner: string) {
    const param = { token: token(), partner: node(partner).address };
    const answer = await createClient(node(name).api).channels[':token'][':partner'].$get({
      param,
    });
    return answer.status === 200 ? answer.json() : null;
  }
  async function paymentsOf(name: string) {
    const answer = await createClient(node(name).api).payments.$get({ query: {} });
    return answer.status === 200 ? answer.json() : [];
  }
  const paidWith = async (name: string, identifier: string) =>
    (await paymentsOf(name)).filter(
      (one) => one.event === 'EventPaymentSentSuccess' && one.identifier === identifier,
    );
  const mine = (blocks: number) =>
    fetch(new URL(`/devnet/mine/${blocks}`, ready.inspector), { method: 'POST' });

  async function fillPayment(page: Page, to: string, amount: string, identifier = '') {
    await page.getByLabel('To', { exact: true }).fill(to);
    await page.getByLabel('Amount, TTA').fill(amount);
    await page.getByLabel('Identifier', { exact: true }).fill(identifier);
    await press(page, 'Pay …');
    await page.getByRole('dialog').waitFor();
  }

  it('shows balances by token and channel as they are, and follows them', async () => {
    const page = await openWallet('alice', 'balances');
    const row = page.getByRole('row', { name: /^TTA/ });
    await row.getByText('95', { exact: true }).waitFor();
    await row.getByText('999,900').waitFor();
    const cards = page.getByRole('region', { name: 'Channels of TTA' });
    await cards.getByRole('heading', { name: /^bob/ }).waitFor();
    await cards.getByText('95 TTA').waitFor();
    const { payments } = createClient(node('bob').api);
    const param = { token: token(), partner: node('alice').address };
    await payments[':token'][':partner'].$post({ param, json: { amount: `${UNIT / 4n}` } });
    await row.getByText('95.25').waitFor();
    await show(page, 'messages');
    await page.getByText('← 0.25 TTA').waitFor();
    await press(page, 'Read what waits at the node');
    await page.getByText(/Nothing waits|\d+ read/).waitFor();
  });

  it('pays a name, and says in the words of the node why it cannot', async () => {
    const page = await openWallet('alice', 'pay', { expected: REFUSED });
    const { balance } = (await channelOf('alice', 'bob')) ?? { balance: '0' };
    await page.getByLabel('To', { exact: true }).fill('nobody');
    await page.getByText('No address has this name.').waitFor();
    await page.getByLabel('Amount, TTA').fill('1,5');
    await page.getByText('Write it without commas').waitFor();
    expect(await page.getByRole('button', { name: 'Pay …' }).isDisabled()).toBe(true);
    await fillPayment(page, 'bob', '0.000000000000000001');
    const dialog = page.getByRole('dialog', { name: 'Pay 0.000000000000000001 TTA to bob?' });
    await dialog.getByText(node('bob').address).waitFor();
    await confirm(page, 'Pay');
    await said(page, 'Pay 0.000000000000000001 TTA to bob', 'Paid.');
    expect((await channelOf('alice', 'bob'))?.balance).toBe(`${BigInt(balance) - 1n}`);
    await fillPayment(page, 'carol', '0.5');
    await confirm(page, 'Pay');
    await said(page, 'Pay 0.5 TTA to carol', 'Paid.');
    await fillPayment(page, 'bob', '5000');
    await confirm(page, 'Pay');
    await said(page, 'Pay 5,000 TTA to bob', 'Not done');
    await said(page, 'Pay 5,000 TTA to bob', 'The balance is insufficient');
  });

  it('asks with a link that the payer pastes, and the same link is paid once', async () => {
    const payee = await openWallet('bob', 'ask');
    await payee.getByLabel('Amount, TTA').fill('1.25');
    await payee.getByRole('img', { name: 'QR code of the link: pay 1.25 TTA to bob' }).waitFor();
    const identifier = await payee.getByLabel('Identifier', { exact: true }).inputValue();
    const link = await payee
      .getByRole('button', { name: /^Copy link/ })
      .locator('code')
      .textContent();
    expect(link).toBe(
      `sluice:${node('bob').address}?token=${token()}&amount=1250000000000000000&identifier=${identifier}&chain=31337`,
    );
    const tabs = [];
    for (let tab = 0; tab < 2; tab += 1) {
      const page = await openWallet('alice', 'pay');
      await page.getByLabel('Payment link').fill(link ?? '');
      expect(await page.getByLabel('Amount, TTA').inputValue()).toBe('1.25');
      await press(page, 'Pay …');
      await page.getByRole('dialog', { name: /^Pay 1.25 TTA to bob/ }).waitFor();
      tabs.push(page);
    }
    for (const page of tabs) {
      await confirm(page, 'Pay');
      await said(page, 'Pay 1.25 TTA', 'Paid.');
    }
    await payee.getByText('1.25 TTA came from alice.').waitFor();
    expect(await paidWith('alice', identifier)).toHaveLength(1);

    const late = await openWallet('alice', `pay/${encodeURIComponent(link ?? '')}`);
    await press(late, 'Pay …');
    await late.getByRole('dialog').getByText('You have paid 1.25 TTA').waitFor();
    await press(late, 'Back');
    await late.getByLabel('Payment link').fill(`${link}`.replace('chain=31337', 'chain=1'));
    await late.getByText('It is for chain 1, and this node is on 31337.').waitFor();
    // Nothing of the link before is left to be paid by mistake.
    for (const field of ['To', 'Amount, TTA', 'Identifier'])
      expect(await late.getByLabel(field, { exact: true }).inputValue()).toBe('');
    expect(await late.getByRole('button', { name: 'Pay …' }).isDisabled()).toBe(true);
    await late.getByLabel('Payment link').fill(`${link}&expires=1700000000`);
    await late.getByText(/^It was to be paid before .*: ask for another\.$/).waitFor();
    const soon = Math.ceil(Date.now() / 1_000) + 1;
    await late.getByLabel('Payment link').fill(`${link}&expires=${soon}`);
    await until(() => Date.now() > soon * 1_000, 'the link is too old');
    await press(late, 'Pay …');
    await late
      .getByRole('alert')
      .getByText(/^It was to be paid before/)
      .waitFor();
    expect(await paidWith('alice', identifier)).toHaveLength(1);
  });

  it('pays once when the button is pressed twice and the first answer is lost', async () => {
    const page = await openWallet('alice', 'pay', { expected: REFUSED });
    const keys: (string | null)[] = [];
    await page.route('**/api/v1/payments/**', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(await route.request().headerValue('idempotency-key'));
      if (keys.length > 1) return route.continue();
      // The node pays, and its answer does not arrive.
      await route.fetch();
      await route.abort();
    });
    await fillPayment(page, 'bob', '0.125', IDENTIFIER);
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).dblclick();
    await said(page, `identifier ${IDENTIFIER}`, 'Paid.');
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(await paidWith('alice', IDENTIFIER)).toHaveLength(1);
  });

  it('pays once when the page is loaded anew before the answer came', async () => {
    const page = await openWallet('alice', 'pay', { expected: REFUSED });
    const before = await paymentsOf('alice');
    let isPaid = false;
    await page.route('**/api/v1/payments/**', async (route) => {
      if (isPaid || route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      isPaid = true;
      // The answer is on its way when the page goes.
    });
    page.on('dialog', (dialog) => void dialog.accept());
    await fillPayment(page, 'bob', '0.0625');
    await confirm(page, 'Pay');
    await until(() => isPaid, 'the node has paid');
    await page.reload();
    await said(page, 'Pay 0.0625 TTA to bob', 'This page was closed');
    await fillPayment(page, 'bob', '0.0625');
    await page.getByRole('dialog').getByText('You have asked for the same before').waitFor();
    await press(page, 'Back');
    await press(page, 'Ask again: Pay 0.0625 TTA to bob');
    await said(page, 'Pay 0.0625 TTA to bob', 'Paid.');
    expect((await paymentsOf('alice')).length).toBe(before.length + 1);
    await page.reload();
    await said(page, 'Pay 0.0625 TTA to bob', 'Paid.');
  });

  it('filters the history, and gives it as a file', async () => {
    const page = await openWallet('alice', 'history');
    const list = page.getByRole('list', { name: 'Payments' }).getByRole('listitem');
    await page.getByText(/^(\d+) of \1 payments$/).waitFor();
    await page.getByLabel('Which').selectOption('received');
    await until(async () => (await list.count()) === 1, 'one was received');
    expect(await list.first().textContent()).toContain('Received 0.25 TTA from bob');
    await page.getByLabel('Which').selectOption('');
    await page.getByLabel('Partner or identifier').fill(IDENTIFIER);
    await expect.poll(() => list.allTextContents(), { timeout: 60_000 }).toHaveLength(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page, 'Download as CSV'),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`,sent,${token()},TTA,${node('bob').address},bob,0.125,`);
    await page.getByLabel('From day').fill('2100-01-01');
    await until(async () => (await list.count()) === 0, 'nothing is of that day');
  });

  it('opens a channel, deposits, withdraws and closes, with what it costs', async () => {
    const page = await openWallet('alice', 'channels', { expected: REFUSED });
    const form = page.getByRole('form', { name: 'Open a channel' });
    await form.getByLabel('With').fill('carol');
    await form.getByLabel('Deposit, TTA').fill('10.5');
    await form.getByLabel('Settle timeout, blocks').fill('20');
    await press(page, 'Open …');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/at most about 260,000 gas, 2 transactions: 0\.\d+…? ETH/).waitFor();
    await confirm(page, 'Open');
    const coming = page.getByRole('listitem').filter({ hasText: 'being opened' });
    await coming.filter({ hasText: 'carol' }).filter({ hasText: '10.5' }).waitFor();
    await said(page, 'Open the TTA channel with carol with 10.5 TTA', 'Done.');
    await coming.waitFor({ state: 'detached' });
    expect((await channelOf('alice', 'carol'))?.total_deposit).toBe(`${(105n * UNIT) / 10n}`);

    const deposit = page.getByRole('form', { name: 'Deposit into the TTA channel with carol' });
    await deposit.getByLabel('Deposit, TTA').fill('1');
    await deposit.getByRole('button').click();
    await confirm(page, 'Deposit');
    await said(page, 'Deposit 1 TTA', 'Done.');
    expect((await channelOf('alice', 'carol'))?.total_deposit).toBe(`${(115n * UNIT) / 10n}`);

    const withdraw = page.getByRole('form', { name: 'Withdraw from the TTA channel with carol' });
    await withdraw.getByLabel('Withdraw, TTA').fill('2.5');
    await withdraw.getByRole('button').click();
    await dialog.getByText('Your partner has to be there').waitFor();
    await confirm(page, 'Withdraw');
    await said(page, 'Withdraw 2.5 TTA', 'Done.');
    await until(
      async () => (await channelOf('alice', 'carol'))?.total_withdraw === `${(25n * UNIT) / 10n}`,
      'the withdrawal is confirmed',
    );

    await press(page, 'Close the TTA channel with carol');
    await dialog.getByText(/24 blocks/).waitFor();
    await confirm(page, 'Close');
    await said(page, 'Close the TTA channel with carol', 'Closed');
    await page.getByText('■ closed').waitFor();
    await mine(30);
    await page.getByText('■ closed').waitFor({ state: 'detached' });
  });

  it('pays into the user deposit, and takes out what was planned', async () => {
    const page = await openWallet('alice', 'services', { expected: REFUSED });
    const one = async (verb: string, amount: string) => {
      const form = page.getByRole('form', { name: verb, exact: true });
      await form.getByRole('textbox').fill(amount);
      await form.getByRole('button').click();
    };
    await one('Deposit', '3');
    await confirm(page, 'Deposit');
    await said(page, 'Pay 3 SVT into the user deposit', 'Done.');
    await one('Plan to take out', '2');
    await confirm(page, 'Plan');
    await said(page, 'Plan to take 2 SVT', 'Done.');
    const take = page.getByRole('button', { name: 'Take out what is planned …' });
    expect(await take.isDisabled()).toBe(true);
    await mine(110);
    await until(() => take.isEnabled(), 'the delay is over');
    await take.click();
    await confirm(page, 'Take out');
    await said(page, 'Take 2 SVT out', 'Done.');
  });

  it('can be used by keyboard alone', async () => {
    const page = await openWallet('alice', 'balances');
    await page.getByRole('link', { name: 'Pay', exact: true }).focus();
    await page.keyboard.press('Enter');
    // The heading, and not the link to it, which has the same text.
    await page.locator('h1:focus').waitFor();
    for (const text of ['', 'bob']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0.5');
    // Held down, Enter opens the question and does not answer it.
    for (let times = 0; times < 5; times += 1) await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    while (
      !(await page.evaluate(`document.activeElement.textContent === 'Pay'`)) ||
      !(await page.evaluate(`document.activeElement.tagName === 'BUTTON'`))
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said(page, 'Pay 0.5 TTA to bob', 'Paid.');
  });

  it.each(['light', 'dark'] as const)(
    'breaks no rule of WCAG in %s, and fits 400 px',
    async (colorScheme) => {
      const viewport = { width: 400, height: 800 };
      const page = await openWallet('alice', 'balances', { colorScheme, viewport });
      await page.getByRole('heading', { name: /^bob/ }).waitFor();
      await page.evaluate(axe);
      const options = JSON.stringify({ runOnly: RULES[colorScheme] });
      for (const view of VIEWS) {
        await show(page, view);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (view === 'history') await page.getByText(/^\d+ of \d+ payments$/).waitFor();
        const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join())))`);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect([view, found, width]).toEqual([view, [], 400]);
      }
      await show(page, 'pay');
      await fillPayment(page, 'bob', '1');
      const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join())))`);
      expect(found).toEqual([]);
    },
  );
});
