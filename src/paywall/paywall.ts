/**
 * The reverse proxy that charges. It redeems a payment before it passes the call on, and takes that back when there was
 * nothing to have. The middleware of x402 for Hono keeps an answer until it is whole: this one does not.
 */
import {
  type HTTPProcessResult,
  type HTTPRequestContext,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/core/server';
import type { Log } from '../basics/environment.ts';
import { toUnits } from '../client/units.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';
import { demandIn, isReadable, PROOF, receiptIn } from '../x402/headers.ts';
import { proofIn } from '../x402/offer.ts';
import { PENDING } from '../x402/reasons.ts';
import { channelServer } from '../x402/server.ts';
import { createProofBounds } from './proofs.ts';
import { demandBody, refusal } from './refusal.ts';
import { createFinder, type Rule } from './rules.ts';
import type { Sale, Sales } from './sales.ts';
import type { Seller } from './seller.ts';
import type { Upstream } from './upstream.ts';

export type PaywallOptions = {
  rules: readonly Rule[];
  seller: Seller;
  node: NodeFacilitator;
  /** Of the offers. */
  key: string;
  /** How long an offer is good. */
  offerSeconds: number;
  publicUrl: string | null;
  upstream: Upstream;
  sales: Sales;
  log: Log;
  /** Milliseconds, of a clock that is not set. */
  now(): number;
};
/** `from`: the address of the caller, when it is known. */
export type Paywall = { fetch(request: Request, from: string | null): Promise<Response> };
type Verified = Extract<HTTPProcessResult, { type: 'payment-verified' }>;

/** Throws when the node does not settle what is to be sold. */
export async function createPaywall(options: PaywallOptions): Promise<Paywall> {
  const { rules, upstream, sales } = options;
  const find = createFinder(rules);
  const till = createTill(options, (context) => {
    const found = find(context.method, context.path);
    if (found.kind !== 'rule') throw new Error('a call without a price came to be paid');
    return priceOf(found.rule, options.seller);
  });
  for (const rule of rules) if (rule.price !== null) priceOf(rule, options.seller);
  await till.initialize();
  return {
    async fetch(request, from) {
      if (request.headers.get('upgrade')?.toLowerCase() === 'websocket')
        return refusal(
          501,
          'no_websockets',
          'A payment buys one answer: no WebSockets are passed on.',
        );
      const { pathname } = new URL(request.url);
      const found = find(request.method, pathname);
      if (found.kind === 'unclear')
        return refusal(
          400,
          'unclear_path',
          'This path means different things to different servers.',
        );
      if (found.kind === 'none')
        return refusal(404, 'no_price', 'Nothing is offered under this method and path.');
      if (found.rule.price !== null)
        return sell(options, till, { request, from, rule: found.rule });
      sales.free(found.rule.text);
      return passOn(upstream, request, from, options.log);
    },
  };
}

type Call = { request: Request; from: string | null; rule: Rule };

async function sell(options: PaywallOptions, till: Till, call: Call): Promise<Response> {
  const { request, rule } = call;
  const hasProof = request.headers.has(PROOF);
  if (hasProof && !isReadable(request.headers))
    return refusal(400, 'unreadable_proof', 'The header PAYMENT-SIGNATURE is no proof of x402 v2.');
  const url = publicOf(request.url, options.publicUrl);
  const { pathname: path } = new URL(request.url);
  const result = await judged(till, {
    adapter: adapterOf(request, url),
    path,
    method: request.method,
  });
  if (result === null || result.type === 'no-payment-required')
    return refusal(503, 'node_unavailable', "The seller's node cannot be asked at this moment.");
  if (result.type === 'payment-verified') return serve(options, till, call, result);
  return demanded(options, rule, {
    headers: new Headers(result.response.headers),
    hasProof,
    url,
    isPage: /text\/html/.test(request.headers.get('accept') ?? ''),
  });
}

type Demanded = { headers: Headers; hasProof: boolean; url: string; isPage: boolean };

/** The answer to a call that has no proof, or none that was taken. */
function demanded({ sales }: PaywallOptions, rule: Rule, asked: Demanded): Response {
  const { headers, hasProof, url, isPage } = asked;
  const reason = hasProof ? reasonIn(headers) : null;
  if (reason === null) sales.unpaid(rule.text);
  else sales.refused(rule.text, CODE.test(reason) ? reason : 'node_unavailable');
  if (reason === TOO_MANY)
    return refusal(429, TOO_MANY, 'Too many proofs came for which nobody has paid: ask again.');
  // Only reasons that are meant for payers have such names: the others tell of the node.
  if (reason !== null && !CODE.test(reason))
    return refusal(
      503,
      'node_unavailable',
      'The payment cannot be checked at this moment: ask again.',
    );
  // Its node has waited for it already: a payment that is held up on its way takes long.
  if (reason === PENDING) headers.set('retry-after', PENDING_SECONDS);
  const price = { price: rule.price?.amount ?? '', token: rule.price?.token ?? '' };
  const body = demandBody({ ...price, url, error: reason }, isPage);
  for (const [name, value] of body.headers) headers.set(name, value);
  return new Response(body.body, { status: 402, headers });
}

const CODE = /^[a-z0-9_]{1,64}$/;
const PENDING_SECONDS = '5';
const TOO_MANY = 'too_many_proofs';
const NO_MATCH = 'No matching payment requirements';

function reasonIn(headers: Headers): string {
  const error = receiptIn(headers)?.reason ?? demandIn(headers)?.error ?? 'unknown';
  return error === NO_MATCH ? 'no_matching_requirements' : error;
}

/** Null: the seller's node did not answer as it should. */
async function judged(till: Till, context: HTTPRequestContext): Promise<HTTPProcessResult | null> {
  try {
    return await till.processHTTPRequest(context);
  } catch {
    return null;
  }
}

async function serve(
  { upstream, sales, seller, log }: PaywallOptions,
  till: Till,
  { request, from, rule }: Call,
  { beforeHandlerSettlement: settlement, cancellationDispatcher, paymentRequirements }: Verified,
): Promise<Response> {
  // Nothing is given for what was not redeemed.
  if (settlement === undefined) return refusal(503, 'not_settled', 'The payment was not redeemed.');
  // Whoever hung up while the payment was redeemed has had nothing.
  const answer = request.signal.aborted
    ? refusal(503, 'caller_left', 'The call was not passed on.')
    : await passOn(upstream, request, from, log);
  const { amount, asset } = paymentRequirements;
  const sale: Sale = {
    rule: rule.text,
    method: request.method,
    path: new URL(request.url).pathname,
    token: asset,
    amount: BigInt(amount),
    decimals: seller.decimals.get(rule.price?.token ?? '0x') ?? 0,
    payer: settlement.result.payer ?? '',
    secretHash: settlement.result.transaction,
    status: answer.status,
  };
  if (answer.status >= 500) {
    await cancellationDispatcher.cancel({
      reason: 'handler_failed',
      responseStatus: answer.status,
    });
    sales.unserved(sale);
    return answer;
  }
  sales.sold(sale);
  const receipt = till.createCompletedSettlementHeaders(
    settlement,
    answer.headers.get('cache-control'),
  );
  for (const [name, value] of Object.entries(receipt)) answer.headers.set(name, value);
  return answer;
}

/** As other proxies say it in their logs; nobody reads it. */
const CALLER_LEFT = 499;

async function passOn(
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

function priceOf({ price }: Rule, { decimals }: Seller) {
  if (price === null) throw new Error('it costs nothing');
  const amount = toUnits(price.amount, decimals.get(price.token) ?? 0);
  if (amount === null) throw new Error(`the price ${price.amount} has more digits than the token`);
  return { asset: price.token, amount: `${amount}` };
}

type Till = x402HTTPResourceServer;

/** The node is asked about as many proofs as can be afforded; those that are none of the server's offers it never hears of. */
function bounded(node: NodeFacilitator, network: Seller['network'], now: () => number) {
  const bounds = createProofBounds(now);
  const settle: NodeFacilitator['settle'] = async (proof, demand) => {
    const payer = String(proofIn(proof.payload)?.payer).toLowerCase();
    const asking = bounds.begin(payer);
    if (asking === null) return { success: false, errorReason: TOO_MANY, transaction: '', network };
    let isPaid = false;
    try {
      const settled = await node.settle(proof, demand);
      isPaid = settled.success;
      return settled;
    } finally {
      asking.end(isPaid);
      if (isPaid) bounds.noteCustomer(payer);
    }
  };
  return { ...node, settle };
}

function createTill(
  { node, seller, key, offerSeconds, log, now }: PaywallOptions,
  price: (context: HTTPRequestContext) => ReturnType<typeof priceOf>,
): Till {
  const release: NodeFacilitator['release'] = async (payload, demand) => {
    try {
      await node.release(payload, demand);
    } catch (error) {
      log.error(
        { reason: String(error) },
        'the payer was not served, and the node does not take that',
      );
    }
  };
  const scheme = channelServer({ key, node: { release } });
  const asked = bounded(node, seller.network, now);
  const server = new x402ResourceServer(asked).register(seller.network, scheme);
  const accepts = {
    scheme: scheme.scheme,
    network: seller.network,
    payTo: seller.address,
    maxTimeoutSeconds: offerSeconds,
    price,
  };
  return new x402HTTPResourceServer(server, { '*': { accepts } });
}

/** As clients reach it, without what they keep for themselves. */
function publicOf(url: string, publicUrl: string | null): string {
  const { origin, pathname, search } = new URL(url);
  return `${publicUrl ?? origin}${pathname}${search}`;
}

function adapterOf(request: Request, url: string): HTTPRequestContext['adapter'] {
  return {
    getHeader: (name) => request.headers.get(name) ?? undefined,
    getMethod: () => request.method,
    getPath: () => new URL(request.url).pathname,
    getUrl: () => url,
    // Its page for browsers names no price.
    getAcceptHeader: () => '',
    getUserAgent: () => '',
  };
}
