/**
 * Asks the seller's own server what a call costs. Strangers make it ask, since everybody gets an offer for nothing: so their
 * questions are bounded, those for the same call share one, and answers are kept for as long as they say themselves.
 */
import { createHash } from 'node:crypto';
import { boundedText } from '../basics/bounded-text.ts';
import { unitsOf } from '../basics/digits.ts';
import type { Log } from '../basics/environment.ts';
import { messageOf } from '../basics/message-of.ts';
import { createNewest } from '../basics/recent.ts';
import { createTokenBucket } from '../basics/token-bucket.ts';
import { unread } from '../basics/unread.ts';
import type { Resource } from '../x402/place.ts';
import { exchangeWith } from './base/exchange.ts';

/** Of callers who have not paid: those beyond are answered 429. */
const STRANGERS = { most: 500, perSecond: 200 };
/** Questions under way: of everybody, and how many there may be when a stranger comes, so that a slow server has some for buyers. */
const MOST_AT_ONCE = { all: 200, strangers: 150 };
const LONGEST_MS = 5_000;
/** Bytes. */
const LONGEST_ANSWER = 4_096;
const MOST_KEPT = 10_000;
const LONGEST_KEPT_MS = 3_600_000;
/** Who has a wrong server hears of it with each call. */
const COMPLAINTS = { most: 1, perSecond: 1 / 60 };

export const UNPRICED = 'price_unavailable';
const TOO_MANY_QUESTIONS = 'too_many_questions';
export type Unpriced = { ok: false; reason: typeof UNPRICED | typeof TOO_MANY_QUESTIONS };
/** Of the token's smallest unit. */
export type Asked = { ok: true; amount: bigint } | Unpriced;
/** `most`: what a rule allows. `isStranger`: nobody has paid for the question. */
export type Question = { most: bigint; decimals: number; isStranger: boolean };
export type PriceAsker = ReturnType<typeof createPriceAsker>;

type Options = {
  /** Of the seller's server; the call is added to its query. */
  url: string;
  log: Log;
  /** Milliseconds, of a clock that is not set. */
  now(): number;
};
type Told = { price: string; keptMs: number };
type Kept = { price: string; untilMs: number };

const UNAVAILABLE: Unpriced = { ok: false, reason: UNPRICED };

export function createPriceAsker({ url, log, now }: Options) {
  const strangers = createTokenBucket({ ...STRANGERS, now });
  const complaints = createTokenBucket({ ...COMPLAINTS, now });
  const kept = createNewest<string, Kept>(MOST_KEPT);
  const asking = new Map<string, Promise<string | null>>();

  function keep(key: string, { price, keptMs }: Told): void {
    if (keptMs > 0) kept.put(key, { price, untilMs: now() + keptMs });
    else kept.drop(key);
  }

  function complain(reason: string): void {
    if (complaints.take())
      log.warn({ reason }, 'what a call costs cannot be asked: it is not sold');
  }

  /** Null: it is not known. */
  async function asked(key: string, place: Resource): Promise<string | null> {
    try {
      const told = await answerOf(url, place);
      keep(key, told);
      return told.price;
    } catch (error) {
      complain(messageOf(error));
      return null;
    } finally {
      asking.delete(key);
    }
  }

  /** A text: the price as it was said. */
  async function priceFor(place: Resource, isStranger: boolean): Promise<string | Unpriced> {
    const key = keyOf(place);
    const known = kept.find(key);
    if (known !== undefined && now() < known.untilMs) return known.price;
    const other = asking.get(key);
    if (other !== undefined) return (await other) ?? UNAVAILABLE;
    const most = isStranger ? MOST_AT_ONCE.strangers : MOST_AT_ONCE.all;
    if (asking.size >= most || (isStranger && !strangers.take()))
      return { ok: false, reason: TOO_MANY_QUESTIONS };
    const own = asked(key, place);
    asking.set(key, own);
    return (await own) ?? UNAVAILABLE;
  }

  return {
    async ask(place: Resource, { most, decimals, isStranger }: Question): Promise<Asked> {
      const price = await priceFor(place, isStranger);
      if (typeof price !== 'string') return price;
      const amount = amountOf(price, decimals);
      if (amount === null || amount === 0n) complain(`"${price}" is no decimal amount above 0`);
      else if (amount > most) complain(`${price} is more than the rule allows`);
      else return { ok: true, amount };
      return UNAVAILABLE;
    },
  };
}

/** Of one length, however long a caller makes the URL. */
const keyOf = ({ method, url }: Resource): string =>
  createHash('sha256').update(`${method} ${url}`).digest('base64');

/** Throws when it says no price. */
async function answerOf(at: string, { method, url }: Resource): Promise<Told> {
  const asked = new URL(at);
  asked.searchParams.set('method', method);
  asked.searchParams.set('url', url);
  const signal = AbortSignal.timeout(LONGEST_MS);
  const headers = { accept: 'application/json, text/plain' };
  const answer = await exchangeWith(asked.href, { headers, signal });
  if (answer.status !== 200) {
    unread(answer);
    throw new Error(`it answers ${answer.status}`);
  }
  const text = (await boundedText(answer, LONGEST_ANSWER)).trim();
  return {
    price: text.startsWith('{') ? priceIn(JSON.parse(text)) : text,
    keptMs: keptMsIn(answer),
  };
}

function priceIn(value: unknown): string {
  const { price }: { price?: unknown } = Object(value);
  return `${price}`;
}

const MAX_AGE = /^max-age="?(\d{1,10})"?$/;
const UNKEPT = ['no-store', 'no-cache'];

function keptMsIn({ headers }: Response): number {
  const said = (headers.get('cache-control') ?? '').toLowerCase().split(',');
  const words = said.map((word) => word.trim());
  if (words.some((word) => UNKEPT.includes(word))) return 0;
  const [seconds = 0] = words.flatMap((word) => MAX_AGE.exec(word)?.[1] ?? []).map(Number);
  const age = Number(headers.get('age') ?? 0);
  return Math.min((seconds - (age > 0 ? age : 0)) * 1_000, LONGEST_KEPT_MS);
}

const DECIMAL = /^(\d{1,40})(?:\.(\d{1,78}))?$/;

/** Digits that the token has not are rounded up: nothing is sold for less than was said. Null: it is no amount. */
function amountOf(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const units = unitsOf(whole, fraction.slice(0, decimals), decimals);
  const isMore = /[1-9]/.test(fraction.slice(decimals));
  return units === null ? null : units + (isMore ? 1n : 0n);
}
