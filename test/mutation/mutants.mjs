// Makes the mutants of files: the source with a switch at each place that can be changed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { createInjector } from 'typed-inject';

const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((level) => [
    [level, () => {}],
    [`is${level[0].toUpperCase()}${level.slice(1)}Enabled`, () => false],
  ]),
);

/** Writes the switched source into `folder`. Each mutant has its id, file, place, text before and text after. */
export async function plantMutants(files, folder) {
  const instrumenter = createInjector()
    .provideValue('logger', silent)
    .injectFunction(createInstrumenter);
  const sources = files.map((name) => ({
    name,
    content: readFileSync(name, 'utf8'),
    mutate: true,
  }));
  const options = { plugins: null, ignorers: [], excludedMutations: [] };
  const planted = await instrumenter.instrument(sources, options);
  for (const { name, content } of planted.files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const lines = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  return planted.mutants.map(({ id, fileName, location, replacement, mutatorName }) => ({
    id,
    file: fileName,
    line: location.start.line + 1,
    column: location.start.column + 1,
    mutator: mutatorName,
    before: cut(lines.get(fileName), location),
    after: replacement,
  }));
}

function cut(lines, { start, end }) {
  const text = lines.slice(start.line, end.line + 1);
  text[text.length - 1] = text.at(-1).slice(0, end.column);
  text[0] = text[0].slice(start.column);
  return text.join('\n');
}
