/** What a 402 of the scheme `channel` offers beside the price, and what proves that it was paid: docs/x402-scheme.md. */
import { parseDecimal } from '../basics/amount.ts';
import { type Hex, isHexOf } from '../basics/hex.ts';

export const SCHEME = 'channel';
/** Of x402. */
export const X402_VERSION = 2;
/** What the server adds to each offer. */
export const OFFER_FIELDS = ['paymentId', 'expires', 'tag'] as const;
const MOST_ID = 2n ** 63n - 1n;
/**
 * Mediators can pay a payment late, at the latest on chain: its proof is looked at for so many milliseconds after the end of
 * its offer.
 */
export const OUTLASTS_MS = 7 * 86_400_000;

/** `expires`: seconds since 1970. `tag`: says to the server that it made the offer, and for what. */
export type Offer = { paymentId: string; expires: number; tag: Hex };
export type OfferProof = { payer: Hex; paymentId: string; secret: Hex };

/** Null: it is none. */
export function offerIn(value: unknown): Offer | null {
  const { paymentId, expires, tag }: Partial<Record<keyof Offer, unknown>> = Object(value);
  if (!isPaymentId(paymentId) || !isHexOf(tag, 32)) return null;
  const isTime = typeof expires === 'number' && Number.isSafeInteger(expires) && expires > 0;
  return isTime ? { paymentId, expires, tag } : null;
}

/** Null: it is none. */
export function proofIn(value: unknown): OfferProof | null {
  const { payer, paymentId, secret }: Partial<Record<keyof OfferProof, unknown>> = Object(value);
  if (!isPaymentId(paymentId) || !isHexOf(payer, 20) || !isHexOf(secret, 32)) return null;
  return { payer, paymentId, secret };
}

function isPaymentId(value: unknown): value is string {
  const id = parseDecimal(value, 19);
  return id !== null && id > 0n && id <= MOST_ID;
}

/** Drawn many at a time, since each drawing costs as much as a hundred numbers. */
let drawn = new BigUint64Array(0);
let used = 0;

/** 63 bits, drawn: no two offers of a server have one, and nobody guesses that of another. */
export function drawPaymentId(): string {
  if (used >= drawn.length) {
    drawn = crypto.getRandomValues(new BigUint64Array(256));
    used = 0;
  }
  const id = (drawn[used++] ?? 0n) & MOST_ID;
  return id === 0n ? drawPaymentId() : `${id}`;
}

/** Of a decimal amount above 0; null: it is none. */
export function amountIn(value: unknown): bigint | null {
  const amount = parseDecimal(value, 78);
  return amount === null || amount === 0n || amount >= 2n ** 256n ? null : amount;
}
