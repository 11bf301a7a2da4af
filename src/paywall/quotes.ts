/**
 * What calls cost whose price is asked of the seller's server. An offer stays good at its own price until it ends, whatever the
 * server says meanwhile: its tag says that the amount was offered for this very call.
 */
import type { HTTPRequestContext } from '@x402/core/server';
import { smaller } from '../basics/amount.ts';
import { PROOF, shownIn } from '../x402/headers.ts';
import { amountIn, type Offer, offerIn, SCHEME } from '../x402/offer.ts';
import type { Resource } from '../x402/place.ts';
import { CALL_PRICE } from '../x402/price.ts';
import { boundOf } from '../x402/server.ts';
import { createTags } from '../x402/tags.ts';
import { rateOf } from './price.ts';
import type { PriceAsker, Unpriced } from './price-asker.ts';
import type { Rule } from './rules.ts';
import type { Seller } from './seller.ts';

type Adapter = HTTPRequestContext['adapter'];
/** `offer`: the one that the call has paid for; null: a new one is made. */
export type Quote = { amount: bigint; offer: Offer | null };
type Quoted = { ok: true; quote: Quote } | Unpriced;
export type Quotes = ReturnType<typeof createQuotes>;

/** A proof that was made in time may be on its way for so long. */
const GRACE_MS = 60_000;

type Options = {
  /** Of the offers. */
  key: string;
  seller: Seller;
  /** Null: no rule asks. */
  asker: PriceAsker | null;
};

export function createQuotes({ key, seller, asker }: Options) {
  const tags = createTags(key);
  const known = new WeakMap<Adapter, Quote>();

  function asked(rule: Rule, { method, url }: Resource, isStranger: boolean) {
    if (rule.price === null || asker === null) throw new Error('no price of this rule is asked');
    const { most, decimals } = rateOf(rule.price, seller.decimals.get(rule.price.token) ?? 0);
    // Whoever sees the head of an answer has some of it.
    const place = { method: method === 'HEAD' ? 'GET' : method, url: tidy(url) };
    return asker.ask(place, { most, decimals, isStranger });
  }

  /** Null: the proof is for no call of this price that was offered here. Without this check everybody would name a price. */
  function offeredIn(rule: Rule, place: Resource, proof: string | null): PaidOffer | null {
    const shown = proof === null ? null : shownIn(new Headers({ [PROOF]: proof }));
    const { scheme, amount, extra }: Record<string, unknown> = Object(shown?.accepted);
    const offer = offerIn(extra);
    const paid = amountIn(amount);
    if (scheme !== SCHEME || offer === null || paid === null || rule.price === null) return null;
    const { address: payTo, network } = seller;
    const demand = { amount: `${paid}`, asset: rule.price.token, payTo, network, extra: {} };
    return tags.isTagOf(offer.tag, boundOf(demand, offer, place)) ? { amount: paid, offer } : null;
  }

  async function quoteFor(rule: Rule, place: Resource, proof: string | null): Promise<Quoted> {
    const paid = offeredIn(rule, place, proof);
    const isInTime = paid !== null && paid.offer.expires * 1_000 + GRACE_MS > Date.now();
    if (isInTime) return { ok: true, quote: paid };
    const said = await asked(rule, place, true);
    if (!said.ok) return said;
    // Paid or shown late: it is enough when the price is no higher by now.
    const isEnough = paid !== null && paid.amount >= said.amount;
    return { ok: true, quote: isEnough ? paid : { amount: said.amount, offer: null } };
  }

  return {
    /**
     * Finds what a call costs before its offer is made, or its proof looked at, and keeps that for `of`; null: it does, or the
     * rule says it itself. `proof`: the header; null: none counts.
     */
    async prepare(adapter: Adapter, rule: Rule, proof: string | null): Promise<Unpriced | null> {
      if (rule.price?.by !== 'asked') return null;
      const place = { method: adapter.getMethod(), url: adapter.getUrl() };
      const quoted = await quoteFor(rule, place, proof);
      if (!quoted.ok) return quoted;
      known.set(adapter, quoted.quote);
      return null;
    },
    /** For a call whose ticket is used already: it costs its buyer a counter. */
    askOnTab: (rule: Rule, place: Resource) => asked(rule, place, false),
    /** Null: the rule says it. */
    of: (adapter: Adapter): Quote | null => known.get(adapter) ?? null,
  };
}

type PaidOffer = { amount: bigint; offer: Offer };

/** Without the slash at the end of its path, which makes no difference to rules. */
const tidy = (url: string): string => url.replace(/^([^?]*[^/?])\/(?=\?|$)/, '$1');

/** What a ticket may cost is set aside before anything is asked. A ticket that allows nothing is for no call. */
export const asideFor = (most: bigint, allowed: bigint): bigint =>
  allowed === 0n ? most : smaller(most, allowed);

/** Whether the call costs more than the offer of a tab said of it, `extra`, which a buyer may have agreed to alone. */
export function isRaised(quote: Quote | null, extra: Record<string, unknown>): boolean {
  const said = amountIn(extra[CALL_PRICE]);
  return quote !== null && said !== null && quote.amount > said;
}
