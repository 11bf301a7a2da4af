/**
 * The other words for a paid call: the HTTP authentication scheme `Payment` (draft-httpauth-payment), with the method `channel`
 * and the intent `charge`. What they say is what x402 says, so both sides turn them into that where they come in.
 */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import * as Base64 from 'ox/Base64';
import { type OfferProof, offerIn, proofIn, SCHEME, X402_VERSION } from './offer.ts';
import { CALL_FLOW } from './price.ts';

export const CHALLENGE = 'www-authenticate';
export const AUTHORIZATION = 'authorization';
/** Where a call shows its payment whose `Authorization` is for something else; `header` of a challenge says so. */
export const OTHER_AUTHORIZATION = 'payment-authorization';
export const PAYMENT_RECEIPT = 'payment-receipt';
export const PROBLEMS = 'https://paymentauth.org/problems/';

const METHOD = SCHEME;
const INTENT = 'charge';
/** Characters of a header, as for those of x402. */
const LONGEST = 16_384;

/** Parameters of a challenge as they came. */
export type Challenge = Readonly<Record<string, string>>;
/** What a call shows. */
export type Credential = { challenge: Challenge; proof: OfferProof };

/** Of an offer for one call, whose tag binds all that the challenge says. `header`: where the payment is to be shown, if not in `Authorization`. */
export function challengeOf(demand: PaymentRequirements, realm: string, header: string | null) {
  const { amount, asset, network, payTo, maxTimeoutSeconds, extra } = demand;
  const offer = offerIn(extra);
  if (offer === null) throw new Error('an offer without its parts came to be written');
  const { paymentId, tag, expires } = offer;
  // In the order of their names, as the scheme wants its JSON.
  const request = {
    amount,
    currency: asset,
    methodDetails: { maxTimeoutSeconds, network, paymentId, tag },
    recipient: payTo,
  };
  return {
    ...{ id: tag, realm, method: METHOD, intent: INTENT, request: encoded(request) },
    expires: new Date(expires * 1_000).toISOString(),
    ...(header === null ? {} : { header }),
  };
}

/** Null: it is none of the method `channel`. Throws nothing. */
export function demandOfChallenge(challenge: Challenge): PaymentRequirements | null {
  const { method, intent, request = '', expires = '' } = challenge;
  const { amount, currency, recipient, methodDetails } = fieldsOf(decoded(request));
  const { maxTimeoutSeconds, network, paymentId, tag } = fieldsOf(methodDetails);
  const extra = { paymentId, expires: Math.floor(Date.parse(expires) / 1_000), tag };
  const isOurs = method === METHOD && intent === INTENT && offerIn(extra) !== null;
  if (!isOurs || typeof amount !== 'string' || typeof currency !== 'string') return null;
  if (typeof recipient !== 'string' || !isNetwork(network)) return null;
  const seconds = typeof maxTimeoutSeconds === 'number' ? maxTimeoutSeconds : 0;
  const parties = { network, asset: currency, payTo: recipient };
  return { scheme: SCHEME, amount, ...parties, maxTimeoutSeconds: seconds, extra };
}

const isNetwork = (value: unknown): value is `${string}:${string}` =>
  typeof value === 'string' && /^[^:]+:[^:]+$/.test(value);

/** As x402 shows it to a server that has made the offer. Null: its challenge is none that can be paid so. */
export function proofOfCredential({ challenge, proof }: Credential): PaymentPayload | null {
  const demand = demandOfChallenge(challenge);
  if (demand === null) return null;
  const extra = { ...demand.extra, paymentFlow: CALL_FLOW };
  return { x402Version: X402_VERSION, accepted: { ...demand, extra }, payload: proof };
}

export const challengeHeader = (challenge: Challenge): string =>
  `Payment ${Object.entries(challenge)
    .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`)
    .join(', ')}`;

/** A name, and a value that may stand in quotes; or the name of a scheme. */
const PART = /([!#$%&'*+\-.^_`|~\w]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;

/** All of the scheme `Payment` in a header, which may have others. Throws nothing. */
export function challengesIn(headers: Headers): Challenge[] {
  const text = headers.get(CHALLENGE) ?? '';
  const found: { isOurs: boolean; params: Record<string, string> }[] = [];
  if (text.length > LONGEST) return [];
  for (const [, name = '', quoted, plain] of text.matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) found.push({ isOurs: name.toLowerCase() === 'payment', params: {} });
    const last = found.at(-1);
    if (value !== undefined && last !== undefined) last.params[name.toLowerCase()] ??= value;
  }
  return found.filter(({ isOurs }) => isOurs).map(({ params }) => params);
}

/** It echoes the challenge as it came. */
export const credentialHeader = ({ challenge, proof }: Credential): string =>
  `Payment ${encoded({ challenge, payload: proof })}`;

/** Null: there is none, or it is none of the method `channel`. Throws nothing. */
export function credentialIn(headers: Headers, name: string): Credential | null {
  const [, token = ''] = /^payment +([\w-]+=*) *$/i.exec(headers.get(name) ?? '') ?? [];
  if (token === '' || token.length > 4 * LONGEST) return null;
  const { challenge, payload } = fieldsOf(decoded(token));
  const params = Object.entries(fieldsOf(challenge)).filter(isText);
  const proof = proofIn(payload);
  const echoed: Challenge = Object.fromEntries(params);
  return proof !== null && echoed['method'] === METHOD ? { challenge: echoed, proof } : null;
}

/** What it says the payment is known by; null: there is none. Throws nothing. */
export function receiptIn(headers: Headers): string | null {
  const { status, reference } = fieldsOf(
    decoded((headers.get(PAYMENT_RECEIPT) ?? '').slice(0, LONGEST)),
  );
  return status === 'success' && typeof reference === 'string' ? reference : null;
}

const isText = (entry: [string, unknown]): entry is [string, string] =>
  typeof entry[1] === 'string';

/** Of JSON, as all of these headers have it. */
export const encoded = (value: object): string =>
  Base64.fromString(JSON.stringify(value), { pad: false, url: true });

/** Null: it is none. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(Base64.toString(text));
  } catch {
    return null;
  }
}

export const fieldsOf = (value: unknown): Record<string, unknown> => Object(value);
