import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { readRest } from '../oracle/network-facts.ts';
import { type Walked, walkPage } from '../oracle/network-walk.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const AWAY = /502|402|409|Failed to load resource|ERR_/;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join())))`;

/** The page as it is for everybody, in both colours. */
async function barriersOf(page: Page): Promise<unknown[]> {
  await page.evaluate(axe);
  const found: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(await page.evaluate(AXE));
  }
  return found.flat();
}

/** Whose part of a channel has which colour: by channel and node, wherever it is told. */
const coloursOf = (page: Page) =>
  page
    .locator('line[data-whole]')
    .evaluateAll((lines) => lines.map((line) => line.getAttribute('class')));

describe('every figure of the page over all nodes is what the nodes say', () => {
  const browser = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-network-figures-'));
  afterEach(endPrograms);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('on a devnet: opened, paid, closed, a node stopped and started', async () => {
    const file = join(folder, 'ready.json');
    const options = ['--nodes', '3', '--no-services', '--api-port', '0', '--block-time', '0.2'];
    startProgram(['devnet', '--open', ...options, '--ready-file', file]);
    await until(() => existsSync(file), 'the devnet', 60_000);
    const ready: ReadyFile = JSON.parse(readFileSync(file, 'utf8'));
    const { inspector, nodes, tokens, chain } = ready;
    const [alice, bob, carol] = nodes;
    const token = tokens[0]?.address;
    const call = (api: string | undefined, method: string, path: string, body: object) =>
      fetch(`${api}/api/v1/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const deed = (path: string) => fetch(new URL(`/devnet/${path}`, inspector), { method: 'POST' });
    const pause = (seconds: number) =>
      fetch(chain.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'evm_setIntervalMining',
          params: [seconds],
        }),
      });
    const page = await browser.openPage(inspector, { expected: AWAY });
    const all: Walked = { wrong: [], figures: 0 };
    const look = async (moment: string) => {
      const { wrong, figures } = await walkPage(page, inspector, moment);
      all.wrong.push(...wrong);
      all.figures += figures;
    };
    await page
      .getByRole('button', { name: /can pay/ })
      .first()
      .waitFor();
    await pause(0);
    await look('opened');
    for (const [payer, payee, amount] of [
      [alice, bob, '123456789012345678'],
      [bob, alice, '3000000000000000000'],
      [alice, carol, '1'],
      [carol, alice, '77700000000000000000'],
      [bob, carol, '999000000000000000000'],
    ] as const)
      await call(payer?.api, 'POST', `payments/${token}/${payee?.address}`, { amount });
    await look('paid');
    await call(alice?.api, 'POST', `payments/${token}/${bob?.address}`, {
      amount: '60000000000000000000',
    });
    await look('paid much');
    for (const { name, api } of nodes) {
      const shown = await page
        .locator(`.network-channels [data-figure^="${name}/"]`)
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-value')));
      const said = [...(await readRest(api)).values()].map(({ balance }) => `${balance}`);
      expect(shown.toSorted()).toEqual(said.toSorted());
    }
    const colours = await coloursOf(page);
    await deed('nodes/alice/stop');
    const isAway = async () =>
      (await page.locator('[data-figure="alice/presence"]').getAttribute('data-value')) === 'away';
    await until(isAway, 'the page to say that alice is stopped', 500);
    await look('alice stopped');
    expect(await coloursOf(page)).toEqual(colours);
    await deed('nodes/alice/start');
    await look('alice started');
    await pause(1);
    await call(alice?.api, 'PATCH', `channels/${token}/${bob?.address}`, { state: 'closed' });
    await pause(0);
    await look('closed');
    all.wrong.push(...(await barriersOf(page)).map((text) => `closed: ${text}`));
    await deed('mine/60');
    await pause(1);
    const isSettled = async () =>
      (await fetch(`${alice?.api}/api/v1/channels/${token}/${bob?.address}`)).status === 404;
    await until(isSettled, 'settled', 60_000);
    await pause(0);
    await look('settled');
    expect(all.figures).toBeGreaterThan(150);
    expect(all.wrong).toEqual([]);
  });

  it.each([1, 2])('in a simulated world of seed %i', async (seed) => {
    const program = startProgram(['simulate', 'mix', '--seed', `${seed}`, '--inspect']);
    const [url = ''] = await program.says(/^http:\/\/127\.0\.0\.1:\d+\/inspector\/$/m);
    const page = await browser.openPage(url, { expected: AWAY });
    const go = async (step: number) => {
      const body = JSON.stringify({ do: 'go', step });
      await fetch(`${url}time`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await until(
        async () => !(await (await fetch(`${url}time`)).text()).includes('"state":"seeking"'),
        'the moment',
      );
    };
    const all: Walked = { wrong: [], figures: 0 };
    for (const step of [0, 900, 1777 * seed, 9_001 + seed]) {
      await go(step);
      const { wrong, figures } = await walkPage(page, url, `seed ${seed}, step ${step}`);
      all.wrong.push(...wrong);
      all.figures += figures;
    }
    expect(all.figures).toBeGreaterThan(150);
    expect([...all.wrong, ...(await barriersOf(page))]).toEqual([]);
  });
});
