/** What the figures of the pages claim, as attributes of JSX. */
import { attributesOf, type Claim } from '../basics/figure.ts';

export type { Claim, FigureUnit } from '../basics/figure.ts';

/** Attributes of an element whose text is the figure. */
export function figureOf(claim: Claim) {
  return attributesOf(claim);
}

/**
 * Attributes of a bar: an element that is as long as its value, on a track (an element with `data-track` around it, or a line
 * beside it) that is as long as `whole`. `start`: where on the track it begins, in the same unit.
 */
export function barOf(claim: Claim, whole: bigint | number, start: bigint | number = 0) {
  return attributesOf(claim, { whole, start });
}
