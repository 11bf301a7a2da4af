/**
 * Speaks the scheme `Payment` to servers that know no x402: behind this `fetch` their challenges are offers of x402, and the proofs
 * of those are shown as they want it.
 */
import type { PaymentRequired } from '@x402/core/types';
import { boundedText } from '../basics/bounded-text.ts';
import { DEMAND, demandHeader, PROOF, RECEIPT, receiptHeader, shownIn } from './headers.ts';
import { proofIn, X402_VERSION } from './offer.ts';
import {
  AUTHORIZATION,
  type Challenge,
  type Credential,
  challengesIn,
  credentialHeader,
  demandOfChallenge,
  fieldsOf,
  OTHER_AUTHORIZATION,
  PROBLEMS,
  receiptIn,
} from './payment-scheme.ts';
import { withoutFragment } from './purchases.ts';
import { PENDING, PURCHASE_REASONS } from './reasons.ts';

/** In `extra` of an offer that came as a challenge: its parameters, which are sent back as they came. */
const CAME_AS = 'challenge';
/** Bytes of a problem that are read. */
const LONGEST_PROBLEM = 65_536;

export function inBothDialects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  /** Whether some server has wanted it so: the proofs of all others are not looked at. */
  let isSpoken = false;
  return async (input, init) => {
    const isWhole = input instanceof Request && init === undefined;
    const request = isWhole ? input : new Request(input, init);
    const shown = isSpoken ? credentialOf(request.headers) : null;
    const answer = await fetch(shown === null ? request : inPayment(request, shown));
    const isOfX402 = answer.headers.has(DEMAND) || answer.headers.has(RECEIPT);
    if (isOfX402 || isOfOther(answer, request)) return answer;
    if (answer.status !== 402) return shown === null ? answer : receipted(answer, shown);
    const required = demandedBy(answer, request);
    if (required === null) return answer;
    isSpoken = true;
    const error = shown === null ? null : await reasonIn(answer, shown, required);
    const header = demandHeader(error === null ? required : { ...required, error });
    return withHeader(answer, DEMAND, header);
  };
}

/** A redirection led to whoever answered: what that one wants is not paid here. */
const isOfOther = ({ url }: Response, request: Request): boolean =>
  url !== '' && withoutFragment(url) !== withoutFragment(request.url);

/** What a proof of x402 is in the other words; null: its offer did not come in them. */
function credentialOf(headers: Headers): Credential | null {
  const { accepted, payload } = shownIn(headers) ?? {};
  const challenge = challengeIn(fieldsOf(accepted)['extra']);
  const proof = proofIn(payload);
  return challenge === null || proof === null ? null : { challenge, proof };
}

function challengeIn(extra: unknown): Challenge | null {
  const params = fieldsOf(extra)[CAME_AS];
  if (params === undefined) return null;
  return Object.fromEntries(
    Object.entries(fieldsOf(params)).map(([name, text]) => [name, `${text}`]),
  );
}

/** Names of headers are not taken from a server but for this one. */
const placeOf = ({ header = '' }: Challenge): string =>
  header.toLowerCase() === OTHER_AUTHORIZATION ? OTHER_AUTHORIZATION : AUTHORIZATION;

function inPayment(request: Request, shown: Credential): Request {
  const headers = new Headers(request.headers);
  headers.delete(PROOF);
  headers.set(placeOf(shown.challenge), credentialHeader(shown));
  return new Request(request, { headers });
}

/** Null: it wants nothing that can be paid so. */
function demandedBy(answer: Response, { url, headers }: Request): PaymentRequired | null {
  const accepts = challengesIn(answer.headers).flatMap((challenge) => {
    // The call has said something else there, which its server has to see.
    if (headers.has(AUTHORIZATION) && placeOf(challenge) === AUTHORIZATION) return [];
    const demand = demandOfChallenge(challenge);
    return demand === null ? [] : [{ ...demand, extra: { ...demand.extra, [CAME_AS]: challenge } }];
  });
  return accepts.length === 0 ? null : { x402Version: X402_VERSION, resource: { url }, accepts };
}

/** By the ends of their types. The others do not say that the payment is of no use any more. */
const REASONS: Readonly<Record<string, string>> = {
  'malformed-credential': PURCHASE_REASONS.malformed,
  'payment-expired': PURCHASE_REASONS.expired,
  'invalid-challenge': PURCHASE_REASONS.foreign,
  'payment-insufficient': 'insufficient_amount',
};

/** Why a proof was refused, as x402 says it. */
async function reasonIn(
  answer: Response,
  { challenge }: Credential,
  { accepts }: PaymentRequired,
): Promise<string> {
  const text = await boundedText(answer.clone(), LONGEST_PROBLEM).catch(() => '');
  const { type, error } = fieldsOf(parsed(text));
  if (typeof error === 'string' && CODE.test(error)) return error;
  // What is demanded once more is not used up.
  if (accepts.some(({ extra }) => challengeIn(extra)?.['id'] === challenge['id'])) return PENDING;
  return REASONS[`${type}`.replace(PROBLEMS, '')] ?? 'verification_failed';
}

const CODE = /^[a-z0-9_]{1,64}$/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function receipted(answer: Response, { challenge }: Credential): Response {
  const reference = receiptIn(answer.headers);
  const network = demandOfChallenge(challenge)?.network;
  if (!answer.ok || reference === null || network === undefined) return answer;
  const receipt = { success: true, transaction: reference, network };
  return withHeader(answer, RECEIPT, receiptHeader(receipt));
}

function withHeader(answer: Response, name: string, value: string): Response {
  const headers = new Headers(answer.headers);
  headers.set(name, value);
  const { status, statusText } = answer;
  return new Response(answer.body, { status, statusText, headers });
}
