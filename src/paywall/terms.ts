/** What a rule says after its token, in words such as `shared`: on which terms its calls are sold. */

export type Terms = {
  /** Whether caches may give what one caller has paid for to all others. */
  isShared: boolean;
};

export const PLAIN: Terms = { isShared: false };

/** Takes the words that belong to it from the beginning of those after it. A text: what is wrong with them. */
type Reader = (after: string[]) => Partial<Terms> | string;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['shared', () => ({ isShared: true })],
]);

/** A text: why it is none, as the end of a sentence about the rule. */
export function termsIn(words: readonly string[]): Terms | string {
  const left = [...words];
  const said = new Set<string>();
  let terms = PLAIN;
  while (left.length > 0) {
    const word = left.shift() ?? '';
    const read = READERS.get(word);
    if (read === undefined)
      return `has "${word}" after its token, where only ${[...READERS.keys()].join(', ')} can follow`;
    if (said.has(word)) return `says "${word}" twice`;
    said.add(word);
    const more = read(left);
    if (typeof more === 'string') return more;
    terms = { ...terms, ...more };
  }
  return terms;
}
