/** Widths of texts where no browser can measure them: those of Arial, which similar fonts share. */
import type { Measure, TextRole } from './chart-text.ts';

/** The fonts that a drawing is made for, in px; the page and the SVG set the same. */
export const FONTS: Record<TextRole, { size: number; weight: number }> = {
  name: { size: 13, weight: 700 },
  event: { size: 11, weight: 700 },
  guard: { size: 11, weight: 400 },
  action: { size: 11, weight: 400 },
  mark: { size: 11, weight: 400 },
};

/** Widths of the characters from the space to the tilde, in thousandths of the font's size. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
  611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
  222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
const OTHER = 1000;
/** Bold letters are about this much wider; a little room for a font that is not quite the same. */
const BOLD = 1.07;
const ROOM = 1.06;

/** The width in px of the text in the role's font. */
export const arialWidth: Measure = (text, role) => {
  const { size, weight } = FONTS[role];
  const codes = [...text].map((letter) => letter.codePointAt(0) ?? 0);
  const units = codes.reduce((sum, code) => sum + (WIDTHS[code - 32] ?? OTHER), 0);
  return (units / 1000) * size * (weight > 400 ? BOLD : 1) * ROOM;
};
