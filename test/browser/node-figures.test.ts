import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { checkPage } from '../oracle/check.ts';
import type { Tokens } from '../oracle/judge.ts';
import { looksAt } from '../oracle/looks.ts';
import { nodeClaims } from '../oracle/node.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const ACTOR_VIEWS = ['money', 'deadlines'];

/** The page goes from one node to the next. */
const OTHERS = /^foreign request/;

type Checked = { wrong: string[]; figures: number };

describe('the figures of a node’s page are what the node says', () => {
  const browser = useBrowser();
  let folder: string;
  let ready: ReadyFile;
  let occasions = 0;
  const checked: Checked = { wrong: [], figures: 0 };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-node-figures-'));
    const file = join(folder, 'ready.json');
    const options = ['--open', '--no-services', '--api-port', '0', '--block-time', '0.5'];
    startProgram(['devnet', ...options, '--ready-file', file]);
    await until(() => existsSync(file), 'the devnet', 60_000);
    ready = JSON.parse(readFileSync(file, 'utf8'));
  });
  afterAll(async () => {
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  const token = () => ready.tokens[0]?.address ?? '';
  async function call(api: string, method: string, path: string, body: object): Promise<number> {
    const response = await fetch(`${api}/api/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  }
  async function blocksEvery(seconds: number): Promise<void> {
    const body = { jsonrpc: '2.0', id: 1, method: 'evm_setIntervalMining', params: [seconds] };
    const headers = { 'content-type': 'application/json' };
    await fetch(ready.chain.rpc, { method: 'POST', headers, body: JSON.stringify(body) });
  }
  const pay = (from: number, to: number, amount: string) =>
    call(nodeAt(from).api, 'POST', `payments/${token()}/${nodeAt(to).address}`, { amount });
  function nodeAt(index: number) {
    const node = ready.nodes[index];
    if (node === undefined) throw new Error(`the devnet has no node ${index}`);
    return node;
  }

  /** All figures of the node's first page, and of its channels' views. */
  async function look(page: Page, index: number): Promise<void> {
    const base = `${nodeAt(index).api}/inspector/`;
    const tokens: Tokens = new Map(
      ready.tokens.map((one) => [one.address.toLowerCase(), one] as const),
    );
    const channels = await channelsOf(base);
    const places = [
      '#/',
      ...channels.flatMap((id) =>
        ACTOR_VIEWS.map((view) => `#/actor/${encodeURIComponent(id)}/${view}`),
      ),
    ];
    const looks = places.flatMap((place) => looksAt(occasions++).map((one) => ({ ...one, place })));
    for (const { place, width, colorScheme } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${base}${place}`);
      await page.getByRole('banner').getByText('Live').waitFor();
      const { wrong, figures } = await checkPage(page, () => nodeClaims(base), tokens);
      checked.wrong.push(...wrong.map((text) => `${nodeAt(index).name} ${place}: ${text}`));
      checked.figures += figures;
    }
  }
  async function channelsOf(base: string): Promise<string[]> {
    const text = await (await fetch(`${base}actors?machine=channel`)).text();
    return [...new Set(text.match(/channel:0x[0-9a-fA-F]+:\d+/g))];
  }

  it('before and after payments and a close', async () => {
    const page = await browser.openPage(`${nodeAt(1).api}/inspector/`, { expected: OTHERS });
    for (let n = 1; n <= 8; n++) {
      await pay(0, 1, `${n}`);
      await pay(1, 2, `${n}12345678901234567`);
      await pay(0, 2, `${n}000000000000001`);
    }
    expect(await pay(0, 2, `${10n ** 24n}`)).toBe(402);
    // While blocks come, a page is always a little behind.
    await blocksEvery(0);
    for (const index of [0, 1, 2]) await look(page, index);
    await blocksEvery(1);
    await call(nodeAt(1).api, 'PATCH', `channels/${token()}/${nodeAt(2).address}`, {
      state: 'closed',
    });
    await blocksEvery(0);
    for (const index of [1, 2, 0]) await look(page, index);
    expect(checked.wrong).toEqual([]);
    expect(checked.figures).toBeGreaterThan(500);
  });
});
