/** Ways to pay for a route, as the middlewares of x402 take them. */
import type { HTTPRequestContext, PaymentOption } from '@x402/core/http';
import type { SchemeNetworkServer } from '@x402/core/types';
import { larger } from '../basics/amount.ts';
import { type Address, parseAddress } from '../basics/hex.ts';
import { toUnits } from '../client/units.ts';
import { PROOF, shownIn } from './headers.ts';
import { amountIn, offerIn, SCHEME } from './offer.ts';
import { isTabOffer, type TabTerms, termsExtra } from './tab-terms.ts';
import { ticketIn } from './ticket.ts';

export type ChannelPriceOptions = {
  /** The chain of the seller's node, such as `eip155:1`. */
  network: PaymentOption['network'];
  /** The address of the seller's node. */
  payTo: string;
  /** How long an offer can be paid and used; default 60. */
  seconds?: number;
};
/** A token on chain, and its digits after the point. */
export type Asset = { address: string; decimals: number };

/** `price('0.0001')` is for `accepts` of a route: in whole tokens of `channelServer`, or `{ asset, amount }`, or a function. */
export function channelPrice({ network, payTo, seconds = 60 }: ChannelPriceOptions) {
  return (price: PaymentOption['price']): PaymentOption => ({
    ...{ scheme: SCHEME, network, payTo, price },
    maxTimeoutSeconds: seconds,
  });
}

type Price = Parameters<SchemeNetworkServer['parsePrice']>[0];

/** In the smallest unit. Throws when it is no price: a route with a wrong price must not be served. */
export function priceOf(price: Price, asset: Asset | undefined) {
  if (typeof price === 'object') {
    if (amountIn(price.amount) === null) throw new Error(`no amount: ${price.amount}`);
    return price;
  }
  if (asset === undefined)
    throw new Error(`the price ${price} is of no token: give asset to channelServer`);
  const amount = toUnits(`${price}`, asset.decimals);
  if (amount === null || amount === 0n)
    throw new Error(`the price ${price} is no number above 0 with ${asset.decimals} decimals`);
  return { asset: parseAddress(asset.address) ?? asset.address, amount: `${amount}` };
}

/** What opens a tab at least, in the smallest unit of the token, and on which terms. */
export type OfferedTab = TabTerms & { least: bigint; token: Address };

/**
 * The packages settle twice, before the call and after it, so that what the call came to is known then. It also tells the
 * proof that opens a tab from that of a call with the same price.
 */
export const TAB_FLOW = 'escrow';
/** Of all other calls: the payment is redeemed before anything is done for it. */
export const CALL_FLOW = 'upfront';
/** In `extra` of an offer of a tab: what this very call draws from it. A price may say it there, when it can be less than the price. */
export const CALL_PRICE = 'price';

/** The other way to pay for what `option` sells: ahead, on a tab. */
export function tabOption(
  option: PaymentOption,
  { least, token, ...terms }: OfferedTab,
  asset?: Asset,
): PaymentOption {
  return {
    ...option,
    async price(context) {
      const given = typeof option.price === 'function' ? await option.price(context) : option.price;
      const priced = priceOf(given, asset);
      const { asset: address, amount } = priced;
      if (parseAddress(address) !== token) throw new Error(`the tabs are not in ${address}`);
      const call = ('extra' in priced && priced.extra?.[CALL_PRICE]) || amount;
      const extra = { ...termsExtra(terms), paymentFlow: TAB_FLOW, [CALL_PRICE]: call };
      const named = namedByTicket(context);
      if (named !== null)
        return { asset: token, amount: named.amount, extra: { ...extra, ...named.extra } };
      // It pays for the first call at least.
      return { asset: token, amount: `${larger(least, BigInt(amount))}`, extra };
    },
  };
}

/**
 * The offer of which a ticket says that it opened its tab: for another call, or on other terms than those of now, so that the
 * middleware would find no such offer. The ticket's code decides, not the offer. With it comes the tag that the caller
 * names, and no other is made: what a caller writes here is never offered.
 */
function namedByTicket({ adapter }: HTTPRequestContext) {
  const header = adapter.getHeader(PROOF);
  const shown = header === undefined ? null : shownIn(new Headers({ [PROOF]: header }));
  if (shown === null || ticketIn(shown.payload) === null) return null;
  const { amount, extra }: { amount?: unknown; extra?: unknown } = Object(shown.accepted);
  const offer = offerIn(extra);
  if (offer === null || !isTabOffer(extra) || amountIn(amount) === null) return null;
  const { tab }: { tab?: unknown } = Object(extra);
  return { amount: `${amount}`, extra: { tab, ...offer } };
}
