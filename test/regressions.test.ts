/** Nobody loses a test against a defect that others have had. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REGRESSIONS } from './support/known-defects.ts';

const textOf = (file: string) =>
  readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');

/** Whether a test in the file has exactly this title. */
function hasTest(file: string, title: string): boolean {
  const text = textOf(file);
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote},`));
}

describe('the known defects of others', () => {
  it('are all here', () => {
    const numbers = Array.from({ length: 31 }, (_, index) => `R${index + 1}`);
    expect(Object.keys(REGRESSIONS)).toEqual(numbers);
  });

  it.each(Object.entries(REGRESSIONS))('has tests against %s', (_, { shown }) => {
    const tests = Object.entries(shown).flatMap(([file, titles]) =>
      titles.map((title) => ({ file, title })),
    );
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter(({ file, title }) => !hasTest(file, title))).toEqual([]);
  });
});
