/**
 * What a figure on a page claims, as attributes of the element that shows it: a test reads them in a browser, works out each
 * claim from the API by other code, and compares it with the attributes, the text and the drawing.
 */

/**
 * What a figure is counted in: the address of a token (its smallest unit), or one of these words. `block`: a height;
 * `ms`: a time since 1970; `share`: thousandths; `word`: a state or a name.
 */
export type FigureUnit =
  | `0x${string}`
  | 'wei'
  | 'block'
  | 'blocks'
  | 'ms'
  | 'count'
  | 'share'
  | 'word';

/**
 * `of`: `<whose>/<what>`, as `channel:0x…:1/own.capacity`; on a page over many nodes with the node's name before it, as
 * `alice/channel:0x…:1/own.capacity`. `at`: the moment, when it is not now: `seq:57` (after this step of the journal),
 * `ms:1764536400000`, `block:12`.
 */
export type Claim = { of: string; value: bigint | number | string; unit: FigureUnit; at?: string };

/** Attributes of an element whose text is the figure. */
export function figureOf({ of, value, unit, at }: Claim) {
  return {
    'data-figure': of,
    'data-value': `${value}`,
    'data-unit': unit,
    ...(at === undefined ? {} : { 'data-at': at }),
  };
}

/**
 * Attributes of a bar: an element that is as long as its value, on a track (an element with `data-track` around it, or a line
 * beside it) that is as long as `whole`. `start`: where on the track it begins, in the same unit.
 */
export function barOf(claim: Claim, whole: bigint | number, start: bigint | number = 0) {
  return { ...figureOf(claim), 'data-whole': `${whole}`, 'data-start': `${start}` };
}
