/** Passes a call on that is paid for, and takes the money back when there was nothing to have. */
import type { SettleResponse } from '@x402/core/types';
import type { Log } from '../basics/environment.ts';
import { RECEIPT, receiptHeader } from '../x402/headers.ts';
import { TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import type { UnservedBounds } from '../x402/unserved.ts';
import { keepPrivate } from './caching.ts';
import { type Cut, withEnd } from './cut.ts';
import { passOn } from './pass-on.ts';
import { tooMany } from './refusal.ts';
import type { Rule } from './rules.ts';
import type { Sale, Sales } from './sales.ts';
import type { Seller } from './seller.ts';
import { isCharged } from './terms.ts';
import type { Upstream } from './upstream.ts';

export type ServeOptions = { upstream: Upstream; sales: Sales; seller: Seller; log: Log };
export type ServeParts = ServeOptions & { unserved: UnservedBounds };
export type Call = { request: Request; from: string | null; cut: Cut | undefined; rule: Rule };
/** A call that is paid for, by itself or by its tab. */
export type Paying = {
  token: string;
  amount: bigint;
  payer: string;
  secretHash: string;
  /** The call was served: what the answer says of it. */
  charge(): SettleResponse;
  /** It was not, and costs nothing: the same. */
  giveBack(): SettleResponse | Promise<SettleResponse>;
};

export async function serve(
  { upstream, sales, seller, log, unserved }: ServeParts,
  { request, from, cut, rule }: Call,
  { charge, giveBack, ...paid }: Paying,
): Promise<Response> {
  const serving = unserved.begin(paid.payer);
  if (serving === null) {
    await giveBack();
    sales.refused(rule.text, TOO_MANY_UNSERVED);
    return tooMany(TOO_MANY_UNSERVED);
  }
  const { answer, blame } = await passOn(upstream, request, from, log);
  const sale: Sale = {
    ...{ rule: rule.text, method: request.method, path: new URL(request.url).pathname },
    ...{ ...paid, decimals: seller.decimals.get(rule.price?.token ?? '0x') ?? 0 },
    status: answer.status,
  };
  const isSold = blame === 'caller' || (blame === null && isCharged(answer.status, rule.terms));
  serving.end(isSold ? 'charged' : blame === 'nobody' ? 'not_begun' : 'uncharged');
  if (isSold) sales.sold(sale);
  else sales.unserved(sale);
  const receipt = isSold ? charge() : await giveBack();
  if (!isSold || !rule.terms.isShared) keepPrivate(answer.headers);
  answer.headers.set(RECEIPT, receiptHeader(receipt));
  const { method, path, status } = sale;
  return withEnd(answer, { cut, signal: request.signal }, (reason) =>
    sales.cut(isSold ? sale : { method, path, status }, reason),
  );
}
