/** Bearer tokens: who may call what, and how much one payment may move. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { MAX_UINT256, parseDecimal } from '../../basics/amount.ts';
import type { Budget } from '../../node/runtime/knowledge/budgets.ts';
import type { Caller } from '../queue/lines.ts';

const SCOPES = ['metrics', 'read', 'receive', 'pay', 'admin'] as const;
/** Figures alone, queries, redeeming received payments, paying, everything. */
export type Scope = (typeof SCOPES)[number];
/**
 * `caller`: an opaque name of who calls; `cap`: the largest amount of one payment, in the smallest unit of its token; null:
 * any.
 */
export type Grant = Terms & Caller & { caller: string };
type Terms = { scope: Scope; cap: bigint | null; budget: Budget | null };
export type ApiToken = Terms & { token: string };
export type ParsedTokens<T> = { ok: true; value: T } | { ok: false; message: string };

/** What a caller may do when no token is needed. */
export const MAY_ALL: Grant = { caller: '', scope: 'admin', cap: null, budget: null };

const TOKEN = /^[\x21-\x7e]{16,}$/;
/** The name of the scheme is written in any case (RFC 9110, section 11.1). */
const BEARER = /^bearer +(.*)$/i;
const MOST_TOKENS = 1_000;

/**
 * What each scope covers. A server that sells, and is open to the world, can do nothing else with its token; nor can
 * whoever watches the node, often from a machine of others.
 */
const COVERED: Record<Scope, readonly Scope[]> = {
  metrics: ['metrics'],
  read: ['metrics', 'read'],
  receive: ['receive'],
  pay: ['metrics', 'read', 'pay'],
  admin: SCOPES,
};

export function covers(grant: Grant, wanted: Scope): boolean {
  return COVERED[grant.scope].includes(wanted);
}

/**
 * One token a line: `TOKEN [metrics|read|receive|pay|admin] [max AMOUNT] [daily AMOUNT]`, by default admin. Empty lines and
 * lines that begin with `#` are skipped. The message names a line and never repeats it.
 */
export function parseTokens(text: string): ParsedTokens<ApiToken[]> {
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

function parseLine([token = '', ...rest]: string[]): ParsedTokens<ApiToken> {
  if (!TOKEN.test(token))
    return {
      ok: false,
      message:
        'must begin with a token of at least 16 printable characters, e.g. from "openssl rand -hex 32"',
    };
  const scope = SCOPES.find((name) => name === rest[0]) ?? null;
  const words = scope === null ? rest : rest.slice(1);
  const limits = limitsIn(words);
  if (!limits.ok) return limits;
  if (words.length > 0 && scope !== 'pay')
    return { ok: false, message: `may have "${words[0]}" only with the scope pay` };
  const { max, daily } = limits.value;
  const budget = daily === null ? null : { caller: callerOf(token), perDay: daily };
  return { ok: true, value: { token, scope: scope ?? 'admin', cap: max, budget } };
}

type Limits = { max: bigint | null; daily: bigint | null };

function limitsIn(words: readonly string[]): ParsedTokens<Limits> {
  const limits: Limits = { max: null, daily: null };
  for (let at = 0; at < words.length; at += 2) {
    const [word, digits = ''] = words.slice(at);
    if ((word !== 'max' && word !== 'daily') || limits[word] !== null)
      return {
        ok: false,
        message:
          'must be TOKEN, TOKEN metrics, TOKEN read, TOKEN receive, TOKEN pay [max AMOUNT] [daily AMOUNT] or TOKEN admin',
      };
    const amount = parseDecimal(digits);
    if (amount === null || amount > MAX_UINT256)
      return {
        ok: false,
        message: `must have a whole number after "${word}", in the smallest unit`,
      };
    limits[word] = amount;
  }
  return { ok: true, value: limits };
}

/** The name under which the database knows whoever has the token; the token cannot be derived from it. */
function callerOf(token: string): string {
  return digest(`the budget of ${token}`).toString('hex').slice(0, 32);
}

/** What the header `Authorization` grants; null when it holds none of the tokens. */
export type Identify = (authorization: string | null) => Grant | null;

type Known = { grant: Grant; digest: Buffer; revoke: () => void };

function knownOf({ token, ...allowed }: ApiToken): Known {
  const revoking = new AbortController();
  const grant = { ...allowed, caller: callerOf(token), revoked: revoking.signal };
  return { grant, digest: digest(token), revoke: () => revoking.abort() };
}

/** Without tokens everybody may do everything. */
export const createIdentify = (tokens: readonly ApiToken[]): Identify =>
  identifyBy(tokens.map(knownOf));

function identifyBy(known: readonly Known[]): Identify {
  if (known.length === 0) return () => MAY_ALL;
  return (authorization) => {
    const given = digest(BEARER.exec(authorization ?? '')?.[1] ?? '');
    let found: Grant | null = null;
    // Every digest is compared, in constant time, so that timing reveals nothing.
    for (const { grant, digest } of known) if (timingSafeEqual(digest, given)) found = grant;
    return found;
  };
}

/** Tokens that can be replaced while the server runs. */
export function createKeyring(tokens: readonly ApiToken[]) {
  let known = tokens.map(knownOf);
  let identify = identifyBy(known);
  return {
    identify: (authorization: string | null) => identify(authorization),
    /** From now on only these tokens are valid: what others still read ends. */
    renew(given: readonly ApiToken[]) {
      const before = known;
      known = given.map(knownOf).map((next) => before.find((one) => isSame(one, next)) ?? next);
      identify = identifyBy(known);
      for (const one of before) if (!known.includes(one)) one.revoke();
    },
  };
}

/** Whether it is the same token, on the same terms. */
function isSame({ grant, digest }: Known, other: Known): boolean {
  const { scope, cap, budget } = grant;
  const isAlike = scope === other.grant.scope && cap === other.grant.cap;
  return isAlike && budget?.perDay === other.grant.budget?.perDay && digest.equals(other.digest);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
