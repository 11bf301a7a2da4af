import { describe, expect, it } from 'vitest';
import { typedAs } from '../../../src/cli/process/own-program.ts';

describe('what a person types to start this program', () => {
  it.each([
    ['/usr/local/bin/sluice', 'sluice'],
    ['/home/me/sluice/dist/src/cli/main.js', "node '/home/me/sluice/dist/src/cli/main.js'"],
    ["/home/o'brien/main.js", `node '/home/o'\\''brien/main.js'`],
  ])('is, for %s, %s', (path, typed) => {
    expect(typedAs(path)).toBe(typed);
  });
});
