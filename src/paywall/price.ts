/** How the price of a call is said in a rule, and what that is in a token's smallest unit. */
import { type Address, parseAddress } from '../basics/hex.ts';
import { toUnits } from '../client/units.ts';

/** What is counted of an answer: bytes of its body, events of a stream, or the tokens that a language model says it used. */
const UNITS = ['byte', 'event', 'token'] as const;
export type Unit = (typeof UNITS)[number];
const ASKED = 'asked';

/**
 * In decimal texts of whole tokens. `amount`: what a call costs at most. `by` says what it comes to: that (`call`), what the
 * seller's server says when it is asked before the offer (`asked`), what the server behind says with its answer (`server`), or
 * `each` for each unit that is counted.
 */
export type Price = { amount: string; token: Address } & (
  | { by: 'call' | 'asked' }
  | { by: 'server' }
  | { by: Unit; each: string }
);
/** The same in the token's smallest unit. */
export type Rate = { most: bigint; decimals: number } & (
  | { by: 'call' | 'asked' }
  | { by: 'server' }
  | { by: Unit; each: bigint }
);

/** Whether it is known with the answer alone what a call comes to. */
export const isByUse = ({ by }: Pick<Price, 'by'>): boolean => by !== 'call' && by !== 'asked';

type Read =
  /** `rest`: the words behind the token. */
  { ok: true; price: Price; rest: readonly string[] } | { ok: false; why: string };

const AMOUNT = /^\d{1,40}(\.\d{1,40})?$/;

export const isAmount = (text: string): boolean => AMOUNT.test(text) && !/^[0.]*$/.test(text);

/** `AMOUNT TOKEN`, `up to MOST TOKEN`, `asked up to MOST TOKEN`, or `AMOUNT per UNIT up to MOST TOKEN`. */
export function priceIn(words: readonly string[]): Read {
  const at = words.findIndex((word, index) => word === 'up' && words[index + 1] === 'to');
  const [amount = '', tokenText, ...rest] = at === -1 ? words : words.slice(at + 2);
  if (!isAmount(amount)) return { ok: false, why: 'has no price above 0, nor the word free' };
  const use = at === -1 ? ({ by: 'call' } as const) : useIn(words.slice(0, at));
  if (use === null)
    return {
      ok: false,
      why: `has something else than asked, or AMOUNT per ${UNITS.join('|')}, before up to`,
    };
  const token = parseAddress(tokenText);
  if (token === null)
    return { ok: false, why: 'does not name a token by its address after the price' };
  return { ok: true, price: { amount, token, ...use }, rest };
}

type Use = { by: 'server' } | { by: 'asked' } | { by: Unit; each: string };

function useIn(words: readonly string[]): Use | null {
  if (words.length === 0) return { by: 'server' };
  if (words.join(' ') === ASKED) return { by: ASKED };
  const [each = '', per, unitText, ...others] = words;
  const by = UNITS.find((unit) => unit === unitText);
  const isUse = isAmount(each) && per === 'per' && others.length === 0;
  return isUse && by !== undefined ? { by, each } : null;
}

/** Throws when the token has not so many digits, or one unit costs more than the call may. */
export function rateOf(price: Price, decimals: number): Rate {
  const most = smallestUnits(price.amount, decimals);
  if (!('each' in price)) return { by: price.by, most, decimals };
  const each = smallestUnits(price.each, decimals);
  if (each > most)
    throw new Error(`one ${price.by} costs ${price.each}, and a call at most ${price.amount}`);
  return { by: price.by, each, most, decimals };
}

function smallestUnits(amount: string, decimals: number): bigint {
  const units = toUnits(amount, decimals);
  if (units === null) throw new Error(`the price ${amount} has more digits than the token`);
  return units;
}
