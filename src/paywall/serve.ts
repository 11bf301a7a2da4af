/** Passes a call on that is paid for, and takes the money back when there was nothing to have. */
import type { SettleResponse } from '@x402/core/types';
import type { Log } from '../basics/environment.ts';
import { RECEIPT, receiptHeader } from '../x402/headers.ts';
import { TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import type { UnservedBounds } from '../x402/unserved.ts';
import { keepPrivate } from './caching.ts';
import { type Cut, withEnd } from './cut.ts';
import type { LostAnswers, Repeatable } from './lost-answers.ts';
import { passOn } from './pass-on.ts';
import { isByUse, rateOf } from './price.ts';
import { tooMany } from './refusal.ts';
import type { Rule } from './rules.ts';
import type { Sale, Sales } from './sales.ts';
import type { Seller } from './seller.ts';
import { isCharged } from './terms.ts';
import type { Upstream } from './upstream.ts';
import { type Charged, createUse } from './use/by-use.ts';

export type ServeOptions = { upstream: Upstream; sales: Sales; seller: Seller; log: Log };
export type ServeParts = ServeOptions & { unserved: UnservedBounds; lost: LostAnswers };
export type Call = {
  request: Request;
  from: string | null;
  cut: Cut | undefined;
  rule: Rule;
  /** Null: its answer is given once. */
  asked: Repeatable | null;
};
/** A call that is paid for, by itself or by its tab. */
export type Paying = {
  token: string;
  amount: bigint;
  payer: string;
  secretHash: string;
  /** The call was served and comes to so much, of `amount` at most. Once. */
  charge(cost: bigint): Charged;
  /** What an answer says that is not charged yet when it begins. */
  announced(): SettleResponse;
  /** It was not served, and costs nothing: what the answer says. */
  giveBack(): SettleResponse | Promise<SettleResponse>;
};

export async function serve(
  { upstream, sales, seller, log, unserved, lost }: ServeParts,
  { request, from, cut, rule, asked }: Call,
  { charge, announced, giveBack, ...paid }: Paying,
): Promise<Response> {
  const serving = unserved.begin(paid.payer);
  if (serving === null) {
    await giveBack();
    sales.refused(rule.text, TOO_MANY_UNSERVED);
    return tooMany(TOO_MANY_UNSERVED);
  }
  const decimals = seller.decimals.get(rule.price?.token ?? '0x') ?? 0;
  const rate = rule.price === null ? null : rateOf(rule.price, decimals);
  const use = rate === null || !isByUse(rate) ? null : createUse(rate);
  const keeping = asked === null ? null : lost.begin(asked.key);
  const passing = { log, detached: asked?.request ?? null };
  const asking = use?.opened(upstream) ?? upstream;
  const { answer, blame } = await passOn(asking, request, from, passing);
  const { status } = answer;
  const isSold = blame === 'caller' || (blame === null && isCharged(status, rule.terms));
  // What is sold by its use may come to nothing, and is counted when that is known.
  const isLater = isSold && use !== null;
  serving.end(isLater || blame === 'nobody' ? 'not_begun' : isSold ? 'charged' : 'uncharged');
  if (!isSold || !rule.terms.isShared) keepPrivate(answer.headers);
  const call = { method: request.method, path: new URL(request.url).pathname, status };
  const sale: Sale = { rule: rule.text, ...call, ...paid, decimals };
  const charged = (cost: bigint) => {
    const done = charge(cost);
    if (isLater) unserved.begin(paid.payer)?.end(done.amount > 0n ? 'charged' : 'uncharged');
    sales.sold({ ...sale, amount: done.amount });
    return done;
  };
  if (!isSold) keeping?.forget();
  const ended = (one: Response) =>
    withEnd(isSold ? (keeping?.keep(one) ?? one) : one, { cut, signal: request.signal }, (reason) =>
      sales.cut(isSold ? sale : call, reason),
    );
  if (!isSold) sales.unserved(sale);
  else if (use !== null) {
    const report = (problem: 'nothing' | 'nonsense') => sales.misnamed(rule.text, problem);
    return ended(use.sold(answer, request.signal, { charge: charged, announced, report }));
  }
  const receipt = isSold ? charged(paid.amount).receipt : await giveBack();
  answer.headers.set(RECEIPT, receiptHeader(receipt));
  return ended(answer);
}
