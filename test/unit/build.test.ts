import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  for (const name of ['scripts', 'programs']) mkdirSync(join(folder, name));
  copyFileSync(script, join(folder, 'scripts', 'build.mjs'));
  for (const name of ['tsconfig', 'package', 'package-lock'])
    writeFileSync(join(folder, `${name}.json`), '{}');
  for (const name of ['tsc', 'vite', 'node'])
    writeFileSync(join(folder, 'programs', name), '#!/bin/sh\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** With compilers that do nothing. */
function build() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], {
    cwd: folder,
    env: { PATH: join(folder, 'programs') },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('a build says at once that it takes half a minute, and nothing where all is built', () => {
  const said = 'Building the program, once: half a minute ...\n';
  expect(build()).toEqual({ status: 0, stdout: '', stderr: said });
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  writeFileSync(join(folder, 'package.json'), '{"version":"2"}');
  expect(build()).toEqual({ status: 0, stdout: '', stderr: said });
});
