import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCHEMAS = ['schema', 'history-schema'].map(
  (name) => new URL(`../../../src/store/base/${name}.ts`, import.meta.url),
);
const IMPORT = /^import (?!type )[^;]*? from '(\.[^']*)'/gm;
const WAIT = /^(?:(?:export )?const .* = )?await /m;

/** The file and those that it loads. */
function loadedBy(file: URL, known = new Set<string>()): Set<string> {
  if (known.has(file.href)) return known;
  known.add(file.href);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
    loadedBy(new URL(path, file), known);
  return known;
}

it('waits for nothing while it is loaded, which the program that writes migrations cannot do', () => {
  const files = SCHEMAS.flatMap((file) => [...loadedBy(file)]).map((href) => fileURLToPath(href));
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => WAIT.test(readFileSync(file, 'utf8')))).toEqual([]);
});
