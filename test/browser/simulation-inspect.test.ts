import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { endPrograms, startProgram } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'));
const scenario = join(folder, 'short.yaml');
writeFileSync(
  scenario,
  `version: 1
title: Three in a line
description: The first pays the last, over the one in the middle.
network: { topology: { kind: line, nodes: 3 } }
steps:
  - { do: pay, at_block: 1, node: 0, to: 2, amount: 3 tokens, expect: success }
run: { blocks: 12, calm: 4 }
`,
);

/** What a browser says of a program that has ended. */
const AWAY = /Failed to load resource|ERR_/;

describe('the page over a simulation', () => {
  const browser = useBrowser();
  afterEach(endPrograms);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('moves time on and back, and shows what the nodes are then', async () => {
    const program = startProgram(['simulate', scenario, '--inspect']);
    const [url = ''] = await program.says(/^http:\/\/127\.0\.0\.1:\d+\/inspector\/$/m);
    const page = await browser.openPage(url, { expected: AWAY });
    const press = (name: string) => page.getByRole('button', { name }).click();
    const standing = (text: RegExp) => page.getByText(text).waitFor();
    await standing(/paused in block 0 of/);
    await page.getByText('Both sides hold the same').waitFor();
    await press('Block ▶▶');
    await standing(/paused in block 1 of/);
    await press('Block ▶▶');
    await standing(/paused in block 2 of/);
    await press('◀◀ Block');
    await standing(/paused in block 1 of/);
    await page.getByText('Both sides hold the same').waitFor();
    await page.getByLabel('Blocks a second').selectOption('1000');
    await press('Play');
    await standing(/over in block \d+ of/);
    await standing(/^passed: /);
    expect(await page.getByRole('button', { name: 'Play' }).isDisabled()).toBe(true);
  });
});
