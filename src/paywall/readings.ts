/**
 * What servers may take a path for. A path that one of them would lead elsewhere is none that could be sold: it is refused,
 * whatever that server is.
 */

/**
 * Signs that some server strips or skips wherever they stand, so that two dots which they part are two dots: controls, what
 * nobody sees, and white space of every sort but the space. No rule could name them, either.
 */
const STRIPPED = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]/u;

/** Parts of nothing but dots and spaces, spaces at an edge of a part, and slashes that lean the other way. */
const ASTRAY = /\/[. ]+(\/|$)|\/ | (\/|$)|\\/;

/** A path that can be read in more ways than these was made to be. */
const MOST_READINGS = 32;
const ESCAPED = /(%[0-9a-f]{2})+/gi;

/** As rules are compared with it. Null: its escapes are broken. */
export function comparable(path: string): string | null {
  try {
    return tidy(decodeURIComponent(path).toLowerCase());
  } catch {
    return null;
  }
}

/**
 * Some servers part a path at slashes before they decode it, some decode it again, some write signs in their common form, some
 * skip what follows a semicolon, or a question mark that was escaped, some all spaces, some dots and spaces at the end of a
 * part: in any order, and as often as it changes anything. Null: some would be led elsewhere by it.
 */
export function readingsOf(path: string, plain: string): readonly string[] | null {
  const parted = comparable(path.replace(/%2f/gi, '%252f'));
  const readings = new Set([plain, parted ?? plain]);
  // What is added meanwhile is gone through as well.
  for (const one of readings) {
    const isStrange = STRIPPED.test(one) || ASTRAY.test(one) || readings.size > MOST_READINGS;
    if (isStrange || !addReadings(readings, one)) return null;
  }
  return [...readings];
}

/** What a server may do to a path in one step. */
const STEPS: readonly ((path: string) => string)[] = [
  (path) => path.replace(ESCAPED, (escapes) => decodeURIComponent(escapes)),
  (path) => path.normalize('NFKC'),
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replace(/[?#].*$/s, ''),
  (path) => path.replaceAll(' ', ''),
  (path) => path.replace(/(?<![. ])[. ]+(?=\/|$)/g, ''),
];

/** Whether each step comes to a text. */
function addReadings(readings: Set<string>, path: string): boolean {
  try {
    for (const step of STEPS) readings.add(tidy(step(path).toLowerCase()));
    return true;
  } catch {
    return false;
  }
}

const tidy = (path: string) => path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
