/** In which widths and colours a page is looked at. */

export type Look = { width: number; colorScheme: 'light' | 'dark' };

const WIDTHS = [1440, 400, 1280, 768];
const SCHEMES = ['light', 'dark'] as const;
const ALL: readonly Look[] = WIDTHS.flatMap((width) =>
  SCHEMES.map((colorScheme) => ({ width, colorScheme })),
);

/**
 * One of the looks for the n-th occasion, so that some occasions have had all of them; every one on every occasion with
 * SLUICE_LOOKS=all.
 */
export function looksAt(occasion: number): readonly Look[] {
  if (process.env['SLUICE_LOOKS'] === 'all') return ALL;
  // 3 has no common part with 8: neighbours differ in both.
  return ALL.slice((3 * occasion) % ALL.length).slice(0, 1);
}
