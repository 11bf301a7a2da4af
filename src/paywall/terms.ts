/** What a rule says after its token, in words such as `shared`: on which terms its calls are sold. */

export type Terms = {
  /** Whether caches may give what one caller has paid for to all others. */
  isShared: boolean;
  /** Statuses from 300 on that are charged, such as `404` and `4xx`. */
  charging: readonly string[];
};

export const PLAIN: Terms = { isShared: false, charging: [] };

/** Servers that fail (5xx) are never paid for it. */
const STATUS = /^[34](\d\d|xx)$/;

/** What is below 300 was answered as it was asked for; of the rest the seller has to say what is worth its price. */
export function isCharged(status: number, { charging }: Terms): boolean {
  return status < 300 || charging.some((one) => [`${status}`, classOf(status)].includes(one));
}

/** Such as `4xx`. */
export const classOf = (status: number): string => `${Math.floor(status / 100)}xx`;

/** Takes the words that belong to it from the beginning of those after it. A text: what is wrong with them. */
type Reader = (after: string[]) => Partial<Terms> | string;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['shared', () => ({ isShared: true })],
  ['charging', readCharging],
]);

function readCharging(after: string[]): Partial<Terms> | string {
  const charging = after.shift()?.split(',') ?? [];
  if (charging.length > 0 && charging.every((one) => STATUS.test(one))) return { charging };
  return 'has no statuses from 300 to 499 after "charging", such as 404,422 or 4xx';
}

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
