/**
 * Speaks the scheme `Payment` at the edge of the paywall: what comes in its words is turned into those of x402, and the answers
 * back. Behind this nobody knows of it, so a payment that is shown in both buys one call.
 */
import type { PaymentRequirements } from '@x402/core/types';
import * as Hash from 'ox/Hash';
import { unread } from '../basics/unread.ts';
import { DEMAND, demandIn, PROOF, proofHeader, receiptIn } from '../x402/headers.ts';
import { DECLARED, IDENTIFIER, identified } from '../x402/identifier.ts';
import { SCHEME } from '../x402/offer.ts';
import {
  AUTHORIZATION,
  CHALLENGE,
  type Credential,
  challengeHeader,
  challengeOf,
  credentialIn,
  encoded,
  OTHER_AUTHORIZATION,
  PAYMENT_RECEIPT,
  PROBLEMS,
  proofOfCredential,
} from '../x402/payment-scheme.ts';
import { isFinal, PURCHASE_REASONS, RELEASED } from '../x402/reasons.ts';
import { isTabOffer } from '../x402/tab-terms.ts';
import { NO_MATCH, reasonIn } from './demanded.ts';
import type { Paywall } from './paywall.ts';

/** What other schemes and methods have in the same headers passes on as it came. */
export function inBothDialects(fetch: Paywall['fetch']): Paywall['fetch'] {
  return async (request, from, cut) => {
    const shown = shownIn(request.headers);
    if (shown === null) {
      const answer = await fetch(request, from, cut);
      const demand = offeredIn(answer);
      return demand === null ? answer : challenged(answer, request, demand);
    }
    const asked = inX402(request, shown);
    const answer = await fetch(asked, from, cut);
    if (isRefused(answer)) return refused(answer, shown, asked, (other) => fetch(other, from, cut));
    addReceipt(answer, shown);
    return answer;
  };
}

/** `place`: the header in which it came. */
type Shown = { credential: Credential; place: string };

/** Null: none that is for this paywall. */
function shownIn(headers: Headers): Shown | null {
  for (const place of [AUTHORIZATION, OTHER_AUTHORIZATION]) {
    const credential = credentialIn(headers, place);
    if (credential !== null) return { credential, place };
  }
  return null;
}

/** The same call; of two proofs that of x402 counts. */
function inX402(request: Request, { credential, place }: Shown): Request {
  const headers = new Headers(request.headers);
  headers.delete(place);
  const proof = proofOfCredential(credential);
  const tag = proof?.accepted.extra['tag'];
  // Under the tag everything else is checked: a challenge with another name was not made here.
  if (!headers.has(PROOF) && proof !== null && tag === credential.challenge['id']) {
    const extensions = identified({ [IDENTIFIER]: DECLARED }, `${tag}`);
    headers.set(PROOF, proofHeader({ ...proof, extensions }));
  }
  return new Request(request, { headers });
}

/** What one call costs by the answer; null: it offers nothing. */
function offeredIn({ status, headers }: Response): PaymentRequirements | null {
  const accepts = status === 402 ? demandIn(headers)?.accepts : undefined;
  const isForCall = ({ scheme, extra }: PaymentRequirements) =>
    scheme === SCHEME && !isTabOffer(extra);
  return accepts?.find(isForCall) ?? null;
}

function challenged(answer: Response, asked: Request, demand: PaymentRequirements): Response {
  const { headers } = answer;
  const { host } = new URL(demandIn(headers)?.resource?.url ?? asked.url);
  // What a call says in this header already is for the server behind.
  const place = asked.headers.has(AUTHORIZATION) ? OTHER_AUTHORIZATION : null;
  headers.append(CHALLENGE, challengeHeader(challengeOf(demand, host, place)));
  return answer;
}

/** By the paywall: an answer of 402 can be that of the server behind, too. */
function isRefused({ status, headers }: Response): boolean {
  if (status !== 402) return false;
  const receipt = receiptIn(headers);
  return receipt === null ? headers.has(DEMAND) : !receipt.success && receipt.reason !== RELEASED;
}

/**
 * With the challenge that may be paid now. A proof that may still be taken gets its own one again: for another one its client
 * would pay once more.
 */
async function refused(
  answer: Response,
  { credential }: Shown,
  asked: Request,
  call: (request: Request) => Promise<Response>,
): Promise<Response> {
  const isProof = asked.headers.has(PROOF);
  const reason = isProof ? reasonIn(answer.headers) : PURCHASE_REASONS.malformed;
  const isLasting = !isFinal(reason) && reason !== NO_MATCH;
  const own = isLasting ? (proofOfCredential(credential)?.accepted ?? null) : null;
  const isKnown = own !== null || offeredIn(answer) !== null;
  const current = isKnown ? answer : await call(unpaid(asked));
  const demand = own ?? offeredIn(current);
  if (demand === null) return current;
  unread(current);
  const headers = new Headers(current.headers);
  headers.delete('content-length');
  headers.set('content-type', 'application/problem+json');
  const told = new Response(JSON.stringify(problemOf(reason)), { status: 402, headers });
  return challenged(told, asked, demand);
}

/** The same call without its proof and its body, which is not looked at. */
function unpaid({ url, method, headers: given }: Request): Request {
  const headers = new Headers(given);
  for (const name of [PROOF, 'content-length', 'content-type', 'transfer-encoding'])
    headers.delete(name);
  return new Request(url, { method, headers });
}

const TYPES: Readonly<Record<string, string>> = {
  [PURCHASE_REASONS.malformed]: 'malformed-credential',
  [PURCHASE_REASONS.expired]: 'payment-expired',
  [PURCHASE_REASONS.foreign]: 'invalid-challenge',
  [NO_MATCH]: 'invalid-challenge',
  duplicate_settlement: 'invalid-challenge',
  insufficient_amount: 'payment-insufficient',
};

/** RFC 9457. `error`: as the answers of x402 have it. */
const problemOf = (reason: string) => ({
  type: `${PROBLEMS}${TYPES[reason] ?? 'verification-failed'}`,
  title: 'Payment Required',
  status: 402,
  detail: `The payment was not taken: ${reason}.`,
  error: reason,
});

/** Of what was charged. Who is sold from a cache that many share gets none: it would be another's. */
function addReceipt({ ok, headers }: Response, { credential, place }: Shown): void {
  const control = headers.get('cache-control') ?? '';
  if (!ok || receiptIn(headers)?.success !== true || !/\b(private|no-store)\b/.test(control))
    return;
  const { challenge, proof } = credential;
  const receipt = {
    challengeId: challenge['id'],
    method: SCHEME,
    reference: Hash.sha256(proof.secret),
    status: 'success',
    timestamp: new Date().toISOString(),
  };
  headers.set(PAYMENT_RECEIPT, encoded(receipt));
  headers.append('vary', place);
}
