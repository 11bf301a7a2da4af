/** Parses JSON text that a stranger wrote. The caller has bounded its length. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

export type ParsedJson = { ok: true; value: unknown } | { ok: false; reason: string };

/**
 * `depth`: how deep the text may be nested; `parts`: how many lists, objects, members and further values it may have.
 * What is read costs by its parts, much more than by its bytes.
 */
export type JsonLimit = { depth: number; parts: number };

/**
 * The value of JSON text within these limits. Refused besides malformed text: a name that occurs twice in one object
 * (two programs would read two different messages), and `__proto__`.
 */
export function parseJson(text: string, limit: JsonLimit): ParsedJson {
  const members = countMembers(text, limit);
  if (members === null)
    return { ok: false, reason: 'nested too deep, too many parts, or a string has no end' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
  const kept = countNames(value);
  if (kept === null) return { ok: false, reason: 'a name is __proto__' };
  return kept === members ? { ok: true, value } : { ok: false, reason: 'a name stands twice' };
}

/** Whether a parsed value is an object with names (no list, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The number of colons outside strings: JSON has exactly one for each member. One pass over the text, so that its
 * depth and its parts are known before they cost anything. Null when one is too much, or a string has no end.
 */
function countMembers(text: string, limit: JsonLimit): number | null {
  let depth = 0;
  let members = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return null;
      continue;
    }
    if (isOpening(code)) depth++;
    else if (isClosing(code)) depth--;
    else if (code === COLON) members++;
    else if (code !== COMMA) continue;
    if (depth > limit.depth || ++parts > limit.parts) return null;
  }
  return members;
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

/** Position of the quote that ends the string begun at `start`, or -1. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote;
}

/** Whether an odd number of backslashes precedes `at`. They end at the opening quote at the latest. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The number of names in all objects of a parsed value, or null when one of them is `__proto__`. */
function countNames(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  if (!isList && Object.hasOwn(value, '__proto__')) return null;
  const inside: readonly unknown[] = isList ? value : Object.values(value);
  let count = isList ? 0 : inside.length;
  for (const inner of inside) {
    if (typeof inner !== 'object') continue;
    const names = countNames(inner);
    if (names === null) return null;
    count += names;
  }
  return count;
}
