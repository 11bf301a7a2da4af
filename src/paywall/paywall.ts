/**
 * The reverse proxy that charges. It redeems a payment before it passes the call on, and takes that back when there was
 * nothing to have. The middleware of x402 for Hono keeps an answer until it is whole: this one does not.
 */
import type { HTTPProcessResult, HTTPRequestContext } from '@x402/core/server';
import { fromUnits } from '../basics/digits.ts';
import { type Address, ZERO_ADDRESS } from '../basics/hex.ts';
import { PROOF, RECEIPT, receiptHeader, shownIn } from '../x402/headers.ts';
import { TAB_OPEN, TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import { isTabOffer } from '../x402/tab-terms.ts';
import { type SignedTicket, ticketIn } from '../x402/ticket.ts';
import { createUnservedBounds, takenBack, type UnservedBounds } from '../x402/unserved.ts';
import { CATALOG, catalogOf } from './catalog.ts';
import { type Cut, withEnd } from './cut.ts';
import { demanded, reasonIn, withoutTabs } from './demanded.ts';
import { createLostAnswers, type LostAnswers, repeatable } from './lost-answers.ts';
import { passOn } from './pass-on.ts';
import { isByUse } from './price.ts';
import type { PriceAsker, Unpriced } from './price-asker.ts';
import { asideFor, createQuotes, isRaised, type Quote, type Quotes } from './quotes.ts';
import { refusal, tooMany, unpriced } from './refusal.ts';
import { createFinder, type Rule } from './rules.ts';
import { type Call, type Paying, type ServeOptions, serve } from './serve.ts';
import { onTab } from './tab-calls.ts';
import {
  adapterOf,
  createTill,
  priceOf,
  publicOf,
  ROUTE,
  type Till,
  type TillOptions,
} from './till.ts';

export type PaywallOptions = TillOptions &
  ServeOptions & {
    rules: readonly Rule[];
    publicUrl: string | null;
    /** For rules whose price is asked. */
    asker?: PriceAsker | null;
  };
/** `from`: the address of the caller, when it is known. */
export type Paywall = {
  fetch(request: Request, from: string | null, cut?: Cut): Promise<Response>;
};
type Verified = Extract<HTTPProcessResult, { type: 'payment-verified' }>;

/** Throws when the node does not settle what is to be sold. */
export async function createPaywall(options: PaywallOptions): Promise<Paywall> {
  const { rules, upstream, sales } = options;
  const unserved = createUnservedBounds(options.now);
  const { seller, key, asker = null } = options;
  const isAsked = rules.some(({ price }) => price?.by === 'asked');
  if (isAsked && asker === null)
    throw new Error('a rule asks for its price: say where, by --price-from');
  if (!isAsked && asker !== null)
    throw new Error('--price-from is given, and no rule asks: "GET /v1/* asked up to 0.01 TOKEN"');
  const quotes = createQuotes({ seller, key, asker });
  const parts = { ...options, unserved, quotes, lost: createLostAnswers(options.now) };
  const find = createFinder(rules);
  const tills = new Map<Address, Till>();
  for (const { price } of rules)
    if (price !== null && !tills.has(price.token))
      tills.set(price.token, createTill(parts, price.token, find));
  for (const rule of rules) checkPrice(options, rule);
  for (const till of tills.values()) await till.initialize();
  const catalog = catalogOf(rules, options.seller, (rule) => priceOf(rule, options.seller).amount);
  return {
    async fetch(request, from, cut) {
      if (request.headers.get('upgrade')?.toLowerCase() === 'websocket')
        return refusal(
          501,
          'no_websockets',
          'A payment buys one answer: no WebSockets are passed on.',
        );
      const { pathname } = new URL(request.url);
      const isForCatalog = pathname === CATALOG && ['GET', 'HEAD'].includes(request.method);
      if (isForCatalog && catalog !== null) return catalog();
      const found = find(request.method, pathname);
      if (found.kind === 'unclear')
        return refusal(
          400,
          'unclear_path',
          'This path means different things to different servers.',
        );
      if (found.kind === 'none')
        return refusal(404, 'no_price', 'Nothing is offered under this method and path.');
      const till = tills.get(found.rule.price?.token ?? ZERO_ADDRESS);
      if (till !== undefined)
        return sell(parts, till, { ...{ request, from, cut, asked: null }, rule: found.rule });
      sales.free(found.rule.text);
      const { answer } = await passOn(upstream, request, from, options);
      const call = { method: request.method, path: pathname, status: answer.status };
      return withEnd(answer, { cut, signal: request.signal }, (reason) => sales.cut(call, reason));
    },
  };
}

/** Throws when the token has not so many digits, or no tab can pay for the call. */
function checkPrice({ seller, tabs, log }: PaywallOptions, rule: Rule): void {
  if (rule.price === null) return;
  const { asset, amount } = priceOf(rule, seller);
  const most = tabs?.offeredFor(asset)?.most ?? null;
  if (most !== null && BigInt(amount) > most)
    throw new Error(`--tab: a call of "${rule.text}" can cost more than may lie on a tab`);
  if (most === null && isByUse(rule.price))
    log.warn(
      { rule: rule.text },
      'it is charged by use, but without --tab its buyers pay the most',
    );
}

type Parts = PaywallOptions & { unserved: UnservedBounds; lost: LostAnswers; quotes: Quotes };

async function sell(options: Parts, till: Till, call: Call): Promise<Response> {
  const { headers } = call.request;
  const shown = headers.has(PROOF) ? shownIn(headers) : null;
  if (shown === null && headers.has(PROOF))
    return refusal(400, 'unreadable_proof', 'The header PAYMENT-SIGNATURE is no proof of x402 v2.');
  const ticket = shown === null ? null : ticketIn(shown.payload);
  if (ticket !== null) return sellOnTab(options, till, call, ticket);
  // What a call by use comes to depends on how much its buyer has waited for.
  const { price } = call.rule;
  const asked =
    price === null || isByUse(price)
      ? null
      : await repeatable(call.request).catch(() => 'broken' as const);
  if (asked === 'broken') return refusal(400, 'broken_body', 'The body of the call broke off.');
  const again = asked === null ? null : await options.lost.again(asked.key);
  if (again === null) return ask(options, till, { ...call, asked }, headers.get(PROOF));
  options.sales.repeated(call.rule.text);
  return again;
}

async function sellOnTab(
  options: Parts,
  till: Till,
  call: Call,
  ticket: SignedTicket,
): Promise<Response> {
  const { tabs, seller, publicUrl } = options;
  const { url, method } = call.request;
  const place = { method, url: publicOf(url, publicUrl) };
  const { asset: token, amount } = priceOf(call.rule, seller);
  const isAsked = call.rule.price?.by === 'asked';
  const price = isAsked ? asideFor(BigInt(amount), ticket.most) : BigInt(amount);
  const drawn = (await tabs?.begin(ticket, place, { token, price })) ?? UNKNOWN;
  if (drawn.ok && 'rest' in drawn) {
    const headers = { 'cache-control': 'no-store' };
    return Response.json({ rest: `${drawn.rest}` }, { headers });
  }
  if (drawn.ok) {
    const paying = onTab(drawn.drawing, { token, seller });
    return isAsked ? serveAsked(options, till, call, paying) : serve(options, call, paying);
  }
  if (drawn.reason === 'unavailable') return tabsUnavailable(options, call);
  return ask(options, till, call, null, drawn.reason);
}

/** The price is asked when the ticket is used up: one that comes again asks nothing. */
async function serveAsked(
  options: Parts,
  till: Till,
  call: Call,
  paying: Paying,
): Promise<Response> {
  const { method, url } = call.request;
  const place = { method, url: publicOf(url, options.publicUrl) };
  // A ticket for too little would cost its buyer nothing, however often it made the server say a price.
  const asking = options.unserved.begin(paying.payer);
  const said = asking === null ? null : await options.quotes.askOnTab(call.rule, place);
  const isPaid = said?.ok === true && said.amount <= paying.amount;
  asking?.end(isPaid ? 'not_begun' : 'uncharged');
  if (isPaid) return serve(options, call, { ...paying, amount: said.amount });
  await paying.giveBack();
  if (said === null) {
    options.sales.refused(call.rule.text, TOO_MANY_UNSERVED);
    return tooMany(TOO_MANY_UNSERVED);
  }
  return said.ok ? ask(options, till, call, null, 'most_too_low') : notPriced(options, call, said);
}

function notPriced({ sales }: Parts, { rule }: Call, missing: Unpriced): Response {
  sales.refused(rule.text, missing.reason);
  return unpriced(missing);
}

function tabsUnavailable({ sales }: Parts, { rule }: Call): Response {
  const reason = 'tabs_unavailable';
  sales.refused(rule.text, reason);
  return refusal(503, reason, 'The tabs of this seller cannot be used now.');
}

const UNKNOWN = { ok: false, reason: 'unknown_tab' } as const;

/** `proof`: the header, null: none counts. `refused`: why a ticket was not taken. */
async function ask(
  options: Parts,
  till: Till,
  call: Call,
  proof: string | null,
  refused: string | null = null,
): Promise<Response> {
  const { request, rule } = call;
  const url = publicOf(request.url, options.publicUrl);
  const { method } = request;
  const adapter = adapterOf(request, url, proof);
  const missing = await options.quotes.prepare(adapter, rule, proof);
  if (missing !== null) return notPriced(options, call, missing);
  const quote = options.quotes.of(adapter);
  const context = { adapter, path: ROUTE, method };
  const result = await judged(till, context);
  if (result === null || result.type === 'no-payment-required')
    return refusal(503, 'node_unavailable', "The seller's node cannot be asked at this moment.");
  if (result.type === 'payment-verified')
    return redeemed(options, till, { ...call, quote }, result);
  const headers = new Headers(result.response.headers);
  // What was paid for one before stays on offer: its proof is good when there is room.
  if (proof === null && options.tabs?.hasRoom() === false) withoutTabs(headers);
  const { network } = options.seller;
  const failed = { success: false, transaction: '', network };
  if (refused !== null) headers.set(RECEIPT, receiptHeader({ ...failed, errorReason: refused }));
  const isPage = /text\/html/.test(request.headers.get('accept') ?? '');
  const reason = refused ?? (proof === null ? null : reasonIn(headers));
  return demanded(options.sales, rule, {
    headers,
    reason,
    url,
    isPage,
    price: priceText(options, rule, quote),
  });
}

/** Null: the seller's node did not answer as it should. */
async function judged(till: Till, context: HTTPRequestContext): Promise<HTTPProcessResult | null> {
  try {
    return await till.processHTTPRequest(context);
  } catch {
    return null;
  }
}

/** In whole tokens. */
function priceText({ seller }: Parts, { price }: Rule, quote: Quote | null): string {
  if (price === null || quote === null) return price?.amount ?? '';
  return fromUnits(quote.amount, seller.decimals.get(price.token) ?? 0);
}

async function redeemed(
  options: Parts,
  till: Till,
  { quote, ...call }: Call & { quote: Quote | null },
  verified: Verified,
): Promise<Response> {
  const { beforeHandlerSettlement: settlement } = verified;
  // Nothing is given for what was not redeemed.
  if (settlement === undefined) return refusal(503, 'not_settled', 'The payment was not redeemed.');
  const { amount, asset, extra } = verified.paymentRequirements;
  const { payer = '', transaction: secretHash } = settlement.result;
  if (isTabOffer(extra)) {
    if (options.tabs === null) throw new Error('a tab was paid for that was not offered');
    const { seller } = options;
    const { asset: token, amount: most } = priceOf(call.rule, seller);
    const price = quote?.amount ?? BigInt(most);
    const { paymentPayload: proof, paymentRequirements: demand } = verified;
    const opening = { proof, demand, settled: settlement.result };
    const drawn = await options.tabs.open(opening, { token, price });
    if (drawn.ok && isRaised(quote, proof.accepted.extra)) {
      // It opened the tab, and may go on with a ticket, which says what the call may cost.
      drawn.drawing.charge(0n);
      return ask(options, till, call, null, TAB_OPEN);
    }
    if (drawn.ok)
      return serve(options, { ...call, asked: null }, onTab(drawn.drawing, { token, seller }));
    if (drawn.reason === 'unavailable') return tabsUnavailable(options, call);
    return ask(options, till, call, null, drawn.reason);
  }
  const paid = { token: asset, amount: BigInt(amount), payer, secretHash };
  return serve(options, call, {
    ...paid,
    announced: () => settlement.result,
    charge: () => ({ amount: paid.amount, left: null, receipt: settlement.result }),
    giveBack: async () =>
      (await isReleased(options, verified)) ? takenBack(settlement.result) : settlement.result,
  });
}

/** Whether the payer may show the proof again. */
async function isReleased(
  { node, log }: Parts,
  { paymentPayload, paymentRequirements }: Verified,
): Promise<boolean> {
  try {
    await node.release(paymentPayload, paymentRequirements);
    return true;
  } catch (error) {
    const reason = String(error);
    log.error({ reason }, 'the payer was not served, and the node does not take that');
    return false;
  }
}
