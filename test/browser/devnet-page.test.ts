import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** What a browser says of a node that was stopped, and of a payment that nobody can make. */
const AWAY = /502|402|ERR_/;

describe('the page of a devnet', () => {
  const browser = useBrowser();
  let folder: string;
  let file: string;
  let ready: ReadyFile;
  let axe: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = mkdtempSync(join(tmpdir(), 'sluice-devnet-page-'));
    file = join(folder, 'ready.json');
    const options = ['--nodes', '2', '--no-services', '--processes', '--api-port', '0'];
    startProgram(['devnet', ...options, '--ready-file', file]);
    await until(() => existsSync(file), 'the devnet', 60_000);
    ready = JSON.parse(readFileSync(file, 'utf8'));
  });
  afterAll(async () => {
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  /** With the pointer, in the drawing of the network. */
  async function drawLine(page: Page, from: string, to: string) {
    const node = page.locator('.network-node');
    await node.filter({ hasText: from }).hover();
    await page.mouse.down();
    await node.filter({ hasText: to }).hover();
    await page.mouse.up();
  }
  const saidFirst = (page: Page, text: string | RegExp) =>
    page
      .getByRole('list', { name: 'What was done' })
      .getByRole('listitem')
      .first()
      .getByRole('status')
      .filter({ hasText: text })
      .waitFor();

  it('opens a channel, pays, kills and starts a node, and shows the shell commands for it', async () => {
    const page = await browser.openPage(ready.inspector, { expected: AWAY });
    await page.getByText('There is no channel yet').waitFor();
    await drawLine(page, 'bob', 'alice');
    const open = (between: string) =>
      page.getByRole('form', { name: `Open a channel between ${between}` });
    await open('bob and alice').getByLabel('Deposit').press('Escape');
    await open('bob and alice').waitFor({ state: 'detached' });
    // With the keyboard.
    await page.getByRole('button', { name: 'Draw a line from alice' }).press('Enter');
    await page.getByRole('button', { name: 'Draw the line from alice to bob' }).press('Enter');
    await open('alice and bob').getByLabel('Deposit').fill('5.5');
    await open('alice and bob').getByLabel('Deposit').press('Enter');
    await page.getByText('opening with 5.5 TTA').waitFor();
    await saidFirst(page, 'alice has opened a channel with bob and deposited 5.5 TTA.');
    await page.getByText('Both sides hold the same').waitFor();

    const pay = page.getByRole('form', { name: 'Pay' });
    await pay.getByLabel(/Amount/).fill('much');
    await pay.getByText('Write an amount of TTA').waitFor();
    expect(await pay.getByRole('button', { name: 'Pay', exact: true }).isDisabled()).toBe(true);
    await pay.getByLabel(/Amount/).fill('1.25');
    await press(page, 'Pay');
    await saidFirst(page, 'alice has paid bob 1.25 TTA.');
    const said = page.getByRole('list', { name: 'What was done' }).getByRole('listitem').first();
    await said.getByText('The answer').click();
    await said.getByText('"secret": "(hidden)"').waitFor();
    const [alice, bob] = ready.nodes;
    const target = `${alice?.api}/api/v1/payments/${ready.tokens[0]?.address}/${bob?.address}`;
    await page
      .getByRole('list', { name: 'What was done' })
      .getByText(`curl -X POST ${target}`)
      .first()
      .waitFor();
    const payments = page.getByRole('region', { name: 'Payments' });
    await payments.getByRole('row').filter({ hasText: 'paid' }).waitFor();

    const nodes = page.getByRole('list', { name: 'Nodes' });
    await press(page, 'Kill -9 bob');
    await nodes.getByText('stopped').waitFor();
    await press(page, 'Start bob');
    await nodes.getByText('stopped').waitFor({ state: 'detached' });
    await press(page, 'Cut off bob');
    await nodes.getByText('⌁ cut off').waitFor();
    await press(page, 'Connect bob');
    await nodes.getByText('⌁ cut off').waitFor({ state: 'detached' });

    // Too much: what the node says is shown, and the reason stands with the payment.
    await pay.getByLabel(/Amount/).fill('100');
    await press(page, 'Pay');
    await saidFirst(page, /^[A-Z].*\.$/);

    // One more node: as many at a time, on the page, in the file, and in a channel.
    await press(page, 'Add a node');
    await page.getByText('carol gets money and starts …').waitFor();
    const second = await fetch(new URL('/devnet/nodes', ready.inspector), { method: 'POST' });
    expect(second.status).toBe(409);
    expect(await second.text()).toContain('"errors":"carol is being started: one at a time."');
    await saidFirst(page, 'One more node runs. Draw a line to it.');
    await page.locator('.network-node').filter({ hasText: 'carol' }).waitFor();
    expect(JSON.parse(readFileSync(file, 'utf8')).nodes).toHaveLength(3);
    await drawLine(page, 'carol', 'alice');
    await open('carol and alice').getByLabel('Deposit').fill('5.5');
    await press(page, 'Open it');
    await saidFirst(page, 'carol has opened a channel with alice and deposited 5.5 TTA.');
    await page
      .getByRole('button', {
        name: /carol can pay 5.5 TTA|alice can pay 0 TTA · carol/,
        pressed: true,
      })
      .waitFor();
    await page.getByText('Log of carol').waitFor();

    // The log of a node, of which nothing is an error: on a busy machine it warns of what comes late.
    const log = page.getByRole('log', { name: 'Log of alice' });
    await page.getByText('Log of alice').click();
    await log
      .getByText(/INFO {2}payments/)
      .first()
      .waitFor();
    expect(await log.textContent()).not.toMatch(/0x[0-9a-f]{64}/i);
    const shown = page.getByLabel('Show');
    await shown.selectOption('warnings and errors');
    await log
      .getByText(/^\S+ INFO/)
      .first()
      .waitFor({ state: 'detached' });
    await shown.selectOption('errors');
    await log.getByText('Nothing of this kind.').waitFor();
    await shown.selectOption('everything');

    await page.evaluate(axe);
    const found = await page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa'] }).then(({ violations }) => violations.flatMap(
        ({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join())))`,
    );
    expect(found).toEqual([]);

    const channel = page.getByRole('form', { name: 'This channel' });
    await channel.getByLabel(/Amount/).fill('2');
    await press(page, 'Deposit');
    await saidFirst(page, 'alice has deposited 2 TTA.');
    await press(page, 'Withdraw');
    await saidFirst(page, 'alice has taken 2 TTA out.');
    await press(page, 'Close');
    await saidFirst(page, 'alice has closed the channel');
    await press(page, 'Mine');
    await saidFirst(page, '20 blocks are made.');

    // Time goes fast, until it is told not to.
    const blocks = async () =>
      Number(
        /#([\d,]+)/
          .exec((await page.getByRole('banner').textContent()) ?? '')?.[1]
          ?.replaceAll(',', ''),
      );
    await page.getByLabel('By themselves').selectOption('10');
    await saidFirst(page, '10 more blocks a second.');
    const before = await blocks();
    await until(async () => (await blocks()) > before + 30, 'thirty blocks', 20_000);
    await page.getByLabel('By themselves').selectOption('0');
    await saidFirst(page, 'Blocks come as usual.');
  });
});
