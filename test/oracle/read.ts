/** Reads a page in Chromium: its figures with what they claim, its bars, its plots, and whether all of it can be read. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import * as v from 'valibot';

const boxSchema = v.object({
  left: v.number(),
  top: v.number(),
  right: v.number(),
  bottom: v.number(),
  width: v.number(),
  height: v.number(),
});
const placeSchema = v.object({ left: v.number(), top: v.number() });
const claimed = {
  claim: v.string(),
  value: v.string(),
  unit: v.string(),
  at: v.nullable(v.string()),
};
const figureSchema = v.object({ ...claimed, text: v.string(), title: v.nullable(v.string()) });
const barSchema = v.object({
  ...claimed,
  whole: v.string(),
  start: v.string(),
  /** `right`: it lies, and begins at the left; `up`: it stands. */
  way: v.picklist(['right', 'up']),
  ends: v.nullable(v.tuple([placeSchema, placeSchema])),
  trackEnds: v.nullable(v.tuple([placeSchema, placeSchema])),
  box: boxSchema,
  trackBox: v.nullable(boxSchema),
});
const tickSchema = v.object({
  axis: v.picklist(['x', 'y']),
  value: v.string(),
  unit: v.nullable(v.string()),
  text: v.string(),
  mark: boxSchema,
  label: v.nullable(boxSchema),
});
const lineSchema = v.object({
  claim: v.string(),
  unit: v.nullable(v.string()),
  points: v.array(v.tuple([v.string(), v.string()])),
  /** When each point was so; empty: the place on the axis says it. */
  moments: v.array(v.string()),
  corners: v.array(placeSchema),
});
const plotSchema = v.object({
  name: v.string(),
  box: boxSchema,
  ticks: v.array(tickSchema),
  lines: v.array(lineSchema),
});
const seenSchema = v.object({
  figures: v.array(figureSchema),
  bars: v.array(barSchema),
  plots: v.array(plotSchema),
  /** Amounts that are written outside of a figure: nobody can check them. */
  stray: v.array(v.string()),
  layout: v.object({
    width: v.number(),
    overflow: v.number(),
    small: v.array(v.string()),
    cut: v.array(v.string()),
    overlaps: v.array(v.string()),
  }),
});

export type Figure = v.InferOutput<typeof figureSchema>;
export type Bar = v.InferOutput<typeof barSchema>;
export type Plot = v.InferOutput<typeof plotSchema>;
/** All that a page shows at one moment. Places in pixels of the window. */
export type Seen = v.InferOutput<typeof seenSchema>;

const SCRIPT = readFileSync(new URL('in-page.mjs', import.meta.url), 'utf8');

/** `symbols`: of the tokens of this world, by which amounts outside of figures are found. */
export async function readPage(page: Page, symbols: readonly string[]): Promise<Seen> {
  await page.evaluate(
    `document.documentElement.setAttribute('data-symbols', ${JSON.stringify(symbols.join(' '))})`,
  );
  return v.parse(seenSchema, await page.evaluate(SCRIPT));
}
