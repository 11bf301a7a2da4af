/** The answers to calls that are not sold: their price, or why a proof was not taken. */
import { DEMAND, demandHeader, demandIn, receiptIn } from '../x402/headers.ts';
import { PENDING, TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import { isTabOffer } from '../x402/tab-terms.ts';
import { keepPrivate } from './caching.ts';
import { demandBody, refusal, TOO_MANY, tooMany } from './refusal.ts';
import type { Rule } from './rules.ts';
import type { Sales } from './sales.ts';

/** `reason`: why a proof or a ticket was not taken; null: there was none. `price`: in whole tokens. */
type Demanded = {
  headers: Headers;
  reason: string | null;
  url: string;
  isPage: boolean;
  price: string;
};

/** The answer to a call that has no proof, or none that was taken. */
export function demanded(sales: Sales, rule: Rule, asked: Demanded): Response {
  const { headers, reason, url, isPage } = asked;
  if (reason === null) sales.unpaid(rule.text);
  else sales.refused(rule.text, CODE.test(reason) ? reason : 'node_unavailable');
  if (reason === TOO_MANY || reason === TOO_MANY_UNSERVED) return tooMany(reason);
  // Only reasons that are meant for payers have such names: the others tell of the node.
  if (reason !== null && !CODE.test(reason))
    return refusal(
      503,
      'node_unavailable',
      'The payment cannot be checked at this moment: ask again.',
    );
  // Its node has waited for it already: a payment that is held up on its way takes long.
  if (reason === PENDING) headers.set('retry-after', PENDING_SECONDS);
  const token = rule.price?.token ?? '';
  const body = demandBody({ price: asked.price, token, url, error: reason }, isPage);
  for (const [name, value] of body.headers) headers.set(name, value);
  keepPrivate(headers);
  return new Response(body.body, { status: 402, headers });
}

const CODE = /^[a-z0-9_]{1,64}$/;
const PENDING_SECONDS = '5';
/** The price, or another term, is no more that of the offer. */
export const NO_MATCH = 'no_matching_requirements';
const NO_MATCH_OF_X402 = 'No matching payment requirements';

/** Takes the offers of tabs out: what is paid for one that cannot be opened is lost to its buyer. */
export function withoutTabs(headers: Headers): void {
  const required = demandIn(headers);
  if (required === null) return;
  const accepts = required.accepts.filter(({ extra }) => !isTabOffer(extra));
  headers.set(DEMAND, demandHeader({ ...required, accepts }));
}

export function reasonIn(headers: Headers): string {
  const error = receiptIn(headers)?.reason ?? demandIn(headers)?.error ?? 'unknown';
  return error === NO_MATCH_OF_X402 ? NO_MATCH : error;
}
