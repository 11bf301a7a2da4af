/** What a call costs: rules such as `GET /v1/* 0.0001 0x…` and `GET /health free`, of flags and of a file. */
import { type Address, parseAddress } from '../basics/hex.ts';
import { isAmount, type Price, priceIn } from './price.ts';
import { comparable, readingsOf } from './readings.ts';
import { PLAIN, type Terms, termsIn } from './terms.ts';

/** `method` null: any. `price` null: nothing. */
export type Rule = {
  text: string;
  method: string | null;
  pattern: string;
  price: Price | null;
  terms: Terms;
};
export type ParsedRule = { ok: true; value: Rule } | { ok: false; message: string };
export type FoundRule = { kind: 'rule'; rule: Rule } | { kind: 'none' } | { kind: 'unclear' };

const METHOD = /^[A-Z]{1,20}$/;
const PATTERN = /^\/[^\s?#]*$/;
const FREE = 'free';
/** Doubled slashes, and escapes of what need not be escaped. */
const DISGUISED = /\/\/|%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;

/** `[METHOD] PATH`, and then `free`, or a price and its terms. */
export function parseRule(text: string): ParsedRule {
  const words = text.trim().split(/\s+/);
  const method = words[0]?.startsWith('/') ? null : (words.shift() ?? '');
  const [pattern = '', ...costs] = words;
  if (method !== null && !METHOD.test(method))
    return wrong(text, 'begins with no path and no method in capitals');
  if (!PATTERN.test(pattern)) return wrong(text, 'has no path, such as /v1/*');
  const rule = { text: words.join(' '), method, pattern };
  const named = method === null ? rule.text : `${method} ${rule.text}`;
  if (costs[0] === FREE && costs.length === 1)
    return { ok: true, value: { ...rule, text: named, price: null, terms: PLAIN } };
  const read = priceIn(costs);
  if (!read.ok) return wrong(text, read.why);
  const terms = termsIn(read.rest);
  if (typeof terms === 'string') return wrong(text, terms);
  return { ok: true, value: { ...rule, text: named, price: read.price, terms } };
}

/** How calls for a token can be paid ahead: the least payment, and what may lie on one tab, as decimal text of whole tokens. */
export type TabTerms = { least: string; most: string; token: Address };

/** `LEAST MOST TOKEN`. */
export function parseTerms(
  text: string,
): { ok: true; value: TabTerms } | { ok: false; message: string } {
  const [least = '', most = '', tokenText, ...rest] = text.trim().split(/\s+/);
  const token = parseAddress(tokenText);
  if (![least, most].every(isAmount))
    return wrong(
      text,
      'does not begin with two amounts above 0: the least payment, and what may lie on a tab',
    );
  if (token === null || rest.length > 0)
    return wrong(text, 'does not end in the address of a token');
  return { ok: true, value: { least, most, token } };
}

const wrong = (text: string, why: string): { ok: false; message: string } => ({
  ok: false,
  message: `"${text}" ${why}`,
});

/** One rule a line; what follows a # is for people. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** Two rules of which nobody could say which one counts; null: there are none. */
export function doubledIn(rules: readonly Rule[]): string | null {
  const keys = rules.map(({ method, pattern }) => `${method} ${comparable(pattern)}`);
  const at = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  return rules[at]?.text ?? null;
}

/**
 * The rule for a call: that with the most of its path before a star, of these the one that names the method, and of these
 * the longest. Servers differ in what they take for the same path, so letters, escapes, doubled slashes and one at the end
 * make no difference here: none of them leads past a price. `unclear`: a path that some server would take for another one.
 */
export function createFinder(rules: readonly Rule[]): (method: string, path: string) => FoundRule {
  const sorted = rules
    .map((rule) => ({ rule, expression: expressionOf(rule.pattern), weight: weightOf(rule) }))
    .toSorted((a, b) => b.weight - a.weight || b.rule.pattern.length - a.rule.pattern.length);
  const ruleOf = (verb: string, path: string) =>
    sorted.find(
      ({ rule, expression }) =>
        (rule.method === null || rule.method === verb) && expression.test(path),
    )?.rule;
  return (method, path) => {
    const plain = comparable(path);
    const others = plain === null ? null : readingsOf(path, plain);
    if (plain === null || others === null) return { kind: 'unclear' };
    // Whoever sees the head of an answer has some of it.
    const verb = method === 'HEAD' ? 'GET' : method;
    const rule = ruleOf(verb, plain);
    if (rule === undefined) return { kind: 'none' };
    // The seller's server is asked about the path as it came, and may read it in another way than the server behind.
    const isPlain = rule.price?.by !== 'asked' || (others.length === 1 && !DISGUISED.test(path));
    const isClear = isPlain && others.every((one) => (ruleOf(verb, one) ?? rule) === rule);
    return isClear ? { kind: 'rule', rule } : { kind: 'unclear' };
  };
}

function weightOf({ method, pattern }: Rule): number {
  const star = pattern.indexOf('*');
  const length = star === -1 ? 2 * pattern.length : star;
  return (star === -1 ? 1e6 : 0) + 2 * length + (method === null ? 0 : 1);
}

/** A star stands for any text; with a slash before it at the end, for nothing, too: /v1/* has /v1. */
function expressionOf(pattern: string): RegExp {
  const plain = comparable(pattern) ?? pattern.toLowerCase();
  const isOpen = plain.endsWith('/*');
  const escaped = (isOpen ? plain.slice(0, -2) : plain)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\\*', '[^/]*');
  return new RegExp(`^${escaped}${isOpen ? '(/.*)?' : ''}$`, 's');
}
