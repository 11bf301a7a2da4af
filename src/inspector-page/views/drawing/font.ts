/** Measures text in the font of the drawing, as this browser has it. */
import type { TextRole } from '../../../inspector/charts/chart-text.ts';
import { arialWidth, FONTS } from '../../../inspector/charts/text-size.ts';

const FAMILY = 'Arial, "Liberation Sans", Helvetica, sans-serif';

const known = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

/** The width of the text in this browser, in px. */
export function textWidth(text: string, role: TextRole): number {
  const key = `${role} ${text}`;
  const width = known.get(key) ?? measured(text, role);
  known.set(key, width);
  return width;
}

function measured(text: string, role: TextRole): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (pen === null) return arialWidth(text, role);
  pen.font = `${FONTS[role].weight} ${FONTS[role].size}px ${FAMILY}`;
  return pen.measureText(text).width;
}
