/** Bearer tokens: who may call what, and how much one payment may move. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { MAX_UINT256, parseDecimal } from '../protocol/amount.ts';

const SCOPES = ['read', 'pay', 'admin'] as const;
/** Each includes those before it: queries, then payments, then everything. */
export type Scope = (typeof SCOPES)[number];
/** `cap`: the largest amount of one payment, in the smallest unit of its token; null: any. */
export type Grant = { scope: Scope; cap: bigint | null };
export type ApiToken = Grant & { token: string };
export type Parsed<T> = { ok: true; value: T } | { ok: false; message: string };

/** What a caller may who needs no token. */
export const EVERYTHING: Grant = { scope: 'admin', cap: null };

const TOKEN = /^[\x21-\x7e]{16,}$/;
/** The name of the scheme is written in any case (RFC 9110, section 11.1). */
const BEARER = /^bearer +(.*)$/i;
const MOST_TOKENS = 1_000;

export function covers(grant: Grant, wanted: Scope): boolean {
  return SCOPES.indexOf(grant.scope) >= SCOPES.indexOf(wanted);
}

/**
 * One token a line: `TOKEN [read|pay|admin] [max AMOUNT]`, by default admin. Empty lines and lines that
 * begin with `#` are skipped. The message names a line and never repeats it.
 */
export function parseTokens(text: string): Parsed<ApiToken[]> {
  const tokens: ApiToken[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]?.startsWith('#')) continue;
    const parsed = parseLine(words);
    if (!parsed.ok) return { ok: false, message: `line ${index + 1} ${parsed.message}` };
    if (tokens.some(({ token }) => token === parsed.value.token))
      return { ok: false, message: `line ${index + 1} repeats the token of another line` };
    tokens.push(parsed.value);
  }
  if (tokens.length > MOST_TOKENS)
    return { ok: false, message: `there are more than ${MOST_TOKENS} tokens` };
  return tokens.length > 0
    ? { ok: true, value: tokens }
    : { ok: false, message: 'no line has one' };
}

function parseLine([token = '', ...rest]: string[]): Parsed<ApiToken> {
  if (!TOKEN.test(token))
    return {
      ok: false,
      message:
        'must begin with a token of at least 16 printable characters, e.g. from "openssl rand -hex 32"',
    };
  const scope = SCOPES.find((name) => name === rest[0]) ?? null;
  const limit = scope === null ? rest : rest.slice(1);
  if (limit.length === 0) return { ok: true, value: { token, scope: scope ?? 'admin', cap: null } };
  const [word, digits = '', ...more] = limit;
  if (word !== 'max' || more.length > 0)
    return {
      ok: false,
      message: 'must be TOKEN, TOKEN read, TOKEN pay [max AMOUNT] or TOKEN admin',
    };
  const cap = parseDecimal(digits);
  if (cap === null || cap > MAX_UINT256)
    return { ok: false, message: 'must have a whole number after "max", in the smallest unit' };
  if (scope !== 'pay') return { ok: false, message: 'may have "max" only with the scope pay' };
  return { ok: true, value: { token, scope, cap } };
}

/** What the header `Authorization` grants; null when it holds none of the tokens. */
export type Identify = (authorization: string | null) => Grant | null;

/** Without tokens everybody may do everything. */
export function createIdentify(tokens: readonly ApiToken[]): Identify {
  if (tokens.length === 0) return () => EVERYTHING;
  const known = tokens.map(({ token, ...grant }) => ({ grant, digest: digest(token) }));
  return (authorization) => {
    const given = digest(BEARER.exec(authorization ?? '')?.[1] ?? '');
    let found: Grant | null = null;
    // Digests give nothing away by timing, and every one is looked at.
    for (const { grant, digest } of known) if (timingSafeEqual(digest, given)) found = grant;
    return found;
  };
}

/** Tokens that may be exchanged while calls come in. */
export function createKeyring(tokens: readonly ApiToken[]) {
  let identify = createIdentify(tokens);
  return {
    identify: (authorization: string | null) => identify(authorization),
    /** From the next call on these count, and no others. */
    renew(given: readonly ApiToken[]) {
      identify = createIdentify(given);
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
