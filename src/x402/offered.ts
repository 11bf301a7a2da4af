/** Offers come with a 402 through the client's own fetch, or are told by a program that got them in another way. */
import type { PaymentRequired } from '@x402/core/types';
import { hostOf } from './budget.ts';
import { demandOf } from './headers.ts';
import { offerIn, SCHEME } from './offer.ts';
import { type Offered, type Purchases, resourceOf } from './purchases.ts';

/**
 * What a program was offered. `method` and `url`: of the call that was answered with it, after all redirections; the proof
 * is good for these alone. `required`: the header PAYMENT-REQUIRED, or what it says.
 */
export type OutsideOffer = { method: string; url: string; required: string | PaymentRequired };
type Origin = Pick<Offered, 'required' | 'resource' | 'url' | 'isMoved'>;

/** Answers those of the scheme `channel`, which can be paid from now on. */
export function noteOffers(purchases: Purchases, origin: Origin): Offered[] {
  return origin.required.accepts.flatMap((demand) => {
    const offer = demand.scheme === SCHEME ? offerIn(demand.extra) : null;
    if (offer === null) return [];
    const offered = { ...origin, demand, offer };
    purchases.noteOffer(offered);
    return [offered];
  });
}

/** Throws when it is none, or longer than a header may be. */
export function noteOutsideOffer(purchases: Purchases, offer: OutsideOffer): void {
  const { method, url } = offer;
  if (!URL.canParse(url) || hostOf(url) === '') throw new Error(`no URL with a host: ${url}`);
  const required = demandOf(offer.required);
  if (required === null) throw new Error('it is no offer of x402 v2');
  const resource = resourceOf({ method: method.toUpperCase(), url });
  noteOffers(purchases, { required, resource, url, isMoved: false });
}
