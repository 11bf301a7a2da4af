/** The headers of x402: base64 of JSON. What comes from a server is bounded before it is read. */
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types';
import { parseDecimal } from '../basics/amount.ts';
import { identifierIn } from './identifier.ts';
import { offerIn, proofIn, X402_VERSION } from './offer.ts';

export const DEMAND = 'payment-required';
export const PROOF = 'payment-signature';
export const RECEIPT = 'payment-response';

/** Characters of a header that a server sends; the proof that answers it repeats most of them. */
const LONGEST = 16_384;
const MOST_ACCEPTS = 50;

export class TooLong extends Error {}

/** Null: there is none, or it is not of x402 v2. Throws TooLong. */
export function demandIn(headers: Headers): PaymentRequired | null {
  const text = headers.get(DEMAND);
  return text === null ? null : demandOf(text);
}

/** Of the header's text, or of what it says, in the same bounds. Null: it is none. Throws TooLong. */
export function demandOf(given: unknown): PaymentRequired | null {
  const text = typeof given === 'string' ? given : encoded(Object(given));
  const value = decodedText(text, DEMAND, LONGEST);
  return isDemand(value) && value.accepts.length <= MOST_ACCEPTS ? value : null;
}

function isDemand(value: unknown): value is PaymentRequired {
  const { x402Version, accepts }: { x402Version?: unknown; accepts?: unknown } = Object(value);
  return x402Version === X402_VERSION && Array.isArray(accepts) && accepts.every(isRequirement);
}

function isRequirement(value: unknown): boolean {
  const { scheme, network, amount, asset, payTo }: Record<string, unknown> = Object(value);
  return [scheme, network, amount, asset, payTo].every((word) => typeof word === 'string');
}

/** What all calls of a tab came to, what that leaves, and how many payments after the first the seller has seen. */
export type TabReceipt = { total: bigint; left: bigint; lumps: number };
/** `amount`: what the call came to; null: that is not known when its answer begins. */
export type Receipt = {
  success: boolean;
  reason: string;
  amount: bigint | null;
  tab: TabReceipt | null;
};

/** Null: nothing is said. */
export function receiptIn(headers: Headers): Receipt | null {
  const said: Record<string, unknown> = Object(decoded(headers, RECEIPT));
  const { success, errorReason, amount, tab } = said;
  if (typeof success !== 'boolean') return null;
  return {
    success,
    reason: typeof errorReason === 'string' ? errorReason : '',
    amount: parseDecimal(amount),
    tab: tabReceiptIn(tab),
  };
}

/** Why a proof or a ticket is refused; empty: it is not said. Throws TooLong. */
export const reasonIn = (headers: Headers): string =>
  receiptIn(headers)?.reason ?? demandIn(headers)?.error ?? '';

function tabReceiptIn(value: unknown): TabReceipt | null {
  const said: Record<string, unknown> = Object(value);
  const total = parseDecimal(said['total']);
  const left = parseDecimal(said['left']);
  const { lumps } = said;
  if (total === null || left === null || typeof lumps !== 'number') return null;
  return { total, left, lumps };
}

/** The tag in a proof that this program has made; null: it has none, as of another scheme. */
export function tagIn(headers: Headers): string | null {
  const { accepted }: { accepted?: unknown } = Object(decoded(headers, PROOF));
  const { extra }: { extra?: unknown } = Object(accepted);
  const { tag }: { tag?: unknown } = Object(extra);
  return typeof tag === 'string' ? tag : null;
}

/** Tag, secret and identifier of a proof that names its call; null: it does not. Throws TooLong. */
export function namedIn(headers: Headers): [string, string, string] | null {
  const proof: Record<string, unknown> = Object(decoded(headers, PROOF));
  const offer = offerIn(Object(proof['accepted']).extra);
  const shown = proofIn(proof['payload']);
  const id = identifierIn(proof['extensions']);
  return offer === null || shown === null || id === null ? null : [offer.tag, shown.secret, id];
}

/** What a call shows, whatever it is; null: nothing that is of x402 v2. Throws nothing. */
export function shownIn(headers: Headers): { payload: unknown; accepted: unknown } | null {
  try {
    const shown: Record<string, unknown> = Object(decoded(headers, PROOF));
    const { x402Version, payload, accepted } = shown;
    return x402Version === X402_VERSION ? { payload, accepted } : null;
  } catch {
    return null;
  }
}

export const demandHeader = (demand: PaymentRequired): string => encoded(demand);
export const proofHeader = (payload: PaymentPayload): string => encoded(payload);
export const receiptHeader = (receipt: SettleResponse): string => encoded(receipt);

function encoded(value: object): string {
  const text = JSON.stringify(value);
  // Signs beyond ASCII are escaped, so that a letter is a byte.
  return btoa(text.replace(/[\u0080-\uffff]/g, escaped));
}

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

const ASCII = /^[\x20-\x7e]*$/;

function decoded(headers: Headers, name: string): unknown {
  const text = headers.get(name);
  // A proof has what the server sent, and a little more.
  return text === null ? null : decodedText(text, name, name === PROOF ? 4 * LONGEST : LONGEST);
}

function decodedText(text: string, name: string, longest: number): unknown {
  if (text.length > longest) throw new TooLong(`the header ${name} has ${text.length} characters`);
  try {
    const letters = atob(text);
    if (ASCII.test(letters)) return JSON.parse(letters);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
