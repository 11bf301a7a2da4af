/**
 * What this program is buying, or has bought and not got yet. Each offer is paid once; a proof that was not taken is kept
 * for the next call of the same resource, until its time is over.
 */
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { Paid } from '../client/pay.ts';
import { proofHeader } from './headers.ts';
import { identified } from './identifier.ts';
import { type Offer, OUTLASTS_MS, X402_VERSION } from './offer.ts';

/** As it came with a 402. `resource`: method and URL of the call that got it. `isMoved`: another URL answered it. */
export type Offered = {
  required: PaymentRequired;
  demand: PaymentRequirements;
  offer: Offer;
  resource: string;
  url: string;
  isMoved: boolean;
};
/** `isInUse`: a call is under way that pays it or presents it. `paid`: null: it may still be paid. */
export type Purchase = {
  offered: Offered;
  amount: bigint;
  paid: Paid | null;
  isInUse: boolean;
  /** To the budget, when it is certain that nothing was paid. */
  giveBack(): void;
};

/** Milliseconds that a payment may take and a server's clock may be ahead: with less left, nothing is paid. */
export const LEAST_LEFT_MS = 5_000;
const MOST_KEPT = 1_000;

export const resourceOf = ({ method, url }: Pick<Request, 'method' | 'url'>): string =>
  `${method} ${withoutFragment(url)}`;
export const withoutFragment = (url: string): string => url.split('#')[0] ?? '';

export const leftMs = ({ expires }: Offer, now: number): number => expires * 1_000 - now;

export type Purchases = ReturnType<typeof createPurchases>;

export function createPurchases(now: () => number) {
  const offers = new Map<string, Offered>();
  const purchases = new Map<string, Purchase>();
  const isOver = ({ offer }: Offered) => leftMs(offer, now()) <= 0;
  /** What was paid in time can be presented for longer than it could be paid. */
  const isUseful = ({ offered: { offer }, paid }: Purchase) =>
    leftMs(offer, now()) >= (paid === null ? LEAST_LEFT_MS : -OUTLASTS_MS);
  return {
    noteOffer(offered: Offered): void {
      keepFew(offers, isOver);
      offers.set(offered.offer.tag, offered);
    },
    offer: (tag: string) => offers.get(tag),
    note(purchase: Purchase): void {
      keepFew(purchases, (one) => !isUseful(one) && isOver(one.offered));
      purchases.set(purchase.offered.offer.tag, purchase);
    },
    purchase: (tag: string) => purchases.get(tag),
    drop(purchase: Purchase): void {
      purchases.delete(purchase.offered.offer.tag);
    },
    /** One that is bought or being paid for this resource, and that no other call uses. */
    left(resource: string): Purchase | undefined {
      return [...purchases.values()].find(
        (one) => one.offered.resource === resource && !one.isInUse && isUseful(one),
      );
    },
  };
}

/** Makes room for one more: first what is over goes, then what is oldest. */
function keepFew<T>(map: Map<string, T>, isOver: (value: T) => boolean): void {
  if (map.size < MOST_KEPT) return;
  for (const [key, value] of map) if (isOver(value)) map.delete(key);
  for (const key of map.keys()) {
    // A tenth at a time: it looks at all of them.
    if (map.size < 0.9 * MOST_KEPT) return;
    map.delete(key);
  }
}

/** Of a payment. */
type Shown = Pick<Paid, 'payer' | 'secret'>;

/** What is sent with the call that presents it. */
export function payloadOf({ required, demand, offer }: Offered, paid: Shown): PaymentPayload {
  const { resource, extensions } = required;
  return {
    x402Version: X402_VERSION,
    accepted: demand,
    payload: proofOf(offer, paid),
    ...(resource === undefined ? {} : { resource }),
    ...(extensions === undefined ? {} : { extensions: identified(extensions, offer.tag) }),
  };
}

/** Of the header that is sent when the offer is paid. */
export function proofLength(offered: Offered): number {
  const payer = `0x${'00'.repeat(20)}`;
  const secret = `0x${'00'.repeat(32)}`;
  return proofHeader(payloadOf(offered, { payer, secret })).length;
}

export function proofOf({ paymentId }: Offer, { payer, secret }: Shown) {
  return { payer, paymentId, secret };
}
