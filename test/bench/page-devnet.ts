/** A devnet of three nodes whose page is looked at, with so many payments from the first node to the second. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { load } from './callers.ts';
import type { Visit } from './page-visits.ts';

const CALLERS = 16;
const node = v.object({ address: v.string(), api: v.string() });
const ready = v.object({
  inspector: v.string(),
  tokens: v.tupleWithRest([v.object({ address: v.string() })], v.unknown()),
  nodes: v.tupleWithRest([node, node], v.unknown()),
});

export async function startPageDevnet(payments: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const readyFile = join(folder, 'ready.json');
  const options = {
    '--api-port': '0',
    '--api-concurrency': `${CALLERS}`,
    '--ready-file': readyFile,
  };
  const flags = ['devnet', '--open', '--no-services', ...Object.entries(options).flat()];
  const devnet = spawn(process.execPath, ['dist/src/cli/main.js', ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => devnet.kill('SIGINT'));
  while (!existsSync(readyFile)) {
    if (devnet.exitCode !== null) throw new Error('the devnet ended before it was ready');
    await delay(50);
  }
  const { inspector, tokens, nodes } = v.parse(ready, JSON.parse(readFileSync(readyFile, 'utf8')));
  const [alice, bob] = nodes;
  const path = `/payments/${tokens[0].address}/${bob.address}`;
  await load(alice.api, path, { amount: '1' }, { callers: CALLERS, total: payments });
  return {
    url: inspector,
    async end(): Promise<void> {
      devnet.kill('SIGINT');
      await new Promise((resolve) => devnet.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const DEVNET_VISITS: Visit[] = [
  {
    name: "a devnet's page",
    url: '',
    async use(page: Page): Promise<void> {
      await page.locator('.network-sides [data-figure]').first().waitFor();
      await page.locator('.network-payments tbody button').nth(1).click();
      await page.locator('.network-payments tr.chosen button[aria-pressed=true]').waitFor();
    },
  },
  {
    name: "a payment's course across a devnet",
    url: '',
    async use(page: Page): Promise<void> {
      await page.locator('.network-payments tbody button').nth(1).click();
      await page.locator('tr.chosen button[aria-pressed=true]').waitFor();
      await page.locator('.network-trace .seq-drawing').first().waitFor();
    },
  },
];
