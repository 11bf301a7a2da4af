/** The examples of the package: they run, and print what docs/simulation-examples.md says. Needs a build. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(top, 'examples/simulation');
const page = readFileSync(join(top, 'docs/simulation-examples.md'), 'utf8');
const run = promisify(execFile);

/** What the page says that this program prints: the first block of text after its name. */
function printedBy(file: string): string {
  const [, after = ''] = page.split(`(../examples/simulation/${file})`);
  return /```text\n([\s\S]*?)```/.exec(after)?.[1] ?? 'nothing';
}

const programs = readdirSync(folder).filter(
  (file) => file.endsWith('.mjs') && !file.endsWith('-strategy.mjs'),
);
it.each(programs)(
  '%s prints what the page says',
  async (file) => {
    const { stdout } = await run(process.execPath, [join(folder, file)]);
    expect(stdout).toBe(printedBy(file));
  },
  300_000,
);

it('are three', () => {
  expect(programs).toEqual(['fees-of-a-hub.mjs', 'price-of-jamming.mjs', 'rebalancing.mjs']);
});
