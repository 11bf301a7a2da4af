import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The names before the colon, in rules whose selector begins with `of`. */
function namesSetIn(sheet: string, of: string): string[] {
  const rules = [...sheet.matchAll(/([^{}]*)\{([^{}]*)\}/g)];
  const bodies = rules.flatMap(([, selector = '', body = '']) =>
    selector.trim().endsWith(of) ? [body] : [],
  );
  return bodies.flatMap((body) => [...body.matchAll(/(--[\w-]+):/g)].map(([, name = '']) => name));
}

describe('the style sheets of the pages', () => {
  it('set each colour that they use for the whole page, wherever a drawing may stand', () => {
    const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.css'))
      .map((file) => readFileSync(join('src', file), 'utf8'));
    const set = new Set(sheets.flatMap((sheet) => namesSetIn(sheet, ':root')));
    const used = sheets.flatMap((sheet) => [...sheet.matchAll(/var\((--[\w-]+)\)/g)]);
    // What a sheet measures for itself, an element says in its style.
    const given = ['--seq-names'];
    const names = new Set(
      used.map(([, name = '']) => name).filter((name) => !given.includes(name)),
    );
    expect([...names].filter((name) => !set.has(name))).toEqual([]);
  });
});
