/**
 * What a figure on a page claims, as attributes of the element that shows it: a test reads them in a browser, works out each
 * claim from the API by other code, and compares it with the attributes, the text and the drawing. What stands inside of
 * `data-record` it passes over: records of the journal as they are; and inside of `data-pannable` what is out of sight: a
 * drawing that the reader moves.
 */

/**
 * What a figure is counted in: the address of a token (its smallest unit), or one of these words. `token`: the smallest unit
 * of the only token of a simulation, `token-blocks`: that for so many blocks; `block`: a height; `ms`: a time since 1970;
 * `span`: milliseconds that something takes; `share`: thousandths; `word`: a state or a name.
 */
export type FigureUnit =
  | `0x${string}`
  | 'token'
  | 'token-blocks'
  | 'wei'
  | 'block'
  | 'blocks'
  | 'ms'
  | 'span'
  | 'count'
  | 'share'
  | 'word';

/**
 * `of`: `<whose>/<what>`, as `channel:0x…:1/own.capacity`; on a page over many nodes with the node's name before it, as
 * `alice/channel:0x…:1/own.capacity`. `at`: the moment, when it is not now: `seq:57` (after this step of the journal),
 * `ms:1764536400000`, `block:12`.
 */
export type Claim = { of: string; value: bigint | number | string; unit: FigureUnit; at?: string };

/** Where a bar lies: it begins at `start` of a track that is as long as `whole`, both in the unit of its claim. */
export type OnTrack = { whole: bigint | number; start: bigint | number };

/** The attributes of an element that shows what is claimed, as its text or, on a track, as its length. */
export function attributesOf({ of, value, unit, at }: Claim, onTrack?: OnTrack) {
  return {
    'data-figure': of,
    'data-value': `${value}`,
    'data-unit': unit,
    ...(at === undefined ? {} : { 'data-at': at }),
    ...(onTrack === undefined
      ? {}
      : { 'data-whole': `${onTrack.whole}`, 'data-start': `${onTrack.start}` }),
  };
}
