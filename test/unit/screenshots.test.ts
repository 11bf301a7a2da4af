import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));
const pictures = join(top, 'docs/screenshots');
const namesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' });
/** Where the words of pages come from: the pages, what nodes tell them, the charts, and the names of a devnet. */
const SOURCES = [
  'src/inspector-page',
  'src/wallet-page',
  'src/page-parts',
  'src/inspector',
  'src/devnet',
  'machines',
  'src/protocol',
];

it('the pictures of the documents show no word that the pages do not have any more', () => {
  const source = SOURCES.flatMap((room) =>
    namesIn(join(top, room))
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(join(top, room, name), 'utf8')),
  ).join('\n');
  const names = namesIn(pictures);
  const written = names.filter((name) => name.endsWith('.txt'));
  expect(written.map((name) => name.replace('.txt', '.png'))).toEqual(
    names.filter((name) => name.endsWith('.png')),
  );
  const old = written.flatMap((name) =>
    wordsOf(readFileSync(join(pictures, name), 'utf8'))
      .filter((word) => !source.includes(word))
      .map((word) => `${name}: ${word}`),
  );
  expect(old, 'take the pictures again: npm run screenshots').toEqual([]);
});

/** Without addresses, hashes and what is cut. */
function wordsOf(text: string): string[] {
  const plain = text.replace(/\S*(0x|…|:\/\/)\S*/g, ' ');
  return [...new Set(plain.match(/\b[A-Za-z]{4,}\b/g) ?? [])];
}
