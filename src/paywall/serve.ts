/** Passes a call on that is paid for, and takes the money back when there was nothing to have. */
import type { SettleResponse } from '@x402/core/types';
import type { Log } from '../basics/environment.ts';
import { RECEIPT, receiptHeader } from '../x402/headers.ts';
import { keepPrivate } from './caching.ts';
import { refusal } from './refusal.ts';
import type { Rule } from './rules.ts';
import type { Sale, Sales } from './sales.ts';
import type { Seller } from './seller.ts';
import type { Upstream } from './upstream.ts';

export type ServeOptions = { upstream: Upstream; sales: Sales; seller: Seller; log: Log };
export type Call = { request: Request; from: string | null; rule: Rule };
/** A call that is paid for, by itself or by its tab. */
export type Paying = {
  token: string;
  amount: bigint;
  payer: string;
  secretHash: string;
  /** The call was served: what the answer says of it. */
  charge(): SettleResponse;
  /** It was not: it costs nothing. */
  giveBack(status: number): void | Promise<void>;
};

export async function serve(
  { upstream, sales, seller, log }: ServeOptions,
  { request, from, rule }: Call,
  { charge, giveBack, ...paid }: Paying,
): Promise<Response> {
  // Whoever hung up while the payment was redeemed has had nothing.
  const answer = request.signal.aborted
    ? refusal(503, 'caller_left', 'The call was not passed on.')
    : await passOn(upstream, request, from, log);
  const sale: Sale = {
    ...{ rule: rule.text, method: request.method, path: new URL(request.url).pathname },
    ...{ ...paid, decimals: seller.decimals.get(rule.price?.token ?? '0x') ?? 0 },
    status: answer.status,
  };
  if (answer.status >= 500) {
    await giveBack(answer.status);
    sales.unserved(sale);
    keepPrivate(answer.headers);
    return answer;
  }
  sales.sold(sale);
  if (!rule.terms.isShared) keepPrivate(answer.headers);
  answer.headers.set(RECEIPT, receiptHeader(charge()));
  return answer;
}

/** As other proxies say it in their logs; nobody reads it. */
const CALLER_LEFT = 499;

export async function passOn(
  upstream: Upstream,
  request: Request,
  from: string | null,
  log: Log,
): Promise<Response> {
  try {
    return await upstream(request, from);
  } catch (error) {
    // No failure of the server behind: it may have done what it was asked, and a buyer could have that again and again.
    if (request.signal.aborted)
      return refusal(CALLER_LEFT, 'caller_left', 'The call was broken off by the caller.');
    const reason = error instanceof Error ? String(error.cause ?? error) : String(error);
    log.warn({ reason }, 'the upstream cannot be reached');
    return refusal(502, 'upstream_unreachable', 'The server behind this one does not answer.');
  }
}
